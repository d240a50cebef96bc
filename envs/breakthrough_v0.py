"""Breakthrough as PettingZoo AEC environments."""

from .aec import MakeBoardEnv, env_functions
from .games.breakthrough.rules import Breakthrough

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(Breakthrough)
