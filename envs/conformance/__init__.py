"""Checks that a game or an environment, built-in or a user's, keeps its contract."""

from .env_checks import ConformanceError, check_env
from .game_checks import check_game
from .ledger import Ledger, trace

__all__ = ["ConformanceError", "Ledger", "check_env", "check_game", "trace"]
