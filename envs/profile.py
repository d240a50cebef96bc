"""The profile of a game, as plain data for the other folders, read as ``game.profile``.

Every value has a default: a user's game needs no profile.
"""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from .loading.settings import OPENING_PLIES


class Example(NamedTuple):
    """A board that pages offer by name.

    Attributes:
        key: the key of its name, ``example.KEY`` among the game's words; without it, the game's
            title.
        game: its specification.
        level: the opponent that is offered first.
        moves: the moves of a short game, whose last position is shown.
        order: its place among the examples of all games.
        modes: opponents of this board alone, ``mode.SPECIFICATION`` among the messages of pages.
        also: the same board under other rules, offered next to it.
    """

    key: str
    game: str
    level: str
    moves: str
    order: int
    modes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


class SampleBoard(NamedTuple):
    """A board that a course shows, reachable or not.

    Attributes:
        name: its name in commands.
        game: its specification.
        position: its text.
        source: the course's document and section, ``003 §3.4.1``.
    """

    name: str
    game: str
    position: str
    source: str


class WonGame(NamedTuple):
    """A short game that is over: its last position shows what wins.

    Attributes:
        game: its specification.
        moves: their names, with commas between them.
    """

    game: str
    moves: str


class Elsewhere(NamedTuple):
    """A game in another program.

    Attributes:
        name: its name there; ``{rows}`` stands for the value of a parameter, ``{size}`` for both
            sides of a square board.
        where: the parameter values required for it to be the same game.
        words: the notation for a value.
    """

    name: str
    where: Mapping[str, Any] = {}
    words: Mapping[Any, str] = {}

    def name_of(self, values: Mapping[str, Any]) -> str | None:
        """The name of the board with these parameters, or None if it is unknown there."""
        if any(values.get(name) != value for name, value in self.where.items()):
            return None
        if "rows" in values and values["rows"] == values.get("cols"):
            values = {"size": values["rows"], **values}
        try:
            return self.name.format_map({n: self.words.get(v, v) for n, v in values.items()})
        except KeyError:  # such as the size of a board that is not square
            return None


class TrainingSettings(NamedTuple):
    """Training settings tuned by experiments for a game.

    Attributes:
        settings: their values by name; a ``Fraction`` is that share of the number of actions.
        fewest, most: the range of the number of actions of the boards they are for.
        steps, hours: the budget of the longest runs they are for; None and None: all runs.
        gpu: True: they are for networks on a GPU; False: for others; None: for all.
    """

    settings: Mapping[str, Any]
    fewest: int = 0
    most: int = sys.maxsize
    steps: int | None = None
    hours: float | None = None
    gpu: bool | None = None

    @property
    def is_short(self) -> bool:
        """Whether they are for short runs only."""
        return self.steps is not None or self.hours is not None

    @property
    def follows_run(self) -> bool:
        """Whether they are for runs of some length or device only."""
        return self.is_short or self.gpu is not None

    def suits(self, num_actions: int, steps: int, hours: float, gpu: bool = False) -> bool:
        """Whether they fit a board of this many actions, a run of this length and its device.

        A run ends after these steps or hours, whichever comes first; 0 hours: no limit.
        """
        if not self.fewest <= num_actions <= self.most or self.gpu not in (None, gpu):
            return False
        few_steps = self.steps is not None and steps <= self.steps
        few_hours = self.hours is not None and 0 < hours <= self.hours
        return few_steps or few_hours or not self.is_short


def tuned_settings(
    entries: Iterable[TrainingSettings],
    num_actions: int,
    steps: int = sys.maxsize,
    hours: float = 0.0,
    gpu: bool = False,
) -> dict[str, Any]:
    """The settings for a board with this number of actions and a run of these steps or hours.

    Later entries replace values of earlier ones.
    """
    return {
        name: int(value * num_actions) if isinstance(value, Fraction) else value
        for entry in entries
        if entry.suits(num_actions, steps, hours, gpu)
        for name, value in entry.settings.items()
    }


class OpeningJudge(NamedTuple):
    """The judge of balanced openings: an agent, and the most points of a balanced one."""

    agent: str
    points: float


class Ending(NamedTuple):
    """Why a game ended: ``ending.KEY`` among the game's words, and the values that it names."""

    key: str
    values: Mapping[str, Any] = {}


class Profile(NamedTuple):
    """The data about a game for the other folders.

    Attributes:
        levels: the opponents that pages call easy, medium and hard.
        examples: boards that pages offer by name.
        boards: boards that commands take by name.
        won_game: a game whose end pages show next to the rules; None: they show the first position.
        is_usual: whether it is the default game of pages.
        lead: points of an estimate at which the side that is ahead is expected to score three
            games of four against an equal, measured by ``estimates.py`` of the benchmarks.
        engine: the agent that plays it in other programs, such as tournament managers.
        opening_judge: the judge of openings near the centre (swap2); None: the game has no such
            openings.
        elsewhere: the game in other programs: ``openspiel``, ``kaggle``, ``gomocup``,
            ``pettingzoo`` (the same actions and observations); in ``sgf`` it is a number.
        evaluation_plies: random moves that begin the games of a training run's evaluations.
        training: tuned settings by algorithm; later entries replace values of earlier ones.
        badges: what stands for each player next to the name, where a disc in the player's colour
            would look like no piece of the game.
        notation: how a person writes its moves, in a sentence, where they are no cells or columns.
        words: the folder of its words, a file ``en.json`` (``vi.json``, …) for each language. Its
            rules stand there: how it is won in a sentence, ``rule`` and ``rule.VALUE`` for a
            parameter's value, the same in at most twelve words, ``short``, and what else a newcomer
            must know, ``how.1`` to ``how.4``.
    """

    levels: tuple[str, str, str] = ("random", "mcts:simulations=200", "mcts:time=1")
    examples: tuple[Example, ...] = ()
    boards: tuple[SampleBoard, ...] = ()
    won_game: WonGame | None = None
    is_usual: bool = False
    lead: float = 200.0
    engine: str | None = None
    opening_judge: OpeningJudge | None = None
    elsewhere: Mapping[str, Elsewhere] = {}
    evaluation_plies: int = OPENING_PLIES
    training: Mapping[str, tuple[TrainingSettings, ...]] = {}
    badges: tuple[str, str] | None = None
    notation: str = ""
    words: Path | None = None

    def words_in(self, language: str) -> Mapping[str, str]:
        """The game's words in a language; English if it has no others."""
        return {} if self.words is None else _read_words(self.words, language)

    def ending_text(self, ending: Ending | str, language: str = "en") -> str:
        """Why a game ended by its rules; unchanged if the rules give a text."""
        if isinstance(ending, str):
            return ending
        return self.words_in(language)[f"ending.{ending.key}"].format_map(ending.values)

    def scale(self, points: float) -> float:
        """Points of an estimate as an expected return between −1 and 1: a lead is 0.5.

        The odds of the side that is ahead grow threefold with each lead, as they grow tenfold with
        400 points of Elo.
        """
        return math.tanh(points / self.lead * math.log(3) / 2)


@functools.cache
def _read_words(folder: Path, language: str) -> Mapping[str, str]:
    words: dict[str, str] = {}
    for name in ("en", language):
        file = folder / f"{name}.json"
        if file.is_file():
            words |= json.loads(file.read_text(encoding="utf-8"))
    return words
