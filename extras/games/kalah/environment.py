"""Kalah as PettingZoo AEC environments."""

from ....envs.aec import MakeBoardEnv, env_functions
from .rules import Kalah

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(Kalah)
