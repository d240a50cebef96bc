"""The courses of games: by them a repeated game is recognised.

Two games take the same course if their agents go through the same positions. In which order the
moves of an opening led to the first of them makes no difference.
"""

from __future__ import annotations

import functools

from ...envs.game import Game, IllegalActionError
from ...envs.registry import make_game
from ...envs.specification import SpecificationError
from ..store.store import StoredGame, StoredTournament

RECENT_OPENINGS = 4096  # whose positions are kept: the games of a pair come one after another


class Courses:
    """Hashes of where games of one tournament begin, and of their courses.

    Args:
        game: the game; None where it is not installed: openings are then compared by their moves.
    """

    def __init__(self, game: Game | None) -> None:
        self._game = game
        self._start = functools.lru_cache(RECENT_OPENINGS)(self._position_after)

    def start(self, game: StoredGame) -> int:
        """A hash of the position in which the agents take over."""
        return self._start(game.opening)

    def course(self, game: StoredGame) -> int:
        """A hash of the positions from there to the end."""
        return hash((self.start(game), game.result.moves[len(game.opening) :]))

    def _position_after(self, opening: tuple[int, ...]) -> int:
        if self._game is not None:
            try:
                return hash(self._game.position(opening).record.tobytes())
            except IllegalActionError:  # not plyground's: `plyground verify` tells
                pass
        return hash(opening)


def game_of(tournament: StoredTournament) -> Game | None:
    """The game of a tournament, or None where it is not installed."""
    try:
        return make_game(str(tournament.settings.get("game")))
    except SpecificationError:
        return None


def named(game: Game | None, reason: str) -> str:
    """A stored reason with the names of the players; as it is where the game is not installed."""
    return reason if game is None else game.declaration.named(reason)
