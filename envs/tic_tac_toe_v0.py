"""Tic-tac-toe as PettingZoo AEC environments."""

from .aec import MakeBoardEnv, env_functions
from .games.tic_tac_toe.rules import TicTacToe

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(TicTacToe)
