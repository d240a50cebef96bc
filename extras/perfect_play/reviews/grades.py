"""Values of positions, grades of moves, totals of players."""

from __future__ import annotations

import dataclasses
from typing import Any

from ....agents.decision import Score
from ....envs.game import Game

BEST, GOOD, INACCURACY, MISTAKE = "best", "good", "inaccuracy", "mistake"
ONLY_MOVE = "forced"  # the only legal move; it is not counted
GRADES = (BEST, GOOD, INACCURACY, MISTAKE)
# Losses of expected score from which a move is an inaccuracy, or a mistake.
INACCURACY_LOSS, MISTAKE_LOSS = 0.05, 0.15
# What a move of a grade counts in a player's accuracy.
WORTH = {BEST: 1.0, GOOD: 1.0, INACCURACY: 0.5, MISTAKE: 0.0}


@dataclasses.dataclass(frozen=True)
class PositionValue:
    """The value of a position.

    Attributes:
        to_move: the player to move; None once the game is over.
        value: the expected return of player_0, under best play if it is exact.
        exact: whether it is proved.
        score: the value from the side of the player to move (of player_0 once the game is over).
        best: every action with the best value if the solver knows all values, else the agent's
            choice; empty once the game is over.
        line: the agent's principal variation; see :meth:`Reviewer.line` for the solver's.
        solved: the solver's value from the side of the player to move, in its own unit (connect
            four: stones left; dots and boxes: boxes); None if it was not solved.
    """

    to_move: int | None
    value: float
    exact: bool
    score: Score
    best: tuple[int, ...] = ()
    line: tuple[int, ...] = ()
    solved: int | None = None

    def to_json(self, game: Game) -> dict[str, Any]:
        """A value as plain data; ``expected_score`` is for player_0, from 0 to 1."""
        facts = game.facts
        width = facts.max_return - facts.min_return
        return {
            "to_move": self.to_move,
            "value": self.value,
            "expected_score": (self.value - facts.min_return) / width,
            "exact": self.exact,
            "score": self.score.to_json(),
            "text": self.score.text(margin=facts.max_return != 1),
            "best": list(self.best),
            "best_names": [game.action_to_text(action) for action in self.best],
            "solved": self.solved,
        }


@dataclasses.dataclass(frozen=True)
class ReviewedMove:
    """A move and its grade.

    Attributes:
        ply: the number of actions before it.
        player: the player who made it, 0 or 1.
        action: the action played.
        grade: ``best``, ``good``, ``inaccuracy``, ``mistake`` or ``forced``.
        before: the value of the position in which it was made.
        after: the value of the position it led to.
        loss: the loss of expected score, from 0 to 1.
        exact: whether the loss is proved.
        change: the change of the result under best play, such as "won to drawn"; None if it did
            not change or is not known.
        solver_loss: the loss in the solver's own unit, if known.
        better: better actions; empty for a best move.
        line: a line that begins with the first of them.
        reply: the best reply to a move that is not best, as a line.
        missed: ``win`` if an action that won at once was not played, ``block`` if the move lets the
            opponent win at once and another did not, ``hastened`` if it halves the rest of a lost
            game; else None.
        threats: the actions that win at once: the mover's for ``win``, the opponent's for
            ``block``.
        opening: whether the move belongs to a given opening; such moves do not count.
    """

    ply: int
    player: int
    action: int
    grade: str
    before: PositionValue
    after: PositionValue
    loss: float
    exact: bool
    change: str | None = None
    solver_loss: int | None = None
    better: tuple[int, ...] = ()
    line: tuple[int, ...] = ()
    reply: tuple[int, ...] = ()
    missed: str | None = None
    threats: tuple[int, ...] = ()
    opening: bool = False

    def to_json(self, game: Game) -> dict[str, Any]:
        """A graded move as plain data; ``before`` and ``after`` are values for the mover."""
        names = game.action_to_text
        return {
            "ply": self.ply,
            "player": self.player,
            "action": self.action,
            "name": names(self.action),
            "grade": self.grade,
            "before": from_first(self.before.value, self.player),
            "after": from_first(self.after.value, self.player),
            "loss": self.loss,
            "exact": self.exact,
            "change": self.change,
            "solver_loss": self.solver_loss,
            "missed": self.missed,
            "opening": self.opening,
            **{
                key: {"actions": list(actions), "names": [names(action) for action in actions]}
                for key, actions in (
                    ("better", self.better),
                    ("line", self.line),
                    ("reply", self.reply),
                    ("threats", self.threats),
                )
            },
        }


@dataclasses.dataclass(frozen=True)
class PlayerTotals:
    """The moves of one player, added up. Openings and forced moves do not count.

    Attributes:
        moves: the number of moves that count.
        grades: the number of moves by grade.
        mean_loss: the mean loss of expected score per move; None without moves.
        accuracy: the mean of 1 for a best or good move, 0.5 for an inaccuracy, 0 for a mistake;
            None without moves.
        exact: the number of proved losses.
    """

    moves: int
    grades: dict[str, int]
    mean_loss: float | None
    accuracy: float | None
    exact: int

    @property
    def best_share(self) -> float | None:
        """The share of best moves; None without moves."""
        return self.grades[BEST] / self.moves if self.moves else None


def from_first(value: float, player: int) -> float:
    """Convert a value for player_0 to a value for a player, or back."""
    return -value + 0.0 if player else value
