"""Tic-tac-toe as PettingZoo AEC environments."""

from .aec import env_functions
from .games.tic_tac_toe.rules import TicTacToe

env, raw_env = env_functions(TicTacToe)
