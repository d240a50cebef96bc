"""Openings: the first moves of games, so that deterministic agents do not repeat one game.

A specification names where they come from: ``random:PLIES`` (seeded random moves), ``all:PLIES``
(every position of that depth up to symmetry, in a seeded order), ``swap2:STONES`` (gomoku: stones
near the centre, as the opening swap2 begins), ``balanced:STONES`` (those of them that the engine of
gomoku values near 0) or a file of openings. A judge can choose the balanced ones of any source.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..agents import Agent, Score, make_agent
from ..envs.canonical import position_layers
from ..envs.compiled.kernels import announce_compilation
from ..envs.compiled.randomness import new_stream
from ..envs.game import Game, IllegalActionError
from ..envs.loading.files import read_file
from ..envs.loading.numbers import number_text
from ..envs.registry import profiles
from ..envs.specification import SpecificationError, plain_text
from ..envs.stepping import draw_opening
from .plan import Plan

# keeps these random numbers apart from those that agents draw from the same seed
OPENING_STREAM = 0x6F70656E
FEWEST_TRIES = 1000
MOST_POSITIONS = 100_000  # of one depth, that are listed
# how far from 0 a return may be, in proportion to the greatest, if nothing else is said
BALANCED_RETURN = 0.1
SWAP2_REACH = 3  # rows and columns from the centre in which proposed stones lie
SHOWN_VALUES = 20  # openings whose values the error names if the judge's unit needs a limit

Actions = tuple[int, ...]
MakeAgent = Callable[[str, Game], Agent]


class OpeningSource(NamedTuple):
    """The source that a specification of openings names.

    A file, or ``random``, ``all``, ``swap2`` or ``balanced`` with a number of plies.
    """

    kind: str
    plies: int = 0
    path: Path | None = None


def parse_openings(text: str) -> OpeningSource:
    """``random:PLIES``, ``all:PLIES``, ``swap2:STONES``, ``balanced:STONES`` or a file's name.

    Raises:
        SpecificationError: it is none of these.
    """
    match = re.fullmatch(r"(random|all|swap2|balanced):(\d{1,9})", text, re.ASCII)
    if match is not None:
        return OpeningSource(match[1], int(match[2]))
    with contextlib.suppress(OSError, ValueError):  # a name that no file can have
        if Path(text).is_file():
            return OpeningSource("file", path=Path(text))
    raise SpecificationError(
        f"openings are random:PLIES, all:PLIES, swap2:STONES, balanced:STONES or a file, such as "
        f"random:2, all:4, swap2:5, balanced:5 or openings.txt; "
        f"there is no file {plain_text(text)!r}"
    )


class Openings:
    """The openings of a tournament, found one by one; after the last one the first follows again.

    Each leads to another position. Which they are depends on the arguments alone, however many are
    taken.

    Args:
        plan: its opening, seed, balanced, within and transform count.
        game: the game they open.
        make_judge: makes the judge of its specification, for the game.

    Attributes:
        settings: what a tournament is known by: of a file a hash of the openings in it, of a judge
            its whole specification.
        judge: the agent that chooses among them, or None.
        judged: how many the judge was asked about.
        listed: whether their number is limited by what they are, so that a tournament would go
            through all of them.

    Raises:
        SpecificationError: bad specifications, or a file that cannot be read or holds a bad line.
            :meth:`find` raises it if there is no opening.
    """

    def __init__(
        self,
        plan: Plan,
        game: Game,
        make_judge: MakeAgent = make_agent,
    ) -> None:
        seed, balanced, within = plan.seed, plan.balanced, plan.within
        source = parse_openings(plan.opening)
        self.listed: bool = source.kind in ("all", "file")
        if source.kind != "file" and source.plies >= game.facts.longest_game:
            raise SpecificationError(
                f"{game.spec} lasts at most {game.facts.longest_game} plies; an opening of "
                f"{source.plies} plies leaves nothing to play"
            )
        self.settings: dict[str, Any] = {"opening": plan.opening}
        if source.path is not None:
            lines = read_openings(source.path, game)
            digest = hashlib.sha256(repr(lines).encode()).hexdigest()[:16]
            self.settings["opening"] = f"file {digest}"
            drawn: Iterator[Actions] = iter(lines)
        elif source.kind == "all":
            drawn = all_openings(game, source.plies, seed)
        elif source.kind in ("swap2", "balanced"):
            judge = game.profile.opening_judge
            if judge is None:
                owners = [name for name, profile in profiles().items() if profile.opening_judge]
                raise SpecificationError(
                    f"swap2 is an opening of {' and '.join(owners)}, not of {game.name}"
                )
            if source.kind == "balanced" and balanced is None:
                balanced, within = judge.agent, judge.points if within is None else within
            self.settings["opening"] = f"swap2:{source.plies}"
            drawn = swap2_openings(game, source.plies, seed)
        else:
            drawn = random_openings(game, source.plies, seed)
        if plan.transform:
            drawn = transformed_openings(game, drawn, seed)
        if balanced is None and within is not None:
            raise SpecificationError(
                "how near to 0 an opening must be (--within) is for openings that are judged "
                "(--balanced AGENT)"
            )
        self.judged: int = 0
        self.judge: BalanceJudge | None = (
            None if balanced is None else BalanceJudge(game, balanced, within, seed, make_judge)
        )
        if self.judge is not None:
            self.settings |= {"balanced": self.judge.spec, "within": self.judge.within}
            drawn = self._near_zero(self.judge, drawn)
        self._game, self._plies = game, source.plies
        self._drawn, self._found, self._known = drawn, list[Actions](), list[Actions]()
        self._complete = False
        self._on_judged: Callable[[int, int], None] | None = None

    def recall(self, openings: list[Actions]) -> None:
        """Take over the first openings as found before, without asking the judge again."""
        self._known = openings

    def find(
        self, count: float = math.inf, on_judged: Callable[[int, int], None] | None = None
    ) -> int:
        """Find the first ``count`` openings, or all there are; returns how many of them exist.

        ``on_judged`` is called before the judge is asked about an opening, with how many have been
        found and how many were judged for that.

        Raises:
            SpecificationError: there is none.
        """
        self._on_judged = on_judged
        while len(self._found) < count and not self._complete:
            opening = next(self._drawn, None)
            if opening is None:
                self._complete = True
                if not self._found:
                    raise SpecificationError(self._refusal())
            else:
                self._found.append(opening)
        return int(min(count, len(self._found)))

    def __getitem__(self, number: int) -> Actions:
        """The opening of pair ``number``, from 0 on."""
        return self._found[number % self.find(number + 1)]

    def _near_zero(self, judge: BalanceJudge, drawn: Iterable[Actions]) -> Iterator[Actions]:
        """Those that the judge keeps.

        Up to the last one that is known, exactly the known ones have been kept before.
        """
        for opening in drawn:
            count = len(self._found)
            if self._on_judged is not None:
                self._on_judged(count, self.judged)
            self.judged += 1
            if opening == self._known[count] if count < len(self._known) else judge.keeps(opening):
                yield opening

    def _refusal(self) -> str:
        if self.judge is not None and self.judged:
            return (
                f"none of {self.judged} openings of {self._game.spec} is balanced for "
                f"{self.judge.spec} within {number_text(self.judge.within)}; allow more (--within)"
            )
        return (
            f"no opening of {self._plies} plies leaves {self._game.spec} undecided (the search "
            f"found none); choose fewer opening plies"
        )


class _OpeningDraw:
    """Draws random plies, and tells positions that leave the game open from others.

    Open means: the game is not over, the player to move cannot win at once, and some move lets it
    go on.
    """

    def __init__(self, game: Game, plies: int, seed: int) -> None:
        self._game, self._rng = game, new_stream(seed, OPENING_STREAM)
        self._positions = game.new_records(3)
        self._scratch = np.empty(game.facts.num_actions, np.int16)
        self._plies = np.empty(plies, np.int16)
        with announce_compilation(f"openings for {game.name}"):
            self._draw(self._rng.copy())

    def _draw(self, rng: np.ndarray) -> bool:
        rules, scratch = self._game.rules, self._scratch
        return bool(draw_opening(rules, self._positions, rng, scratch, self._plies))

    def after(self, opening: Actions) -> tuple[Actions, bytes] | None:
        """The opening with the random plies, and its position; None where that is not open."""
        if opening:
            self._positions[0] = self._game.position(opening).record
        if not self._draw(self._rng):
            return None
        return (*opening, *self._plies.tolist()), self._positions[1].tobytes()


def _until_none_is_new(draw: Callable[[], tuple[Actions, bytes] | None]) -> Iterator[Actions]:
    """Random openings that lead to different positions; None stands for a draw that failed."""
    positions: set[bytes] = set()
    failures = 0
    # If one of n equally likely openings were still missing, this many draws would miss it with a
    # probability below e^-25.
    while failures < FEWEST_TRIES + 25 * len(positions):
        failures += 1
        opening, position = draw() or ((), b"")
        if position and position not in positions:
            positions.add(position)
            failures = 0
            yield opening


def random_openings(game: Game, plies: int, seed: int) -> Iterator[Actions]:
    """Random openings of ``plies`` actions, each leading to another position.

    The sequence ends when no further opening is found.

    No opening ends the game, lets the player to move win at once, or leaves only moves that end the
    game.
    """
    random_plies = _OpeningDraw(game, plies, seed)
    return _until_none_is_new(lambda: random_plies.after(()))


def all_openings(game: Game, plies: int, seed: int) -> Iterator[Actions]:
    """One opening for each position after ``plies`` plies, in an order that the seed decides.

    Positions that are images of each other under the symmetries of the board count as one.

    Positions are left out in which the game is over, the player to move can win at once, or all
    moves end the game.

    Raises:
        SpecificationError: there are more than ``MOST_POSITIONS``.
    """
    layer = next(itertools.islice(position_layers(game, MOST_POSITIONS), plies, None))
    no_plies = _OpeningDraw(game, 0, seed)
    yield from sorted(
        filter(no_plies.after, layer),
        key=lambda opening: hashlib.blake2b(f"{seed} {opening}".encode(), digest_size=8).digest(),
    )


def swap2_openings(game: Game, stones: int, seed: int) -> Iterator[Actions]:
    """Random openings whose stones lie near the centre, as a player of swap2 places the first.

    In a pair of games both agents play both sides, which takes the place of the choice of colours.
    They are chosen and left out as :func:`random_openings` are.

    Raises:
        SpecificationError: more stones than have room there.
    """
    room = centre_cells(game)
    if not 1 <= stones <= len(room) // 2:
        raise SpecificationError(
            f"an opening swap2 of {game.spec} has from 1 to {len(room) // 2} stones, not {stones}"
        )
    chance, no_plies = random.Random(f"swap2 {seed}"), _OpeningDraw(game, 0, seed)

    def draw() -> tuple[Actions, bytes] | None:
        try:
            return no_plies.after(tuple(chance.sample(room, stones)))
        except IllegalActionError:  # it ends the game, which three in a row may do on small boards
            return None

    return _until_none_is_new(draw)


def transformed_openings(game: Game, openings: Iterable[Actions], seed: int) -> Iterator[Actions]:
    """Openings turned or mirrored, each by a symmetry of the board that the seed decides.

    Of those that lead to the same position afterwards, the first one counts.
    """
    chance = random.Random(f"transform {seed}")
    positions: set[bytes] = set()
    for opening in openings:
        symmetry = game.symmetries[chance.randrange(len(game.symmetries))]
        image = tuple(int(symmetry[action]) for action in opening)
        position = game.position(image).record.tobytes()
        if position not in positions:
            positions.add(position)
            yield image


def read_openings(path: Path, game: Game) -> list[Actions]:
    """The openings of a file.

    Each line holds one: moves by name or number, separated by commas. What follows a ``#`` is a
    comment.

    Of openings that lead to the same position, the first one counts.

    Raises:
        SpecificationError: the file cannot be read, holds no opening, or a line of it cannot be
            played; says which and why.
    """
    try:
        lines = read_file(path).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise SpecificationError(
            f"the openings in {path} cannot be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise SpecificationError(
            f"{path} is no file of openings: it is not text in UTF-8"
        ) from None
    openings: dict[bytes, Actions] = {}
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            actions = tuple(game.text_to_action(name.strip()) for name in text.split(","))
            position = game.position(actions)
        except IllegalActionError as error:
            raise SpecificationError(f"{path}, line {number}: {error}") from None
        if position.is_over:
            raise SpecificationError(
                f"{path}, line {number}: the game is over after these moves ({position.outcome})"
            )
        openings.setdefault(position.record.tobytes(), actions)
    if not openings:
        raise SpecificationError(
            f"{path} holds no opening; write one on each line, such as {_example(game)}"
        )
    return list(openings.values())


def _example(game: Game) -> str:
    """Two moves as a file of openings has them."""
    position = game.initial_position()
    names: list[str] = []
    while len(names) < 2 and not position.is_over:
        action = position.legal_actions()[len(names)]
        names.append(game.action_to_text(action))
        position.play(action)
    return ", ".join(names)


class BalanceJudge:
    """Tells balanced openings from others: an agent must value the position near 0.

    Args:
        game: the game.
        spec: the agent's specification.
        within: how far from 0 the value may be; by default a tenth of the greatest return. An agent
            that values in points of a heuristic needs it.
        seed: what the agent is reset with before each opening.
        make: makes the agent of its specification, for the game.

    Raises:
        SpecificationError: no such agent, or one that would not judge the same again; later, one
            that cannot value positions.
    """

    def __init__(
        self,
        game: Game,
        spec: str,
        within: float | None,
        seed: int,
        make: MakeAgent = make_agent,
    ) -> None:
        self._game, self._seed = game, seed
        self._agent: Agent = make(spec, game)
        if self._agent.options.get("time") is not None:
            raise SpecificationError(
                f"{spec} looks at the clock and would not judge the same again; limit it by "
                f"depth=, nodes= or simulations="
            )
        self._in_points = within is not None
        self.spec: str = self._agent.spec
        self.within: float = BALANCED_RETURN * game.facts.max_return if within is None else within

    def keeps(self, opening: Actions) -> bool:
        """Whether the position after these actions is balanced."""
        score = self._score(opening)
        if score.unit == "points" and not self._in_points:
            raise SpecificationError(
                f"{self._agent.spec} values openings in points; {self._advice()}"
            )
        # whatever the limit in points
        forced = self._in_points and (
            score.mate_in is not None or (score.is_exact and score.value != 0)
        )
        return not forced and abs(score.value) <= self.within

    def _score(self, opening: Actions) -> Score:
        """The value of the position."""
        if not self._agent.deterministic:
            self._agent.reset(self._seed)
        decision = self._agent.analyse(self._game.position(opening))
        if decision.score is None:
            raise SpecificationError(
                f"{self._agent.spec} cannot judge openings: it does not say what a position is "
                f"worth; searches and solvers do"
            )
        return decision.score

    def _advice(self) -> str:
        """Advice on the limit, from the values of some random openings."""
        sample = itertools.islice(random_openings(self._game, 2, self._seed), SHOWN_VALUES)
        values = sorted(abs(self._score(opening).value) for opening in sample)
        middle = (
            f" (half of {len(values)} random openings are within {values[len(values) // 2]:g})"
            if values
            else ""
        )
        return f"say with --within POINTS how near to 0 is balanced{middle}"


def centre_cells(game: Game) -> list[int]:
    """The cells of a board of rows and columns on which a swap2 opening may put its stones.

    Source: the rules of Gomocup's swap2 league.
    """
    rows, cols = int(game.rules.rows), int(game.rules.cols)
    return [
        row * cols + column
        for row in range(max(rows // 2 - SWAP2_REACH, 0), min(rows // 2 + SWAP2_REACH + 1, rows))
        for column in range(max(cols // 2 - SWAP2_REACH, 0), min(cols // 2 + SWAP2_REACH + 1, cols))
    ]
