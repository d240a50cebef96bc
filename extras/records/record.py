"""A game in the files of other programs, and its conversion from and to a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ...envs.game import Game, IllegalActionError, Position
from ...envs.games.gomoku.gomocup import CONNECT, GAME
from ...envs.registry import game_names, make_game, rules_type
from ...envs.rules_types import parameter_values
from ...envs.specification import SpecificationError, plain_text
from ...evaluation.fingerprints import Description
from ...evaluation.match import AGREEMENT, SINGLE_GAMES, GameResult
from ...evaluation.single_games import concession, store_game
from ...evaluation.store.store import Store

PASS = "pass"
COLOURS = "BW"
UNKNOWN_PROGRAM = "imported"  # the version of a player with an unknown program


class RecordError(SpecificationError):
    """A file without a game, or with a game that cannot be played."""


Unread = Callable[[], "Record"]  # returns a game of a file, or raises a RecordError


class Record(NamedTuple):
    """A game of a file.

    Attributes:
        game: the game, with its board and rule.
        moves: the actions played.
        players: the names of the players in seats 0 and 1.
        winner: 0, 1 or None: a draw, or not known.
        ended: whether the file states a winner or a draw; else only the board decides.
        forfeit: whether it was lost by a fault, such as time.
        title: its title, such as the tournament.
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

    @property
    def labels(self) -> tuple[str, str]:
        """The players' names in a store, made distinct."""
        first, second = self.players
        return first, second if second != first else f"{second} #2"

    @property
    def key(self) -> tuple[object, ...]:
        """Its identity."""
        return self.game.spec, self.labels, self.moves


def game_of(name: str, **parameters: Any) -> Game:
    """The game on a file's board; RecordError if plyground does not have it."""
    try:
        return make_game(name, parameters)
    except SpecificationError as error:
        raise RecordError(str(error)) from None


def gomoku(cols: int, rows: int, rule: str) -> Game:
    """Gomoku on a file's board; RecordError if plyground does not have it."""
    return game_of(GAME, rows=rows, cols=cols, connect=CONNECT, rule=rule)


def game_titled(title: str, size: int) -> Game:
    """The game with this title on a board with this many rows; RecordError if there is none."""
    for name in game_names():
        if rules_type(name).declaration.title.lower() == title.lower():
            return game_of(name, size=size)
    raise RecordError(f"plyground has no game {plain_text(title, 40)!r}")


def play(position: Position, action: int) -> None:
    """Play an action of a file; RecordError if it is illegal."""
    try:
        position.play(action)
    except IllegalActionError:
        name = position.game.action_to_text(action)
        ply = len(position.moves or ()) + 1
        why = "the game is over before it" if position.is_over else "it is illegal there"
        raise RecordError(f"move {ply} ({name}) cannot be played: {why}") from None


def with_passes(game: Game, actions: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The player and the action of each ply, for a file that omits passes.

    Raises:
        RecordError: an action is illegal, or the game has no pass.
    """
    position, passing = game.initial_position(), game.facts.num_actions - 1
    if game.action_to_text(passing) != PASS:
        raise RecordError(f"{game.spec} has no action {PASS!r}, as games of such files have")
    for action in actions:
        if position.is_legal(passing):
            yield position.to_move, passing
            position.play(passing)
        yield position.to_move, action
        play(position, action)


def moves_by_colour(game: Game, moves: Iterable[tuple[str, int]]) -> tuple[int, ...]:
    """The plies of a game with passes, which a file states or omits.

    Args:
        game: the game.
        moves: the colour and the action of each move in the file.

    Raises:
        RecordError: an action is illegal, or of the other colour.
    """
    passing = game.facts.num_actions - 1
    discs = [(colour, action) for colour, action in moves if action != passing]
    played = list(with_passes(game, (action for _, action in discs)))
    movers = (mover for mover, action in played if action != passing)
    for number, (mover, (colour, _)) in enumerate(zip(movers, discs), 1):
        if COLOURS[mover] != colour:
            raise RecordError(f"disc {number} is of {colour}, but it is not their turn")
    return tuple(action for _, action in played)


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


def present_keys(store: Store, records: Iterable[Record]) -> set[tuple[object, ...]]:
    """The keys of the single games in a store with the moves of one of these records."""
    if not store.path.exists():
        return set()
    return {
        (settings.get("game"), labels, moves)
        for settings, labels, moves in store.games_with(record.moves for record in records)
        if settings.get("format") == SINGLE_GAMES
    }


def store_record(store: Store, record: Record, result: GameResult) -> int:
    """Commit a game and its result to a store as a single game; returns its number.

    Raises:
        StoreError: the store cannot be written.
    """
    first, second = (Description(name, {}, UNKNOWN_PROGRAM, label=name) for name in record.players)
    return store_game(store, record.game, (first, second), result)


def result_of(record: Record) -> GameResult:
    """The result of a game; a side that resigned or forfeited counts as resigned.

    An unfinished game that the file states as drawn counts as agreed.

    Raises:
        RecordError: a move is illegal, or the result is not known.
    """
    game, moves = record.game, record.moves
    position, decisions = game.initial_position(), [0, 0]
    for action in moves:
        decisions[position.to_move % 2] += 1
        play(position, action)
    counts = (decisions[0], decisions[1])
    if position.outcome is not None:
        reason, returns = position.outcome.reason, position.returns
        return GameResult(moves, returns, reason, None, None, (0.0, 0.0), counts)
    if record.winner is None and record.ended:
        return GameResult(moves, (0.0, 0.0), AGREEMENT, None, None, (0.0, 0.0), counts)
    if record.winner is None:
        raise RecordError(f"the game is not over after its {len(moves)} moves")
    return concession(game, moves, 1 - record.winner, (0.0, 0.0), counts)
