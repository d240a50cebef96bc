"""A reviewed game: as plain data, as text, and for pages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from ....envs.outcome import PLAYERS
from ....evaluation.pages import notebook_html, page_of
from ....evaluation.played_game import PlayedGame
from ....evaluation.report.display import Name, percent, plain_table
from ....evaluation.report.game_page import game_page
from ....evaluation.report.replays import Frames
from .grades import (
    BEST,
    GOOD,
    GRADES,
    INACCURACY,
    INACCURACY_LOSS,
    MISTAKE,
    MISTAKE_LOSS,
    ONLY_MOVE,
    WORTH,
    PlayerTotals,
    PositionValue,
    ReviewedMove,
)
from .turning_points import story, turning_points
from .words import value_text, verdict

STYLES = {BEST: "green", GOOD: "", INACCURACY: "yellow", MISTAKE: "bold red", ONLY_MOVE: "dim"}
LINE_SHOWN = 8  # moves of a better line on a page


@dataclasses.dataclass(frozen=True)
class Review:
    """A reviewed game.

    Attributes:
        played: the game.
        agent: the specification of the agent that estimated.
        solver_nodes: the solver's node limit per position; None without a solver.
        values: the value of every position, from the initial one: one more than there are moves.
        moves: the moves with their grades, in order.
    """

    played: PlayedGame
    agent: str
    solver_nodes: int | None
    values: tuple[PositionValue, ...]
    moves: tuple[ReviewedMove, ...]

    def totals(self, player: int) -> PlayerTotals:
        """The totals of a player's counted moves."""
        moves = [
            move
            for move in self.moves
            if move.player == player and move.grade != ONLY_MOVE and not move.opening
        ]
        return PlayerTotals(
            len(moves),
            {grade: sum(move.grade == grade for move in moves) for grade in GRADES},
            sum(move.loss for move in moves) / len(moves) if moves else None,
            sum(WORTH[move.grade] for move in moves) / len(moves) if moves else None,
            sum(move.exact for move in moves),
        )

    def to_json(self) -> dict[str, Any]:
        """The review as plain data; actions by number and by name."""
        record = self.played
        return {
            "game": record.game.spec,
            "players": list(record.players),
            "actions": list(record.actions),
            "opening": record.opening,
            "winner": record.winner,
            "reason": record.reason,
            "agent": self.agent,
            "solver_nodes": self.solver_nodes,
            "inaccuracy_loss": INACCURACY_LOSS,
            "mistake_loss": MISTAKE_LOSS,
            "values": [value.to_json(record.game) for value in self.values],
            "moves": [move.to_json(record.game) for move in self.moves],
            "turning_points": [point._asdict() for point in turning_points(self)],
            "totals": [
                dataclasses.asdict(self.totals(player))
                | {"best_share": self.totals(player).best_share}
                for player in range(len(PLAYERS))
            ],
        }

    def print(self, console: Console) -> None:
        """Print the graded moves, the totals, and the sources of the values."""
        game = self.played.game
        players = game.declaration.player_names(marked=True)
        table = plain_table("ply", "", "move", "value after", "grade", left=5)
        for move in self.moves:
            table.add_row(
                str(move.ply + 1),
                players[move.player],
                game.action_to_text(move.action),
                value_text(game, move.after),
                Text("opening" if move.opening else verdict(game, move), STYLES[move.grade]),
            )
        if sentence := story(self):
            console.print(f"{sentence}\n", markup=False, soft_wrap=True)
        console.print(table)
        totals = plain_table("player", *GRADES, "accuracy, %")
        for name, *figures in self._totals_rows():
            totals.add_row(Name(name), *figures)
        console.print()
        console.print(totals)
        console.print(f"\n{self._method_text()}", markup=False, soft_wrap=True)

    def _totals_rows(self, marked: bool = True) -> Iterator[list[str]]:
        """For each player its name, the moves of each grade, and the accuracy in percent."""
        for player, side in enumerate(self.played.game.declaration.player_names(marked=marked)):
            total, name = self.totals(player), self.played.players[player]
            name = side if name == PLAYERS[player] else f"{side} {name}"
            yield [name, *map(str, total.grades.values()), percent(total.accuracy)]

    def _method_text(self, marked: bool = True) -> str:
        """Which values are exact and which are estimates, in a sentence or two."""
        estimates = sum(not value.exact for value in self.values)
        if not estimates:
            return "All values are exact."
        proofs = len(self.values) - estimates
        first = self.played.game.declaration.player_names(marked=marked)[0]
        exact = f"{proofs} of {len(self.values)} values are exact. " if proofs else ""
        return f"{exact}~ marks estimates by {self.agent}: the expected score of {first}."

    def caption(self, ply: int) -> str:
        """The value of the position after this many moves, and the grade of the last move."""
        game = self.played.game
        grade = f"; {verdict(game, self.moves[ply - 1])}" if ply else ""
        return f"{value_text(game, self.values[ply])}{grade}"

    def viewer_data(self, frames: Frames) -> dict[str, Any]:
        """Values, grades and totals as plain data for the viewer of a page."""
        facts = frames.game.facts
        lowest, highest = facts.min_return, facts.max_return
        return {
            "scores": [
                round((value.value - lowest) / (highest - lowest), 4) for value in self.values
            ],
            "exact": [value.exact for value in self.values],
            "values": [value_text(frames.game, value, marked=False) for value in self.values],
            "moves": [_move_data(frames, self.played, move) for move in self.moves],
            "head": ["", *GRADES, "accuracy, %"],
            "totals": list(self._totals_rows(marked=False)),
            "method": " ".join(filter(None, (story(self), self._method_text(marked=False)))),
        }

    def _repr_html_(self) -> str:
        """Notebooks show the review."""
        return notebook_html(self)


@page_of.register
def _page_of_review(review: Review) -> str:
    return game_page([review])


def _move_data(frames: Frames, record: PlayedGame, move: ReviewedMove) -> dict[str, Any]:
    """A grade as text, and the boards of the better line."""
    data: dict[str, Any] = {
        "grade": "book" if move.opening else move.grade,
        "text": "opening" if move.opening else verdict(frames.game, move).partition(";")[0],
    }
    if move.better and not move.opening:
        line = move.line[:LINE_SHOWN]
        changes, _ = frames.of(record.actions[: move.ply] + line)
        data["line"] = {
            "names": [frames.game.action_to_text(action) for action in line],
            "changes": changes[move.ply :],
        }
    return data
