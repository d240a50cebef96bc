"""Othello as PettingZoo AEC environments."""

from .aec import MakeBoardEnv, env_functions
from .games.othello.rules import Othello

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(Othello)
