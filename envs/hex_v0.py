"""Hex as PettingZoo AEC environments."""

from .aec import env_functions
from .games.hex.rules import Hex

env, raw_env = env_functions(Hex)
