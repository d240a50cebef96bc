"""A long-running proof: answers about the positions of the first plies, stored in a folder.

The solver asks whether the value of a position is at least a number. In the first plies it splits
the question into questions about the positions after each move, up to symmetry. The questions about
the last of these plies are searched in turn, and their answers written to a file. The file is
enough to resume a proof, here or on another machine. The table of the search is stored next to it,
mapped into memory, so that an interrupted question resumes too.

The sequence of questions depends only on earlier answers, not on threads, the table or
interruptions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from ....envs.game import Game, IllegalActionError
from ....envs.loading.files import read_file, written_whole
from ....envs.loading.records import Count, Range, check_value, parse_json
from ....envs.specification import SpecificationError, refusing

MOST_EDGES = 64
FORMAT = 1  # of the file of answers; another one is refused
PLIES = 2  # plies that are split
ANSWERS, TABLE = "answers.jsonl", "table"  # the files of a folder


class Bounds(NamedTuple):
    """Proved bounds on a value."""

    lower: int
    upper: int


NO_BOUNDS = Bounds(-MOST_EDGES, MOST_EDGES)


class EdgeProof(NamedTuple):
    """Whether the value of a position is at least a number.

    Attributes:
        drawn: the edges drawn, by name, separated by commas.
        at_least: the number that the value is compared with.
        holds: whether the value is at least this number.
        nodes: positions visited by the search that completed it.
        seconds: its CPU time.
    """

    drawn: str
    at_least: Annotated[int, Range(-MOST_EDGES, MOST_EDGES)]
    holds: bool
    nodes: Count
    seconds: Annotated[float, Range(low=0)]


class BoxesProof:
    """The answers in a folder.

    Attributes:
        answers: all answers, in order.
        bounds: the bounds that they prove, also for earlier questions, by the hashes of quiet
            positions.
        job_edges: the number of free edges of the positions whose questions are searched and
            stored; questions about positions with more are split.
    """

    def __init__(self, folder: Path, game: Game) -> None:
        """The proof in a folder for the board of a game; without answers if the folder has none.

        Raises:
            SpecificationError: the file of answers is damaged, or for another board.
        """
        self._game, self._path = game, folder / ANSWERS
        self._header = {"format": FORMAT, "rows": game.rules.rows, "cols": game.rules.cols}
        self._edges = game.facts.num_actions
        self.answers = self._read() if self._path.exists() else []
        self.bounds: dict[int, Bounds] = {}
        self.job_edges = MOST_EDGES + 1

    def _read(self) -> list[EdgeProof]:
        with refusing(OSError, f"{self._path} cannot be read"):
            content = read_file(self._path)
        answers = []
        with refusing(SpecificationError, f"{self._path} is damaged"):
            lines = [
                parse_json(line, f"line {number}")
                for number, line in enumerate(content.splitlines(), 1)
            ]
            header = lines[0] if lines else None
            for number, line in enumerate(lines[1:], 2):
                check_value(line, EdgeProof, f"line {number}")
                answers.append(EdgeProof(**line))
            if header is None:
                raise SpecificationError("it has no header")
        if isinstance(header, dict) and header.get("format") != FORMAT:
            raise SpecificationError(
                f"{self._path} holds answers of format {header.get('format')}, this plyground "
                f"reads format {FORMAT}"
            )
        if header != self._header:
            raise SpecificationError(f"{self._path} holds no answers about {self._game.spec}")
        try:
            for answer in answers:
                self.free_edges(answer)
        except IllegalActionError as error:
            raise SpecificationError(f"{self._path} is damaged: {error}") from None
        return answers

    def free_edges(self, answer: EdgeProof) -> int:
        """The set of free edges of an answer's position; bit a is action a."""
        free = (1 << self._edges) - 1
        for name in filter(None, answer.drawn.split(",")):
            free &= ~(1 << self._game.text_to_action(name))
        return free

    def add(self, free: int, *result: Any) -> None:
        """Store an answer about the position with these free edges, given its other attributes."""
        drawn = (edge for edge in range(self._edges) if not free >> edge & 1)
        self.answers.append(EdgeProof(",".join(map(self._game.action_to_text, drawn)), *result))
        lines: list[Any] = [self._header, *(answer._asdict() for answer in self.answers)]
        with written_whole(self._path) as file:
            file.write("".join(f"{json.dumps(line)}\n" for line in lines).encode())

    def learn(self, key: int, at_least: int, holds: bool) -> None:
        """Narrow the bounds of a position with an answer."""
        lower, upper = self.bounds.get(key, NO_BOUNDS)
        self.bounds[key] = (
            Bounds(max(lower, at_least), upper)
            if holds
            else Bounds(lower, min(upper, at_least - 2))  # values are all even or all odd
        )
