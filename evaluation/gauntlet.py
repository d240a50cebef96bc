"""Measuring a player: against a list of opponents in paired games, and against perfect play.

Training measures learners this way. As in tournaments, the unit of evidence is the pair (one
opening, both seats), and a game that deterministic players repeat counts once. Against perfect play
a learner is measured by its share of optimal moves in a fixed sample of positions, which are drawn
and solved once and then evaluated in one batch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agents.bots import players_of
from ..agents.opponents import make_opponents
from ..agents.solvers.solver import solver_class_of
from ..envs.actions import whole_actions
from ..envs.game import Game, IllegalActionError
from ..envs.loading.settings import OPENING_PLIES
from ..envs.pictures.tables import ResultList
from ..envs.registry import make_game
from ..envs.single_agent.game_batch import GameBatch
from ..envs.single_agent.opponents import errors_of
from .move_quality.judge import MoveJudge
from .move_quality.positions import sample_positions
from .openings import Openings
from .plan import Plan
from .runners.isolation import make_isolated_opponent
from .statistics.intervals import paired_score_interval, share_interval

SOLVING_NODES = 20_000_000  # for each position of the test against perfect play; no clock decides


class GauntletResult(NamedTuple):
    """The result against one opponent.

    Attributes:
        opponent: the opponent's specification.
        games: distinct games played.
        wins, draws, losses: their results.
        score: points per game (a win is one point, a draw half a point).
        low, high: 95 % interval of the score, from the spread of the pairs.
        opening: the source of the openings, such as ``random:4``.
    """

    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float
    opening: str = ""


def evaluate(
    player: Any,
    game: Game | str,
    against: str | Sequence[str] = ("random", "greedy"),
    *,
    pairs: int = 100,
    opening_plies: int = OPENING_PLIES,
    seed: int = 1,
    judged: int = 0,
) -> list[GauntletResult]:
    """Measure any player of any library against agents, and against perfect play.

    If there are fewer openings than pairs, the openings are repeated in the same order, as in a
    tournament.

    Args:
        player: what :func:`~plyground.agents.bots.as_policy` takes. A function
            ``act_batch(observations, masks)`` is given int8 arrays (n, rows, columns, planes) and
            (n, num_actions), as the side to move sees them, and returns n actions.
        game: the game, or its specification.
        against: specifications of agents, or a single one.
        pairs: pairs of games against each opponent. A pair is one opening in both seats.
        opening_plies: random moves of each opening.
        seed: decides the openings, the opponents' random numbers and the positions.
        judged: the number of positions in which its moves are compared with the exact solver's,
            fewer if not enough are solved in time; the last row, ``optimal moves``, is the share
            of optimal moves. 0: no comparison.

    Raises:
        SpecificationError: an agent does not exist or cannot play the game, no opening of that
            length leaves it undecided, or it has no solver.
        IllegalActionError: the player chose an illegal action, or returned none.
    """
    board = make_game(game)
    batch_player = _as_batch_player(player, board)
    rows = _play_opponents(board, batch_player, players_of(against), pairs, opening_plies, seed)
    rows += [_optimality(board, batch_player, judged, seed)] if judged else []
    return ResultList(rows)


class _BatchPlayer:
    """Plays many games by a function of batches, or position by position."""

    def __init__(self, act_batch: Callable[[np.ndarray, np.ndarray], Any]) -> None:
        self._act_batch = act_batch

    def act_batch(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Legal actions, int64 of shape (n,)."""
        with errors_of("the player", SystemExit):  # its other errors show their own traces
            actions = whole_actions(self._act_batch(observations, masks), len(masks))
        exist = (actions >= 0) & (actions < masks.shape[1])
        legal = exist & (masks[np.arange(len(masks)), np.where(exist, actions, 0)] > 0)
        if not legal.all():
            first = int(np.flatnonzero(~legal)[0])
            raise IllegalActionError(
                f"the player chose the illegal action {int(actions[first])}; legal actions: "
                f"{np.flatnonzero(masks[first]).tolist()}"
            )
        return actions


def _as_batch_player(player: Any, game: Game) -> _BatchPlayer:
    single = make_opponents(player, game, make_isolated_opponent)[0].player
    if hasattr(single, "act_batch"):
        return _BatchPlayer(single.act_batch)
    return _BatchPlayer(
        lambda observations, masks: [
            single.act(game.position_from_observation(observation)) for observation in observations
        ]
    )


def _play_opponents(
    game: Game, player: Any, opponents: Sequence[str], pairs: int, opening_plies: int, seed: int
) -> list[GauntletResult]:
    """Play against each opponent from the same openings."""
    if not opponents:
        return []
    opening = f"random:{opening_plies}"
    openings = Openings(Plan(opening=opening, seed=seed), game)
    starts = game.new_records(2 * pairs)
    for pair in range(pairs):
        starts[2 * pair] = starts[2 * pair + 1] = game.position(openings[pair]).record
    seats = np.tile(np.array([0, 1], np.int8), pairs)
    results = (
        _play_opponent(game, player, opponent, starts, seats, seed) for opponent in opponents
    )
    return [result._replace(opening=opening) for result in results]


def _play_opponent(
    game: Game, player: Any, opponent: str, starts: np.ndarray, seats: np.ndarray, seed: int
) -> GauntletResult:
    """Play all games against one opponent, in one batch."""
    count = len(starts)
    against = make_opponents(opponent, game, make_isolated_opponent)
    batch = GameBatch(game, count, against, restart=False)
    batch.reset(seed)
    batch.start_from(starts, seats)
    state = batch.state
    courses = [[start.tobytes()] for start in starts]
    results = np.zeros(count)
    going = np.ones(count, np.bool_)
    while True:
        over = going & state.terminated
        results[over] = state.final_returns[over]
        going &= ~state.terminated
        index = np.flatnonzero(going)
        if not index.size:
            break
        actions = np.zeros(count, np.int64)
        actions[index] = player.act_batch(state.observations[index], state.masks[index])
        batch.step(actions)
        for number in index.tolist():
            courses[number].append(state.positions[number].tobytes())
    batch.close()
    return summarise(
        opponent,
        np.sign(results),
        [b"".join(course) + bytes([seat]) for course, seat in zip(courses, seats)],
    )


def summarise(opponent: str, results: np.ndarray, courses: Sequence[bytes]) -> GauntletResult:
    """The result from the games of all pairs.

    Args:
        opponent: the opponent's specification.
        results: 1, 0 or −1 for each game, shape (2n,) with n > 0; the two games of a pair follow
            each other.
        courses: an identifier of each game's course. A game whose course has occurred before does
            not count, and a pair of two such games is not an observation.
    """
    points = (results + 1) / 2
    earlier: set[bytes] = set()
    pair_scores, counting = [], []
    for first in range(0, len(points), 2):
        new = [index for index in (first, first + 1) if courses[index] not in earlier]
        earlier.update(courses[first : first + 2])
        counting += new
        if new:
            pair_scores.append(points[new].mean())
    wins, draws, losses = (int((results[counting] == value).sum()) for value in (1, 0, -1))
    interval = paired_score_interval(np.array(pair_scores))
    return GauntletResult(opponent, len(counting), wins, draws, losses, *interval)


def _optimality(game: Game, player: Any, count: int, seed: int) -> GauntletResult:
    """The share of optimal moves in positions that are drawn and solved once."""
    observations, masks, optimal = _judged_positions(game, count, seed)
    actions = player.act_batch(observations, masks).tolist()
    hits = np.array([action in best for action, best in zip(actions, optimal)], np.int64)
    share, low, high = share_interval(hits, np.arange(len(hits)))
    wins = int(hits.sum())
    return GauntletResult("optimal moves", len(hits), wins, 0, len(hits) - wins, share, low, high)


@functools.lru_cache(maxsize=4)
def _judged_positions(
    game: Game, count: int, seed: int
) -> tuple[np.ndarray, np.ndarray, list[set[int]]]:
    """Positions: their observations, masks and best actions."""
    judge = MoveJudge(game, node_limit=SOLVING_NODES // solver_class_of(game).node_cost)
    positions = [position for position, _ in sample_positions(judge, count, seed).positions]
    return (
        np.stack([position.observation() for position in positions]),
        np.stack([position.action_mask() for position in positions]),
        [
            {action for action in each.legal_actions() if judge.verdict(each, action)[0] == 0}
            for each in positions
        ],
    )
