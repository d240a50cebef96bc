"""Evaluation: games, tournaments, ratings, tests and move quality of agents.

What ``__all__`` lists is public, and so are the modules that the reference lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..envs.loading.exports import exports_on_demand

if TYPE_CHECKING:
    from ..envs.workers.errors import RunnerError
    from ..envs.workers.jobs import JobPlace
    from .api import quality, ratings, sprt
    from .gauntlet import GauntletResult, evaluate
    from .ladder import Ladder
    from .match import Adjudication, GameResult, Limits, play_game
    from .move_quality.judge import MoveJudge, stored_moves
    from .move_quality.positions import ask_agents, sample_positions
    from .openings import Openings
    from .runners.contest import Conditions
    from .runners.isolation import make_isolated_opponent
    from .sequential_test import SprtMatch, SprtState
    from .statistics.complexity import size_report
    from .statistics.cross_table import CrossTable
    from .statistics.ratings import Ratings, RatingsError
    from .statistics.sprt import Hypotheses, log_likelihood_ratio
    from .store.export import export_games
    from .store.store import Store, StoredGame, StoredTournament, StoreError
    from .tournament import Plan, Tournament
    from .tournament_file import read_tournaments
    from .verification import Verification, verify

__all__ = [
    "Adjudication",
    "Conditions",
    "CrossTable",
    "GameResult",
    "GauntletResult",
    "Hypotheses",
    "JobPlace",
    "Ladder",
    "Limits",
    "MoveJudge",
    "Openings",
    "Plan",
    "Ratings",
    "RatingsError",
    "RunnerError",
    "SprtMatch",
    "SprtState",
    "Store",
    "StoreError",
    "StoredGame",
    "StoredTournament",
    "Tournament",
    "Verification",
    "ask_agents",
    "evaluate",
    "export_games",
    "log_likelihood_ratio",
    "make_isolated_opponent",
    "play_game",
    "quality",
    "ratings",
    "read_tournaments",
    "sample_positions",
    "size_report",
    "sprt",
    "stored_moves",
    "verify",
]

__getattr__: Callable[[str], Any] = exports_on_demand(__name__, __file__)
