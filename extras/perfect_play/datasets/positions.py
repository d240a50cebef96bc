"""The positions of a dataset: unique, from random play or from games, spread over the plies.

Two positions count as one if a symmetry of the board maps one to the other. Choice and order depend
only on the game, the settings and the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from ....agents.agent import Agent
from ....envs.canonical import CanonicalForm
from ....envs.compiled.randomness import new_stream
from ....envs.game import Game, Position
from ....envs.specification import SpecificationError
from ....envs.stepping import random_walk

Actions = tuple[int, ...]
Report = Callable[[int, int], None]  # positions so far, and their total

POSITION_STREAM = 0x64617461  # separates these random numbers from the agents'
MAX_FAILURES = 5_000  # consecutive random walks without a new position, before a ply is given up
MAX_GAMES_WITHOUT_NEW = 100  # consecutive games without a new position, before drawing ends
RANDOM_PLIES = 8  # an agent's game starts with 0 to this many random moves


class PositionSet:
    """Positions up to symmetry."""

    def __init__(self, game: Game) -> None:
        self._canonical = CanonicalForm(game)
        self._seen: set[bytes] = set()

    def add(self, position: Position) -> bool:
        """Add a position if it is new and unfinished; returns whether it was added."""
        form, _ = self._canonical(position)
        if position.is_over or form in self._seen:
            return False
        self._seen.add(form)
        return True


class RandomWalk:
    """Draws positions by uniformly random moves from the initial position."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._scratch = np.empty(game.facts.num_actions, np.int16)

    def draw(self, plies: int, rng: np.ndarray) -> tuple[Position | None, Actions]:
        """The position after this many moves, and the moves; None if the game ended before."""
        position, out = self.game.initial_position(), np.empty(plies, np.int16)
        if not random_walk(self.game.rules, position.record, rng, self._scratch, out):
            return None, ()
        return position, tuple(out.tolist())

    def draw_start(
        self, generator: np.random.Generator, rng: np.ndarray
    ) -> tuple[Position, Actions]:
        """The position after 0 to ``RANDOM_PLIES`` random moves, and the moves."""
        while True:
            position, actions = self.draw(int(generator.integers(RANDOM_PLIES + 1)), rng)
            if position is not None:
                return position, actions


def check_plies(game: Game, plies: range) -> None:
    """Refuse impossible plies, with a SpecificationError."""
    if not plies or plies.start < 0 or plies.stop > game.facts.longest_game:
        raise SpecificationError(
            f"plies {plies.start} to {plies.stop - 1} are not possible; an unfinished position of "
            f"{game.spec} has 0 to {game.facts.longest_game - 1}"
        )


def positions_of_random_play(
    game: Game, count: int, plies: range, seed: int, progress: Report | None = None
) -> list[Actions]:
    """Positions after random moves, spread evenly over the plies, in ascending order of plies.

    If a ply has too few (connect four has four positions after one move, up to symmetry; random
    games may all be far shorter than the longest), the others get more.

    Returns:
        The actions that lead to each position; fewer than ``count`` if there are no more.
    """
    drawn, positions, walk = list[Actions](), PositionSet(game), RandomWalk(game)
    streams = {ply: new_stream(seed, POSITION_STREAM, ply) for ply in plies}
    while streams and len(drawn) < count:
        for plies_left, ply in zip(range(len(streams), 0, -1), list(streams)):
            missing = (count - len(drawn)) // plies_left
            failures, is_reached = 0, False
            while missing > 0 and failures < MAX_FAILURES:
                position, actions = walk.draw(ply, streams[ply])
                is_reached |= position is not None
                if position is None or not positions.add(position):
                    failures += 1
                    continue
                drawn.append(actions)
                missing, failures = missing - 1, 0
                if progress is not None:
                    progress(len(drawn), count)
            if missing > 0:
                del streams[ply]
            if missing > 0 and not is_reached:  # then no later ply is
                streams = {each: streams[each] for each in streams if each < ply}
                break
    return sorted(drawn, key=len)


def positions_of_games(
    game: Game, games: Iterable[Actions], count: int, plies: range, progress: Report | None = None
) -> list[Actions]:
    """Positions from games, an equal share at each ply, in the order of the games.

    If some plies have too few, further positions of the others follow.

    Args:
        game: the game.
        games: the actions of each game, from the initial position.
        count: the number of positions.
        plies: the allowed plies.
        progress: called with the number of positions so far and their total.

    Returns:
        The actions that lead to each position; fewer than ``count`` if the games have no more.
    """
    chosen, further, positions = list[Actions](), list[Actions](), PositionSet(game)
    room = {ply: count // len(plies) + (i < count % len(plies)) for i, ply in enumerate(plies)}
    without_new = 0
    for actions in games:
        before = len(chosen) + len(further)
        position = game.initial_position()
        for ply, action in enumerate((*actions, -1)):
            place = chosen if room.get(ply, 0) > 0 else further
            if ply in room and len(place) < count and positions.add(position):
                place.append(tuple(actions[:ply]))
                room[ply] -= 1
            if action >= 0:
                position.play(action)
        if progress is not None:
            progress(len(chosen), count)
        without_new = 0 if len(chosen) + len(further) > before else without_new + 1
        if len(chosen) >= count or without_new >= MAX_GAMES_WITHOUT_NEW:
            break
    return (chosen + further)[:count]


def games_of_agent(game: Game, agent: Agent, seed: int) -> Iterator[Actions]:
    """Endless games of an agent against itself, each after 0 to ``RANDOM_PLIES`` random moves."""
    rng = new_stream(seed, POSITION_STREAM)
    generator = np.random.default_rng(int(rng[0]))
    walk = RandomWalk(game)
    while True:
        position, start = walk.draw_start(generator, rng)
        agent.reset(int(generator.integers(2**31)))
        actions = list(start)
        while not position.is_over:
            actions.append(agent.act(position))
            position.play(actions[-1])
        yield tuple(actions)
