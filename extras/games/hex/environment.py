"""Hex as PettingZoo AEC environments."""

from ....envs.aec import MakeBoardEnv, env_functions
from .rules import Hex

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(Hex)
