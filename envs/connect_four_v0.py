"""Connect four as PettingZoo AEC environments."""

from .aec import env_functions
from .games.connect_four.rules import ConnectFour

env, raw_env = env_functions(ConnectFour)
