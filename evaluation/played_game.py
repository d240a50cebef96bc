"""A played game, finished or not, for replays, pages and reviews."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..envs.game import Game
from ..envs.outcome import PLAYERS
from ..envs.registry import make_game
from .pages import notebook_html
from .store.store import StoredGame


@dataclasses.dataclass(frozen=True)
class PlayedGame:
    """A game, finished or not.

    Attributes:
        game: the game.
        actions: all actions, including the opening.
        players: the names of the two sides.
        opening: the number of actions of the opening.
        winner: the side that won, None for a draw or an unfinished game.
        reason: why the game ended; empty if unfinished.
    """

    game: Game
    actions: tuple[int, ...]
    players: tuple[str, str] = PLAYERS
    opening: int = 0
    winner: int | None = None
    reason: str = ""

    @property
    def ended(self) -> bool:
        """Whether the game is finished; then no winner means a draw."""
        return self.winner is not None or self.reason != ""

    @classmethod
    def of_actions(
        cls,
        game: Game | str,
        actions: Sequence[int | str],
        players: tuple[str, str] = PLAYERS,
    ) -> PlayedGame:
        """A game given by its actions (numbers or names).

        Raises:
            IllegalActionError: the actions cannot be played.
        """
        made = make_game(game)
        numbers = tuple(
            made.text_to_action(each) if isinstance(each, str) else int(each) for each in actions
        )
        outcome = made.position(numbers).outcome
        if outcome is None:
            return cls(made, numbers, players)
        return cls(made, numbers, players, winner=outcome.winner, reason=outcome.reason)

    @classmethod
    def of_stored(
        cls, game: Game | str, entry: StoredGame, players: tuple[str, str] = PLAYERS
    ) -> PlayedGame:
        """A game of a store.

        Raises:
            IllegalActionError: the game was played by rules other than the installed ones.
        """
        made, result = make_game(game), entry.result
        made.position(result.moves)
        return cls(made, result.moves, players, len(entry.opening), result.winner, result.reason)

    def _repr_html_(self) -> str:
        """Notebooks show the game, move by move."""
        return notebook_html(self)
