"""The zoo: trained networks that are shipped with the package.

``zoo:NAME`` plays a network, ``mcts:network=zoo:NAME`` searches with it. A name may stand for
several boards; the board that is played decides. Each network is a policy file in
``networks/GAME``, with a model card: a JSON file of the same name that says how the network was
trained. ``networks/boards.json`` compares all networks of a board and the usual opponents: in one
rating pool, and by move quality. ``benchmarks/learning/zoo.py`` makes them.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from ...envs.game import Game
from ...envs.loading.records import Count, Range, Share, check_value, fields_of, read_json
from ...envs.registry import make_game, rules_type
from ...envs.specification import SpecificationError, check_names, parse_specification, refusing
from .policy_file import OnnxNetwork

FOLDER = Path(__file__).resolve().parent / "networks"
BOARDS = FOLDER / "boards.json"
PREFIX = "zoo:"
Amount = Annotated[float, Range(low=0)]


class Stage(TypedDict):
    """A training run of a network, or the source that it continued from."""

    command: str
    hours: Amount
    processor_hours: Amount
    steps: Count
    games: Count
    simulations: Count
    before: NotRequired[Stage]


class CurvePoint(TypedDict):
    """The network's strength after some hours of CPU time."""

    opponent: str
    processor_hours: Amount
    score: Share
    low: Share
    high: Share


class NetworkTraining(Stage):
    """How a network was trained."""

    seed: Count
    commit: str
    machine: str
    learnt_from: NotRequired[str]
    curve: NotRequired[list[CurvePoint]]


class PoolRow(TypedDict):
    """An agent in the pool of a board."""

    agent: str
    elo: int
    error: Count
    score: Share
    seconds: Amount
    games: Count


class QualityRow(TypedDict):
    """An agent's share of optimal moves."""

    agent: str
    phase: str
    moves: Count
    share: Share
    lower: Share
    upper: Share


class PoolRatings(TypedDict):
    """A pool of agents, and the command that rates them."""

    command: str
    rows: list[PoolRow]


class QualityTable(TypedDict):
    """Shares of optimal moves, and the command that measures them."""

    command: str
    rows: list[QualityRow]


class BoardResults(TypedDict):
    """What was measured on a board."""

    ratings: PoolRatings
    quality: NotRequired[QualityTable]
    kinds: NotRequired[QualityTable]


@dataclasses.dataclass(frozen=True, eq=False)
class Card:
    """The model card of a shipped network.

    Attributes:
        name: its name after ``zoo:``.
        game: the game that it was trained for, with its parameters.
        also: other games with the same positions and actions that it plays.
        file: the policy file, in the folder of its game.
        sha256: the hash of the file.
        bytes: its size.
        parameters: the number of weights.
        algorithm: the training algorithm.
        training: command, seed, commit, hours, machine, games, curve.
        measured: its speed.
    """

    name: str
    game: str
    also: Sequence[str]
    file: str
    sha256: str
    bytes: Count
    parameters: Count
    algorithm: str
    training: NetworkTraining
    measured: Mapping[str, Mapping[str, Any]]

    @property
    def path(self) -> Path:
        """The path of the policy file."""
        return FOLDER / self.file

    @property
    def board_game(self) -> str:
        """The game of its rating pool: the first of its games that has one, else its own."""
        return next((spec for spec in (self.game, *self.also) if spec in boards()), self.game)

    @property
    def board(self) -> Mapping[str, Any]:
        """The measurements of its board's agents, each with the command and rows of agents.

        ``ratings``: the pool, best first; ``quality``: the share of optimal moves by situation and
        phase; ``kinds``: the same in positions of published kinds.
        """
        return boards().get(self.board_game, {})

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents of its board that play by it: alone, and in a search."""
        names = dict.fromkeys(row["agent"] for row in self.board.get("ratings", {}).get("rows", ()))
        own = f"{PREFIX}{self.name}"
        return tuple(name for name in names if own in (name, name.partition("=")[2].split(",")[0]))

    def network(self) -> OnnxNetwork:
        """The network.

        Raises:
            SpecificationError: the policy file is missing, or does not match the card.
        """
        return _load(self)


@functools.cache
def cards(of: str | None = None) -> tuple[Card, ...]:
    """The model cards of one name, or all, by name and board, for the available games."""
    made = []
    for path in sorted(FOLDER.glob("*/*.json")):
        content = read_json(path)
        if of is not None and isinstance(content, dict) and content.get("name") != of:
            continue
        check_value(content, Card, str(path), more=True)
        try:
            rules_type(parse_specification(content["game"]).name)
        except SpecificationError:
            continue
        made.append(Card(**{name: content[name] for name in fields_of(Card)}))
    return tuple(made)


@functools.cache
def cards_of(game: Game) -> tuple[Card, ...]:
    """The model cards of the networks that play a game."""
    return tuple(card for card in cards() if game in map(make_game, (card.game, *card.also)))


@functools.cache
def boards() -> Mapping[str, Mapping[str, Any]]:
    """The measurements on every board that has a network."""
    content: dict[str, Mapping[str, Any]] = read_json(BOARDS)
    check_value(content, dict[str, BoardResults], str(BOARDS), more=True)
    return content


class ZooNetworks:
    """The networks of one name, one for each board.

    Raises:
        SpecificationError: there is no such name.
    """

    def __init__(self, name: str) -> None:
        self.name, self.cards = name, list[Card](cards(name))
        if not self.cards:
            check_names("the zoo has no network", [name], sorted({card.name for card in cards()}))

    def for_game(self, game: Game) -> OnnxNetwork:
        """The network for a game; SpecificationError if there is none."""
        for card in self.cards:
            if game in map(make_game, (card.game, *card.also)):
                return _playing(card, game)
        boards = " and ".join(spec for card in self.cards for spec in (card.game, *card.also))
        raise SpecificationError(f"{PREFIX}{self.name} plays {boards}, not {game.spec}")

    @property
    def only_game(self) -> Game | None:
        """The game that is played, or None if there are several."""
        games = [spec for card in self.cards for spec in (card.game, *card.also)]
        return make_game(games[0]) if len(games) == 1 else None

    @property
    def version(self) -> str:
        """A hash of the networks; of the network if there is only one."""
        hashes = [card.sha256 for card in self.cards]
        return (
            hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
        )


@functools.cache
def _playing(card: Card, game: Game) -> OnnxNetwork:
    """The network for one of its games, compiled once for each board."""
    return card.network().playing(game)


@functools.cache
def _load(card: Card) -> OnnxNetwork:
    source = f"{PREFIX}{card.name}"
    with refusing(OSError, f"{source} cannot be read"):
        data = card.path.read_bytes()
    if hashlib.sha256(data).hexdigest() != card.sha256:
        raise SpecificationError(
            f"{source} is damaged: {card.path} does not match its model card; reinstall plyground"
        )
    return OnnxNetwork(source, data)
