"""Positions with the answers of a teacher: an agent that plays games against itself.

Where no solver reaches, a strong search can still be imitated. Each position holds the action that
the teacher chose, and how the game ended for the player to move. Now and then a random move is
played in place of the teacher's, so that the positions hold mistakes and how they are punished; the
teacher's own choice stands in the dataset all the same.

Source: Silver et al., "Mastering the game of Go with deep neural networks and tree search", Nature
2016 (a policy and a value taught by games); Ross, Gordon, Bagnell, "A reduction of imitation
learning and structured prediction to no-regret online learning", AISTATS 2011 (why the positions
must hold mistakes).
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

MISTAKES = 0.1  # share of the moves that are random
GAMES_AT_ONCE = 20  # games that a process plays before it hands them over


class Lesson(NamedTuple):
    """A position with the teacher's answer.

    Attributes:
        actions: the actions that lead to it.
        answer: the action that the teacher chose.
        to_come: what the player to move got from there to the end of the game.
        result: +1 if that player won in the end, 0 for a draw, −1 for a loss.
    """

    actions: Actions
    answer: int
    to_come: int
    result: int


def lessons(game: Game, teacher: str, seed: int, place: JobPlace = HERE) -> Iterator[list[Lesson]]:
    """The lessons of one game after the other. No end; where they are played changes nothing.

    Raises:
        SpecificationError: there is no such agent, or it does not play the game.
        RunnerError: nothing can be played there.
    """
    make_agent(teacher, game)  # refuses here what no process could play
    work = Work(
        _play, functools.partial(_make, game, teacher, seed), Needs(modules_of(teacher, game))
    )
    with place.open(work) as jobs:
        for _, games in jobs.results(itertools.count(), in_order=True):
            yield from games


def play_games(game: Game, agent: Agent, seed: int, number: int) -> list[list[Lesson]]:
    """The games of one lot; ``seed`` and ``number`` decide what is random in them."""
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
    """The labels of lessons: only the teacher's choice is known, by how its game ended."""
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
