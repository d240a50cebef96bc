"""The courses of games, which identify repeated games.

Two games have the same course if their agents go through the same positions. The order of the moves
of the opening does not matter.
"""

from __future__ import annotations

import functools

from ...envs.game import Game, IllegalActionError
from ...envs.registry import make_game
from ...envs.specification import SpecificationError
from ..store.store import StoredGame, StoredTournament

RECENT_OPENINGS = 4096  # whose positions are kept: the games of a pair are consecutive


class Courses:
    """Hashes of the first positions and of the courses of a tournament's games.

    Args:
        game: the game; None if it is not installed: openings are then compared by their moves.
    """

    def __init__(self, game: Game | None) -> None:
        self._game = game
        self._start = functools.lru_cache(RECENT_OPENINGS)(self._position_after)

    def start(self, game: StoredGame) -> int:
        """A hash of the position after the opening."""
        return self._start(game.opening)

    def course(self, game: StoredGame) -> int:
        """A hash of the positions from there to the end."""
        return hash((self.start(game), game.result.moves[len(game.opening) :]))

    def _position_after(self, opening: tuple[int, ...]) -> int:
        if self._game is not None:
            try:
                return hash(self._game.position(opening).record.tobytes())
            except IllegalActionError:  # not played by these rules: `plyground verify` reports it
                pass
        return hash(opening)


def game_of(tournament: StoredTournament) -> Game | None:
    """The game of a tournament, or None if it is not installed."""
    try:
        return make_game(str(tournament.settings.get("game")))
    except SpecificationError:
        return None


def named(game: Game | None, reason: str) -> str:
    """A stored reason with the players' names; unchanged if the game is not installed."""
    return reason if game is None else game.declaration.named(reason)
