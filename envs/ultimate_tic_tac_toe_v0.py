"""Ultimate tic-tac-toe as PettingZoo AEC environments."""

from .aec import MakeBoardEnv, env_functions
from .games.ultimate_tic_tac_toe.rules import UltimateTicTacToe

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(UltimateTicTacToe)
