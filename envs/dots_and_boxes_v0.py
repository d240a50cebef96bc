"""Dots and boxes as PettingZoo AEC environments."""

from .aec import MakeBoardEnv, env_functions
from .games.dots_and_boxes.rules import DotsAndBoxes

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(DotsAndBoxes)
