"""Hex as PettingZoo AEC environments."""

from .aec import MakeBoardEnv, env_functions
from .games.hex.rules import Hex

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(Hex)
