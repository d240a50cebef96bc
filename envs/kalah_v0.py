"""Kalah as PettingZoo AEC environments."""

from .aec import MakeBoardEnv, env_functions
from .games.kalah.rules import Kalah

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(Kalah)
