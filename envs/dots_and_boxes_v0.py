"""Dots and boxes as PettingZoo AEC environments."""

from .aec import env_functions
from .games.dots_and_boxes.rules import DotsAndBoxes

env, raw_env = env_functions(DotsAndBoxes)
