"""Gomoku and caro as PettingZoo AEC environments."""

from .aec import MakeBoardEnv, env_functions
from .games.gomoku.rules import Gomoku

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(Gomoku)
