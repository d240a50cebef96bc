"""The review of a game as plain data: values of positions, grades of moves, totals of players."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..agents.decision import Score
from ..envs.game import PLAYERS, Game
from ..envs.registry import make_game
from .pages import notebook_html
from .store.store import StoredGame

BEST, GOOD, INACCURACY, MISTAKE = "best", "good", "inaccuracy", "mistake"
ONLY_MOVE = "forced"  # the only legal move; it is not counted
GRADES = (BEST, GOOD, INACCURACY, MISTAKE)
# Losses of expected score from which a move is an inaccuracy, or a mistake.
INACCURACY_LOSS, MISTAKE_LOSS = 0.05, 0.15


@dataclasses.dataclass(frozen=True)
class PositionValue:
    """The value of a position.

    Attributes:
        to_move: the player to move; None once the game is over.
        value: the expected return of player_0, under best play if it is exact.
        exact: whether it is proved.
        score: the value from the side of the player to move (of player_0 once the game is over).
        best: every action with the best value where the solver knows them all, else the agent's
            choice; none once the game is over.
        line: the line of play that the agent expects; see :meth:`Reviewer.line` for the solver's.
        solved: the solver's value from the side of the player to move, in its own unit (connect
            four: stones left; dots and boxes: boxes); None where the solver did not find it.
    """

    to_move: int | None
    value: float
    exact: bool
    score: Score
    best: tuple[int, ...] = ()
    line: tuple[int, ...] = ()
    solved: int | None = None


@dataclasses.dataclass(frozen=True)
class ReviewedMove:
    """A move and its grade.

    Attributes:
        ply: how many actions came before it.
        player: who made it, 0 or 1.
        action: what was played.
        grade: ``best``, ``good``, ``inaccuracy``, ``mistake`` or ``forced``.
        before: the value of the position in which it was made.
        after: the value of the position it led to.
        loss: the expected score that it gives away, from 0 to 1.
        exact: whether the loss is proved.
        change: what became of the result under best play, such as "won to drawn"; None if it did
            not change or is not known.
        solver_loss: the loss in the solver's own unit, where the solver knows it.
        better: better actions; none for a best move.
        line: a line that begins with the first of them.
        reply: the line of play that answers a move that is not a best one.
        opening: whether the move belongs to a given opening; such a move is not counted.
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
    opening: bool = False


@dataclasses.dataclass(frozen=True)
class PlayerTotals:
    """The moves of one player, added up. Openings and forced moves do not count.

    Attributes:
        moves: how many moves count.
        grades: how many of them have each grade.
        mean_loss: the expected score given away by a move on average; None without moves.
        exact: how many of the losses are proved.
    """

    moves: int
    grades: dict[str, int]
    mean_loss: float | None
    exact: int

    @property
    def best_share(self) -> float | None:
        """The share of best moves; None without moves."""
        return self.grades[BEST] / self.moves if self.moves else None


@dataclasses.dataclass(frozen=True)
class PlayedGame:
    """A game to be reviewed, finished or not.

    Attributes:
        game: the game.
        actions: all actions, those of the opening first.
        players: the names of the two sides.
        opening: how many actions belong to a given opening.
        winner: the side that won, None for a draw or an unfinished game.
        reason: why the game ended; empty if it has not.
    """

    game: Game
    actions: tuple[int, ...]
    players: tuple[str, str] = PLAYERS
    opening: int = 0
    winner: int | None = None
    reason: str = ""

    @property
    def ended(self) -> bool:
        """Whether the game has ended, so that no winner means a draw."""
        return self.winner is not None or self.reason != ""

    @classmethod
    def of_actions(
        cls,
        game: Game | str,
        actions: Sequence[int | str],
        players: tuple[str, str] = PLAYERS,
    ) -> PlayedGame:
        """A game given by its actions (numbers or names).

        Raises:
            IllegalActionError: the actions cannot be played.
        """
        made = make_game(game)
        numbers = tuple(
            made.text_to_action(each) if isinstance(each, str) else int(each) for each in actions
        )
        outcome = made.position(numbers).outcome
        if outcome is None:
            return cls(made, numbers, players)
        return cls(made, numbers, players, winner=outcome.winner, reason=outcome.reason)

    @classmethod
    def of_stored(
        cls, game: Game | str, entry: StoredGame, players: tuple[str, str] = PLAYERS
    ) -> PlayedGame:
        """A game of a store.

        Raises:
            IllegalActionError: the game was played by other rules than those installed.
        """
        made, result = make_game(game), entry.result
        made.position(result.moves)
        return cls(made, result.moves, players, len(entry.opening), result.winner, result.reason)

    def _repr_html_(self) -> str:
        """Notebooks show the game, move by move."""
        return notebook_html(self)


@dataclasses.dataclass(frozen=True)
class Review:
    """A reviewed game.

    Attributes:
        played: the game.
        agent: the specification of the agent that estimated.
        solver_nodes: the solver's nodes for a position; None where the game has no solver.
        values: the value of every position, the initial one first: one more than there are moves.
        moves: the moves with their grades, the first one first.
    """

    played: PlayedGame
    agent: str
    solver_nodes: int | None
    values: tuple[PositionValue, ...]
    moves: tuple[ReviewedMove, ...]

    def totals(self, player: int) -> PlayerTotals:
        """The counted moves of a player, added up."""
        moves = [
            move
            for move in self.moves
            if move.player == player and move.grade != ONLY_MOVE and not move.opening
        ]
        return PlayerTotals(
            len(moves),
            {grade: sum(move.grade == grade for move in moves) for grade in GRADES},
            sum(move.loss for move in moves) / len(moves) if moves else None,
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
            "values": [value_json(record.game, value) for value in self.values],
            "moves": [move_json(record.game, move) for move in self.moves],
            "totals": [
                dataclasses.asdict(self.totals(player))
                | {"best_share": self.totals(player).best_share}
                for player in range(len(PLAYERS))
            ],
        }

    def _repr_html_(self) -> str:
        """Notebooks show the review."""
        return notebook_html(self)


def value_json(game: Game, value: PositionValue) -> dict[str, Any]:
    """A value as plain data; ``expected_score`` is that of player_0, from 0 to 1."""
    facts = game.facts
    return {
        "to_move": value.to_move,
        "value": value.value,
        "expected_score": (value.value - facts.min_return) / (facts.max_return - facts.min_return),
        "exact": value.exact,
        "score": value.score.to_json(),
        "text": value.score.text(margin=facts.max_return != 1),
        "best": list(value.best),
        "best_names": [game.action_to_text(action) for action in value.best],
        "solved": value.solved,
    }


def move_json(game: Game, move: ReviewedMove) -> dict[str, Any]:
    """A graded move as plain data; values are those of player_0 and of the mover."""
    names = game.action_to_text
    return {
        "ply": move.ply,
        "player": move.player,
        "action": move.action,
        "name": names(move.action),
        "grade": move.grade,
        "before": from_first(move.before.value, move.player),
        "after": from_first(move.after.value, move.player),
        "loss": move.loss,
        "exact": move.exact,
        "change": move.change,
        "solver_loss": move.solver_loss,
        "opening": move.opening,
        **{
            key: {"actions": list(actions), "names": [names(action) for action in actions]}
            for key, actions in (
                ("better", move.better),
                ("line", move.line),
                ("reply", move.reply),
            )
        },
    }


def from_first(value: float, player: int) -> float:
    """A value of player_0 as one of a player, or the other way round."""
    return -value + 0.0 if player else value
