"""Review of a game: the value of every position, the grade of every move, the better move.

Values are exact if the game's solver proves them within a number of nodes, or if the analysing
agent proves them. Otherwise they are the agent's estimates, and marked as such.

Positions are evaluated from the last to the first: late ones are solved first, and the solver's
table then helps with earlier ones. Once positions take too many nodes, the solver is not used for
earlier ones. Proofs are propagated along the game: the position before a winning move is won, and a
move from a lost position, or the best move of a proved position, keeps the value.

A move is compared with the best one of its position:

- by the solver's values of all moves, if they are known;
- else by the agent's values of the positions after both moves. Both are analysed from the same side
  and with the same budget, so that neither is favoured.

The difference is the **loss** of expected score, from 0 (none) to 1 (a win becomes a loss).
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ....agents import Agent, Decision, make_agent
from ....agents.decision import Score
from ....agents.human import refuse_people
from ....agents.solvers.solver import has_solver, solver_class_of
from ....envs.game import Game, Position
from ....envs.outcome import PLAYERS
from ....envs.registry import make_game
from ....envs.specification import SpecificationError
from ....evaluation.move_quality.judge import MoveJudge
from ....evaluation.move_quality.missed import HASTENED, MISSED_BLOCK, MISSED_WIN, missed_in
from ....evaluation.played_game import PlayedGame
from ....evaluation.reviews import Progress, estimator_of
from ....evaluation.store.store import StoredGame
from .grades import (
    BEST,
    GOOD,
    INACCURACY,
    INACCURACY_LOSS,
    MISTAKE,
    MISTAKE_LOSS,
    ONLY_MOVE,
    PositionValue,
    ReviewedMove,
    from_first,
)
from .review import Review

NEGLIGIBLE = 1e-9
SOLVER_NODES = 2_000_000  # for all moves of one position
SOLVER_MEMORY_MB = 128
MOST_UNSOLVED = 2  # unsolved positions, after which earlier ones are left to the agent
RESULTS = {1: "won", 0: "drawn", -1: "lost"}


class Reviewer:
    """Evaluates positions and grades moves of one game, with a cache.

    Args:
        game: the game.
        agent: the agent for positions that are not solved, or its specification; by default
            :func:`~plyground.evaluation.reviews.estimator_of`.
        seed: the agent's seed, set again for every position.
        solver_nodes: the solver's node limit per position, lower if nodes are expensive
            (``Solver.node_cost``); 0 disables the solver.
        memory_mb: size of the solver's table in MiB.

    Raises:
        SpecificationError: there is no such agent, or it cannot play or evaluate the game.
    """

    def __init__(
        self,
        game: Game | str,
        agent: str | Agent | None = None,
        seed: int = 1,
        solver_nodes: int = SOLVER_NODES,
        memory_mb: int = SOLVER_MEMORY_MB,
    ) -> None:
        self.game: Game = make_game(game)
        estimator = estimator_of(self.game) if agent is None else agent
        refuse_people([str(estimator)], "a review")
        self._agent, self._seed = make_agent(estimator, self.game, seed), seed
        self._judge = _judge_of(self.game, solver_nodes, memory_mb)
        self._unsolved: list[int] = []  # the plies left in positions that took too long, ascending
        self._values: dict[bytes, PositionValue] = {}  # by positions as records

    @property
    def agent(self) -> str:
        """The specification of the agent that estimates."""
        return self._agent.spec

    @property
    def solver_nodes(self) -> int | None:
        """The solver's node limit per position; None without a solver."""
        return None if self._judge is None else self._judge.node_limit

    def value(self, position: Position, action: int | None = None) -> PositionValue:
        """The value of a position: exact if solved, else the agent's estimate.

        Args:
            position: the position.
            action: the action played in it, if known: if it is proved to win, so is the position.
        """
        if (key := position.record.tobytes()) not in self._values:
            self._values[key] = self._find(position, action)
        return self._values[key]

    def _find(self, position: Position, action: int | None) -> PositionValue:
        if position.is_over:
            first = position.returns[0]
            return PositionValue(None, first, True, Score(first, kind="exact"))
        value = self._solver_value(position)
        if value is None and action is not None:
            value = self._won_by(position, action)
        return value or self._estimate(position)

    def _won_by(self, position: Position, action: int) -> PositionValue | None:
        """The value of a position in which an action is proved to win; None if it is not."""
        after, most = self.value(position.after(action)), self.game.facts.max_return
        if not after.exact or from_first(after.value, position.to_move) < most:
            return None
        score, line = Score(most, kind="exact"), (action, *after.line)
        return PositionValue(position.to_move, after.value, True, score, (action,), line)

    def _carry_on(self, position: Position, action: int) -> None:
        """Propagate a proof that decides the value after an action."""
        before, child = self.value(position), position.after(action)
        after, player = self.value(child), position.to_move
        if not before.exact or after.exact:
            return
        worth = from_first(before.value, player)
        if before.solved is not None and self._judge is not None:
            value = (self._judge.values(position) or {})[action]
            worth = self._judge.solver.expected_return(position, value)
        elif action not in before.best and worth > self.game.facts.min_return:
            return  # another action is proved, and this one may be worse
        first = from_first(worth, player)
        score = Score(from_first(first, child.to_move), kind="exact")
        proof = dataclasses.replace(after, value=first, exact=True, score=score)
        if before.line[:1] == (action,) and len(before.line) > 1:
            proof = dataclasses.replace(proof, best=before.line[1:2], line=before.line[1:])
        self._values[child.record.tobytes()] = proof

    def _solver_value(self, position: Position) -> PositionValue | None:
        """The value by the solver; None if there is none or it took too long."""
        values = self._solver_values(position)
        if values is None:
            return None
        assert self._judge is not None
        best = max(values.values())
        worth = self._judge.solver.expected_return(position, best)
        return PositionValue(
            position.to_move,
            from_first(worth, position.to_move),
            True,
            Score(worth, kind="exact"),
            tuple(action for action, value in sorted(values.items()) if value == best),
            solved=best,
        )

    def _solver_values(self, position: Position) -> dict[int, int] | None:
        """The solver's value of every legal action; None if they are not known in time."""
        if self._judge is None:
            return None
        left = self._judge.solver.plies_left(position)
        hopeless = len(self._unsolved) >= MOST_UNSOLVED and left >= self._unsolved[-1]
        if hopeless and not self._judge.knows(position):
            return None
        in_memory = self._judge.knows(position)
        values = self._judge.values(position)
        if values is None and not in_memory:
            self._unsolved = sorted([*self._unsolved, left])[:MOST_UNSOLVED]
        return None if values is None else dict(values)

    def _estimate(self, position: Position) -> PositionValue:
        """The agent's value, which may be proved."""
        self._agent.get_ready(self.game)
        self._agent.reset(self._seed)
        decision: Decision = self._agent.analyse(position)
        score = decision.score
        if score is None:
            raise SpecificationError(
                f"{self.agent} does not evaluate positions; use an agent that does, such as "
                f"{estimator_of(self.game)}"
            )
        scale, worth = self.game.facts.max_return, score.level
        if score.unit == "points":
            worth = scale * self.game.profile.scale(worth)
        return PositionValue(
            position.to_move,
            from_first(worth, position.to_move),
            score.is_exact,
            score,
            (decision.action,),
            decision.principal_variation,
        )

    def line(self, position: Position) -> tuple[int, ...]:
        """A line of best play, by the solver or by the agent."""
        value = self.value(position)
        if value.solved is None or self._judge is None:
            return value.line
        solution = self._judge.solve(position)
        return solution.principal_variation if solution.exact else value.best[:1]

    def grade(self, position: Position, action: int, ply: int = 0) -> ReviewedMove:
        """Grade an action of a position.

        Args:
            position: a position that is not over.
            action: a legal action.
            ply: the number of actions before; only recorded.

        Raises:
            IllegalActionError: the action is illegal.
        """
        child, player = position.after(action), position.to_move
        before = self.value(position, action)
        self._carry_on(position, action)
        after = self.value(child)
        move = ReviewedMove(ply, player, action, ONLY_MOVE, before, after, 0.0, True)
        if len(position.legal_actions()) == 1:
            return move
        attainable = self._attainable(position, before, after, action)
        facts, lost = self.game.facts, None
        sacrifice = from_first(attainable.value - after.value, player)
        loss = max(0.0, sacrifice / (facts.max_return - facts.min_return))
        if before.solved is not None and self._judge is not None:
            lost = self._judge.verdict(position, action)[0]
        change = _change(player, attainable, after)
        missed, threats, instead = missed_in(position, action)
        if missed is None and change is None and lost and self._judge is not None:
            missed = HASTENED if self._judge.hastens(position, lost) else None
        grade = _grade(loss, change, lost, missed)
        exact = attainable.exact and after.exact
        move = dataclasses.replace(
            move, grade=grade, loss=loss, exact=exact, change=change, solver_loss=lost,
            missed=missed, threats=threats,
        )  # fmt: skip
        if grade == BEST:
            return move
        better, line = before.best, self.line(position)
        if missed == MISSED_WIN:
            better, line = instead, instead[:1]
        elif missed == MISSED_BLOCK:
            better = tuple(each for each in better if each in instead) or instead
            line = line if line[:1] and line[0] in better else better[:1]
        reply = () if child.is_over else self.line(child)
        return dataclasses.replace(move, better=better, line=line, reply=reply)

    def _attainable(
        self, position: Position, before: PositionValue, after: PositionValue, action: int
    ) -> PositionValue:
        """The value after the best action, evaluated like the action itself."""
        if before.exact:
            return before
        if action in before.best:
            return after
        return self.value(position.after(before.best[0]))

    def values(self, record: PlayedGame) -> Iterator[tuple[int, PositionValue]]:
        """Evaluate the positions of a game one by one, the last one first, each with its ply."""
        positions = self._positions(record)
        for ply in reversed(range(len(positions))):
            yield ply, self.value(positions[ply], *record.actions[ply : ply + 1])
        for position, action in zip(positions, record.actions):
            self._carry_on(position, action)

    def _positions(self, record: PlayedGame) -> list[Position]:
        positions = [self.game.initial_position()]
        for action in record.actions:
            positions.append(positions[-1].after(action))
        return positions

    def moves(self, record: PlayedGame) -> Iterator[ReviewedMove]:
        """Grade the moves of a game one by one, the last one first, after evaluating all."""
        for _ in self.values(record):
            pass
        positions = self._positions(record)
        for ply in reversed(range(len(record.actions))):
            move = self.grade(positions[ply], record.actions[ply], ply)
            yield dataclasses.replace(move, opening=ply < record.opening)

    def review(self, record: PlayedGame, progress: Progress | None = None) -> Review:
        """Review a game; ``progress`` is called with the steps done and their total."""
        moves: list[ReviewedMove] = []
        steps = itertools.chain(self.values(record), self.moves(record))
        for number, step in enumerate(steps, 1):
            if isinstance(step, ReviewedMove):
                moves.append(step)
            if progress is not None:
                progress(number, 2 * len(record.actions) + 1)
        return self.assemble(record, moves)

    def assemble(self, record: PlayedGame, moves: Sequence[ReviewedMove]) -> Review:
        """The review made of these moves, given in any order."""
        in_order = tuple(sorted(moves, key=lambda move: move.ply))
        last = in_order[-1].after if in_order else self.value(self.game.initial_position())
        values = (*(move.before for move in in_order), last)
        return Review(record, self.agent, self.solver_nodes, values, in_order)


def review(
    game: Game | str,
    played: StoredGame | Sequence[int | str],
    players: tuple[str, str] = PLAYERS,
    progress: Progress | None = None,
    **options: Any,
) -> Review:
    """Review a game.

    Args:
        game: the game or its specification.
        played: a game of a store, or the actions (numbers or names).
        players: the names of the two sides.
        progress: called with the number of positions and moves done and their total.
        options: options of :class:`Reviewer`: ``agent``, ``seed``, ``solver_nodes``, ``memory_mb``.

    Raises:
        IllegalActionError: the actions cannot be played.
        SpecificationError: the agent cannot review this game.
    """
    record = (
        PlayedGame.of_stored(game, played, players)
        if isinstance(played, StoredGame)
        else PlayedGame.of_actions(game, played, players)
    )
    return Reviewer(record.game, **options).review(record, progress)


def _judge_of(game: Game, nodes: int, memory_mb: int) -> MoveJudge | None:
    """The solver of a review; None if there is none or it is disabled."""
    if nodes <= 0 or not has_solver(game):
        return None
    solver_class = solver_class_of(game)
    memory_mb = max(memory_mb, solver_class.least_memory_mb(game))
    return MoveJudge(game, memory_mb, node_limit=max(1, nodes // solver_class.node_cost))


def _change(player: int, attainable: PositionValue, after: PositionValue) -> str | None:
    """How an action changed the result under best play; None if it did not, or is not known."""
    if not (attainable.exact and after.exact):
        return None
    results = [from_first(each.value, player) for each in (attainable, after)]
    first, second = ((value > 0) - (value < 0) for value in results)
    return f"{RESULTS[first]} to {RESULTS[second]}" if second < first else None


def _grade(loss: float, change: str | None, solver_loss: int | None, missed: str | None) -> str:
    if change is not None or loss >= MISTAKE_LOSS or missed == MISSED_BLOCK:
        return MISTAKE
    if loss >= INACCURACY_LOSS or missed is not None:
        return INACCURACY
    return GOOD if loss > NEGLIGIBLE or solver_loss else BEST
