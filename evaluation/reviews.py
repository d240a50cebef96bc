"""The interface of game reviews that the core needs; an extra implements it.

The extra registers its reviewer as the report ``review``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from rich.console import Console

from ..envs.game import Game
from ..envs.loading.packages import REPORTS
from ..envs.loading.registry import Registry
from .played_game import PlayedGame

Progress = Callable[[int, int], None]  # steps done, of how many


@runtime_checkable
class GameReview(Protocol):
    """A reviewed game."""

    @property
    def played(self) -> PlayedGame:
        """The game."""

    def to_json(self) -> dict[str, Any]:
        """The review as plain data."""

    def print(self, console: Console) -> None:
        """Print the graded moves, and the totals of the players."""

    def caption(self, ply: int) -> str:
        """The text about the position after this many moves."""

    def viewer_data(self, frames: Any) -> dict[str, Any]:
        """The data that a page's viewer shows next to the boards, ``report.replays.Frames``."""


class GameReviewer(Protocol):
    """Evaluates the positions of games of one kind, and grades moves."""

    def values(self, record: PlayedGame) -> Iterator[tuple[int, Any]]:
        """The values of the positions one by one, the last one first, each with its ply."""

    def moves(self, record: PlayedGame) -> Iterator[Any]:
        """The graded moves one by one, the last one first."""

    def assemble(self, record: PlayedGame, moves: Sequence[Any]) -> GameReview:
        """The review made of these moves."""

    def review(self, record: PlayedGame, progress: Progress | None = None) -> GameReview:
        """The review of a game; ``progress`` is called with the steps done and their total."""


_REVIEWERS: Registry[str, Callable[[Game, str | None], GameReviewer]] = Registry(
    "reviews of games need a package that is not installed: there is no report", REPORTS
)


def make_reviewer(game: Game, agent: str | None = None) -> GameReviewer:
    """A reviewer of games of one kind.

    Args:
        game: the game.
        agent: estimates positions that no solver can solve; None: :func:`estimator_of` the game.

    Raises:
        SpecificationError: no package makes reviews, or the agent cannot review this game.
    """
    return _REVIEWERS.get("review")(game, agent)


def estimator_of(game: Game) -> str:
    """The default agent for estimates; its budget does not depend on time."""
    return "alphabeta:nodes=100000" if game.declaration.heuristics else "mcts:simulations=3000"
