"""Positions with the moves of a teacher: an agent that plays games against itself.

On boards too large for a solver, a strong search can be imitated. Each position has the action that
the teacher chose, and the result of the game for the player to move. From time to time a random
move is played instead, so that the positions include mistakes and their punishment; the dataset
still has the teacher's choice.

Source: Silver et al., "Mastering the game of Go with deep neural networks and tree search", Nature
2016 (a policy and a value learnt from games); Ross, Gordon, Bagnell, "A reduction of imitation
learning and structured prediction to no-regret online learning", AISTATS 2011 (why the positions
must include mistakes).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ....agents.agent import Agent
from ....agents.registry import make_agent, modules_of
from ....envs.compiled.randomness import new_stream
from ....envs.game import Game
from ....envs.workers.jobs import HERE, JobPlace, Needs, Work
from .labels import ILLEGAL_RESULT, ILLEGAL_VALUE, UNKNOWN_RESULT, UNKNOWN_VALUE, Labels
from .positions import POSITION_STREAM, Actions, RandomWalk

MISTAKES = 0.1  # share of random moves
GAMES_AT_ONCE = 20  # games that a process plays before it returns them


class Lesson(NamedTuple):
    """A position with the teacher's move.

    Attributes:
        actions: the actions that lead to it.
        answer: the action that the teacher chose.
        to_come: the rewards of the player to move from there to the end of the game.
        result: +1 if that player won the game, 0 for a draw, −1 for a loss.
    """

    actions: Actions
    answer: int
    to_come: int
    result: int


def lessons(game: Game, teacher: str, seed: int, place: JobPlace = HERE) -> Iterator[list[Lesson]]:
    """The endless lessons of game after game; they do not depend on where they are played.

    Raises:
        SpecificationError: there is no such agent, or it does not play the game.
        RunnerError: the place cannot play.
    """
    make_agent(teacher, game)  # refuse an impossible teacher here
    work = Work(
        _play, functools.partial(_make, game, teacher, seed), Needs(modules_of(teacher, game))
    )
    with place.open(work) as jobs:
        for _, games in jobs.results(itertools.count(), in_order=True):
            yield from games


def play_games(game: Game, agent: Agent, seed: int, number: int) -> list[list[Lesson]]:
    """The games of one batch; ``seed`` and ``number`` seed its random choices."""
    rng = new_stream(seed, POSITION_STREAM, number)
    generator, walk = np.random.default_rng([seed, number]), RandomWalk(game)
    games: list[list[Lesson]] = []
    while len(games) < GAMES_AT_ONCE:
        position, start = walk.draw_start(generator, rng)
        agent.reset(int(generator.integers(2**31)))
        actions, turns = list(start), []
        while not position.is_over:
            answer = agent.act(position)
            turns.append((tuple(actions), answer, position.to_move, position.returns))
            legal = position.legal_actions()
            mistake = generator.random() < MISTAKES
            actions.append(legal[generator.integers(len(legal))] if mistake else answer)
            position.play(actions[-1])
        returns = position.returns
        games.append(
            [
                Lesson(
                    before,
                    answer,
                    round(returns[mover] - points[mover]),
                    int(np.sign(returns[mover])),
                )
                for before, answer, mover, points in turns
            ]
        )
    return games


def labels_of(game: Game, answers: list[Lesson]) -> Labels:
    """The labels of lessons: only the teacher's choice is known, by the result of its game."""
    shape = (len(answers), game.facts.num_actions)
    values, results = np.full(shape, ILLEGAL_VALUE), np.full(shape, ILLEGAL_RESULT)
    for row, lesson in enumerate(answers):
        legal = game.position(lesson.actions).legal_actions()
        values[row, legal], results[row, legal] = UNKNOWN_VALUE, UNKNOWN_RESULT
        values[row, lesson.answer], results[row, lesson.answer] = lesson.to_come, lesson.result
    return Labels(values, results)


def _make(game: Game, teacher: str, seed: int) -> tuple[Game, Agent, int]:
    return game, make_agent(teacher, game), seed


def _play(prepared: tuple[Game, Agent, int], number: int) -> list[list[Lesson]]:
    return play_games(*prepared, number)
