"""What the package exports; each name is loaded when it is first asked for."""

from .aec import BoardEnv as BoardEnv
from .aec import IllegalMoveError as IllegalMoveError
from .aec import env_functions as env_functions
from .boards.rows import cells_board as cells_board
from .conformance import ConformanceError as ConformanceError
from .conformance import Ledger as Ledger
from .conformance import check_env as check_env
from .conformance import check_game as check_game
from .conformance import trace as trace
from .declaration import Board as Board
from .declaration import Facts as Facts
from .declaration import declare_game as declare_game
from .game import Game as Game
from .game import IllegalActionError as IllegalActionError
from .game import IllegalPositionError as IllegalPositionError
from .game import Position as Position
from .loading.version import __version__ as __version__
from .optional.complexity import Bound as Bound
from .optional.complexity import Complexity as Complexity
from .outcome import Outcome as Outcome
from .registry import BUILT_IN as BUILT_IN
from .registry import make_game as make_game
from .registry import register_game as register_game
from .specification import Parameter as Parameter
from .specification import SpecificationError as SpecificationError
from .specification import check_names as check_names
