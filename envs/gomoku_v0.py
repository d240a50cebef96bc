"""Gomoku and caro as PettingZoo AEC environments."""

from .aec import env_functions
from .games.gomoku.rules import Gomoku

env, raw_env = env_functions(Gomoku)
