"""Openings: the first moves of games, so that deterministic agents do not repeat one game.

A specification names where they come from: ``random:PLIES`` (seeded random moves), ``all:PLIES``
(every position at that depth up to symmetry, in a seeded order), ``swap2:STONES`` (gomoku: stones
near the centre, as the opening swap2 begins), ``balanced:STONES`` (swap2 openings that the gomoku
engine evaluates near 0) or a file of openings. A judge can select balanced ones of any source.
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

# separates these random numbers from the agents' with the same seed
OPENING_STREAM = 0x6F70656E
FEWEST_TRIES = 1000
MOST_POSITIONS = 100_000  # of one depth, at most
# default limit of the distance from 0, as a share of the greatest return
BALANCED_RETURN = 0.1
SWAP2_REACH = 3  # rows and columns from the centre in which proposed stones lie
SHOWN_VALUES = 20  # openings whose values the error names if the judge's unit needs a limit

Actions = tuple[int, ...]
MakeAgent = Callable[[str, Game], Agent]


class OpeningSource(NamedTuple):
    """The source of openings given by a specification.

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
    """The openings of a tournament, chosen one by one; after the last one the first repeats.

    Each leads to a different position. The sequence depends on the arguments alone, not on how many
    are taken.

    Args:
        plan: its opening, seed, balanced, within and transform count.
        game: the game they open.
        make_judge: makes the judge of its specification, for the game.

    Attributes:
        settings: the part of a tournament's identity: for a file a hash of its openings, for a
            judge its whole specification.
        judge: the agent that selects openings, or None.
        judged: the number of openings the judge has evaluated.
        listed: whether the source is a finite list, all of which a tournament would play.

    Raises:
        SpecificationError: bad specifications, or a file that cannot be read or has a bad line.
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
                "the distance from 0 (--within) applies only to openings that are judged "
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
        """Restore openings chosen before, without asking the judge again."""
        self._known = openings

    def find(
        self, count: float = math.inf, on_judged: Callable[[int, int], None] | None = None
    ) -> int:
        """Choose the first ``count`` openings, or all there are; returns how many exist.

        ``on_judged`` is called before the judge evaluates an opening, with the number of accepted
        and of judged openings.

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
        """The openings that the judge accepts.

        Up to the last known one, exactly the known ones were accepted before.
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
            f"no opening of {self._plies} plies leaves {self._game.spec} undecided; "
            f"choose fewer opening plies"
        )


class _OpeningDraw:
    """Draws random plies, and checks whether positions leave the game open.

    Open means: the game is not over, the player to move cannot win at once, and some move does not
    end the game.
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
        """The opening with the random plies, and its position; None if that is not open."""
        if opening:
            self._positions[0] = self._game.position(opening).record
        if not self._draw(self._rng):
            return None
        return (*opening, *self._plies.tolist()), self._positions[1].tobytes()


def _until_none_is_new(draw: Callable[[], tuple[Actions, bytes] | None]) -> Iterator[Actions]:
    """Random openings that lead to different positions; None for a failed draw."""
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

    The sequence ends when there is no further opening.

    No opening ends the game, lets the player to move win at once, or leaves only moves that end the
    game.
    """
    random_plies = _OpeningDraw(game, plies, seed)
    return _until_none_is_new(lambda: random_plies.after(()))


def all_openings(game: Game, plies: int, seed: int) -> Iterator[Actions]:
    """One opening for each position after ``plies`` plies, in an order decided by the seed.

    Positions that are equal under the symmetries of the board count as one.

    Positions in which the game is over, the player to move can win at once, or all moves end the
    game are skipped.

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
    """Random openings with stones near the centre, as the first player of swap2 places them.

    In a pair of games both agents play both sides, which replaces the choice of colours. Openings
    are selected and skipped as in :func:`random_openings`.

    Raises:
        SpecificationError: there is no room for so many stones.
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
        except IllegalActionError:  # it ends the game, as three in a row can on small boards
            return None

    return _until_none_is_new(draw)


def transformed_openings(game: Game, openings: Iterable[Actions], seed: int) -> Iterator[Actions]:
    """Openings rotated or mirrored, each by a symmetry of the board that the seed decides.

    Of several that lead to the same position then, the first one counts.
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

    Each line contains one: moves by name or number, separated by commas. ``#`` begins a comment.

    Of several openings that lead to the same position, the first one counts.

    Raises:
        SpecificationError: the file cannot be read, has no opening, or a line of it cannot be
            played; the message names the line and the reason.
    """
    try:
        lines = read_file(path).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise SpecificationError(
            f"the openings in {path} cannot be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise SpecificationError(
            f"{path} is not a file of openings: it is not UTF-8 text"
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
    """Two moves in the format of a file of openings."""
    position = game.initial_position()
    names: list[str] = []
    while len(names) < 2 and not position.is_over:
        action = position.legal_actions()[len(names)]
        names.append(game.action_to_text(action))
        position.play(action)
    return ", ".join(names)


class BalanceJudge:
    """Selects balanced openings: an agent must evaluate the position near 0.

    Args:
        game: the game.
        spec: the agent's specification.
        within: the largest distance from 0; by default a tenth of the greatest return. Required for
            an agent whose values are points of a heuristic.
        seed: the seed that the agent is reset with before each opening.
        make: creates the agent from its specification, for the game.

    Raises:
        SpecificationError: no such agent, or one whose judgement is not repeatable; later, one that
            cannot evaluate positions.
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
                f"{spec} is limited by time, so its judgement is not repeatable; limit it by "
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
                f"{self._agent.spec} cannot judge openings: it does not evaluate positions; "
                f"searches and solvers do"
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
        return f"give the largest distance from 0 with --within POINTS{middle}"


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
