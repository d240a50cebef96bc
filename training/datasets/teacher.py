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

import multiprocessing
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from ...agents.agent import Agent
from ...agents.registry import make_agent
from ...envs.compiled.randomness import new_stream
from ...envs.game import Game
from .labels import ILLEGAL_RESULT, ILLEGAL_VALUE, UNKNOWN_RESULT, UNKNOWN_VALUE, Labels
from .positions import POSITION_STREAM, Actions, RandomWalk

MISTAKES = 0.1  # share of the moves that are random
GAMES_AT_ONCE = 20  # games that a process plays before it hands them over

_teacher: Agent  # of a worker process
_game: Game


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


def lessons(game: Game, teacher: str, seed: int, processes: int = 1) -> Iterator[list[Lesson]]:
    """The lessons of one game after the other. No end; the number of processes changes nothing.

    Raises:
        SpecificationError: there is no such agent, or it does not play the game.
    """
    agent = make_agent(teacher, game)  # refuses here what no process could play
    if processes == 1:
        number = 0
        while True:
            yield from play_games(game, agent, seed, number)
            number += 1
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _start, (game, teacher)) as pool:
        waiting: deque[Future[list[list[Lesson]]]] = deque()
        number = 0
        try:
            while True:
                while len(waiting) < 2 * processes:
                    waiting.append(pool.submit(_play_here, seed, number))
                    number += 1
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


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


def _start(game: Game, teacher: str) -> None:
    global _teacher, _game
    _game, _teacher = game, make_agent(teacher, game)


def _play_here(seed: int, number: int) -> list[list[Lesson]]:
    return play_games(_game, _teacher, seed, number)
