"""A game as files of other programs hold it, and its way out of and into a store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...agents.external.gomocup.protocol import CONNECT, GAME
from ...envs.declaration import parameter_values
from ...envs.game import Game, IllegalActionError
from ...envs.registry import make_game
from ...envs.specification import SpecificationError
from ..match import SINGLE_GAMES, GameResult
from ..single_games import concession, store_game
from ..store.store import AgentEntry, Store, StoredTournament

UNKNOWN_PROGRAM = "imported"  # the version of a player whose program is not known


class RecordError(SpecificationError):
    """A file that holds no game, or one that cannot be played."""


class Record(NamedTuple):
    """A game as files hold it.

    Attributes:
        game: gomoku on some board, in some rule.
        moves: the cells played.
        players: the names of black and white.
        winner: 0 (black), 1 (white) or None: a draw, or not known.
        ended: whether the file says how the game ended; without that, only the board can tell.
        forfeit: whether it was lost by a fault, such as time.
        title: what it belongs to, such as a tournament.
    """

    game: Game
    moves: tuple[int, ...]
    players: tuple[str, str]
    winner: int | None = None
    ended: bool = False
    forfeit: bool = False
    title: str = ""

    @property
    def rule(self) -> str:
        """The name of the game's rule."""
        return str(parameter_values(self.game.rules)["rule"])


def gomoku(cols: int, rows: int, rule: str) -> Game:
    """The game of a file's board; RecordError where plyground does not have it."""
    try:
        return make_game(f"{GAME}:rows={rows},cols={cols},connect={CONNECT},rule={rule}")
    except SpecificationError as error:
        raise RecordError(str(error)) from None


def stored_records(store: Store) -> Iterator[Record]:
    """The games of gomoku in a store, tournament by tournament."""
    for tournament in store.tournaments():
        game = make_game(tournament.settings["game"])
        if game.name != GAME:
            continue
        for game_record in store.games(tournament.number):
            result, labels = game_record.result, [entry.label for entry in tournament.agents]
            first, second = game_record.players
            yield Record(
                game,
                result.moves,
                (labels[first], labels[second]),
                result.winner,
                True,
                result.fault is not None,
                tournament.name,
            )


def single_game_courses(store: Store) -> set[tuple[str, tuple[str, ...], tuple[int, ...]]]:
    """Game, players and moves of all single games in a store; what was imported is among them."""
    if not store.path.exists():
        return set()
    return {
        (
            tournament.settings["game"],
            _labels(tournament, game_record.players),
            game_record.result.moves,
        )
        for tournament in store.tournaments()
        if tournament.settings.get("schedule") == SINGLE_GAMES
        for game_record in store.games(tournament.number)
    }


def _labels(tournament: StoredTournament, players: tuple[int, int]) -> tuple[str, ...]:
    return tuple(tournament.agents[number].label for number in players)


def store_record(store: Store, record: Record) -> int:
    """Commit a game to a store as a single game; returns its number.

    Raises:
        RecordError: a move is illegal, or nothing tells how the game ended.
        StoreError: the store cannot be written.
    """
    first, second = (AgentEntry(name, name, {}, UNKNOWN_PROGRAM) for name in record.players)
    return store_game(store, record.game, (first, second), result_of(record))


def result_of(record: Record) -> GameResult:
    """The result of a game; a side that gave up or forfeited counts as resigned.

    Raises:
        RecordError: a move is illegal, or nothing tells how the game ended.
    """
    game, moves = record.game, record.moves
    position = game.initial_position()
    for ply, action in enumerate(moves):
        try:
            position.play(action)
        except IllegalActionError:
            why = "the game is over before it" if position.is_over else "the cell is taken"
            raise RecordError(
                f"move {ply + 1} ({game.action_to_text(action)}) cannot be played: {why}"
            ) from None
    decisions = ((len(moves) + 1) // 2, len(moves) // 2)
    if position.outcome is not None:
        reason, returns = position.outcome.reason, position.returns
        return GameResult(moves, returns, reason, None, None, (0.0, 0.0), decisions)
    if record.winner is None:
        raise RecordError(f"the game is not over after its {len(moves)} moves")
    return concession(game, moves, 1 - record.winner, (0.0, 0.0), decisions)
