"""Breakthrough as PettingZoo AEC environments."""

from .aec import env_functions
from .games.breakthrough.rules import Breakthrough

env, raw_env = env_functions(Breakthrough)
