"""Connect four as PettingZoo AEC environments."""

from .aec import MakeBoardEnv, env_functions
from .games.connect_four.rules import ConnectFour

env: MakeBoardEnv
raw_env: MakeBoardEnv
env, raw_env = env_functions(ConnectFour)
