"""Othello as PettingZoo AEC environments."""

from .aec import env_functions
from .games.othello.rules import Othello

env, raw_env = env_functions(Othello)
