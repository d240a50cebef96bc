"""Functions of users are told apart by the arguments that they must be given."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from plyground import make_agent, make_game
from plyground.agents.bots import NotAPolicyError, as_policy
from plyground.envs import Position
from plyground.envs.loading.signatures import UNREADABLE, read_signature
from plyground.evaluation import evaluate

pytestmark = pytest.mark.thorough

GAME = "tic_tac_toe"


def first(position, *_, holds=True):
    assert isinstance(position, Position)
    assert holds
    return position.legal_actions()[0]


def first_of_each(observations, masks):
    """Of batches: this fails where it is given one position."""
    assert observations.shape == (len(masks), 3, 3, 2)
    return masks.argmax(axis=1)


def by_position(position, /):
    return first(position)


def observation_and_mask(observation, action_mask):
    return first_of_each(observation, action_mask)


class Acts:
    def act(self, position):
        return first(position)


class ActsWithOption:
    def act(self, position, depth=3):
        return first(position, holds=depth == 3)


class ActsOnBatches:
    def act_batch(self, observations, masks):
        return first_of_each(observations, masks)


class Called:
    def __call__(self, position, depth=3):
        return first(position, holds=depth == 3)


class CalledOnBatches:
    def __call__(self, observations, masks):
        return first_of_each(observations, masks)


class Written:  # as a function written in C: it has no signature that can be read
    __signature__ = "none"

    def __call__(self, *arguments):
        (position,) = arguments
        return first(position)


def make_one(depth=3):
    assert depth == 3
    return Acts()


SINGLE = {
    "position": lambda position: position.legal_actions()[0],
    "position, default": lambda position, depth=3: first(position, holds=depth == 3),
    "position, defaults": lambda position, depth=3, width=2: first(position, holds=depth > width),
    "position, keywords": lambda position, *, depth=3, **more: first(position, holds=not more),
    # None where a position has no history
    "position, moves": lambda position, moves: first(position, holds=moves == position.moves),
    "moves by name": lambda position, *, moves: first(position, holds=moves == position.moves),
    "position only by position": by_position,
    "position, the rest": first,
    "partial": functools.partial(lambda depth, position: first(position, holds=depth == 3), 3),
    "partial by name": functools.partial(lambda position, depth: first(position), depth=3),
    "method": Acts().act,
    "method with default": ActsWithOption().act,
    "object called": Called(),
    "object without a signature": Written(),
    "object with act": Acts(),
    "object with act, default": ActsWithOption(),
    "class": Acts,
    "class of objects called": Called,
    "function that makes one": make_one,
}
BATCHES = {
    "observations, masks": first_of_each,
    "observation, action_mask": observation_and_mask,
    "default": lambda observations, masks, temperature=1.0: first_of_each(observations, masks),
    "partial": functools.partial(
        lambda network, observations, masks: first_of_each(observations, masks), "weights"
    ),
    "method": ActsOnBatches().act_batch,
    "object called": CalledOnBatches(),
    "object": ActsOnBatches(),
    "class": ActsOnBatches,
}
NEITHER = {
    "three": lambda observation, mask, state: 0,
    "an option that must be given": lambda position, *, depth: 0,
    "only by name": lambda *, position: 0,
    "no function": 3,
    "a class that does not play": Path,
}


@pytest.mark.parametrize("bot", [*SINGLE.values(), *BATCHES.values()], ids=[*SINGLE, *BATCHES])
def test_evaluate_takes_every_form_of_an_agent(bot):
    (result,) = evaluate(bot, GAME, ["greedy"], pairs=2)
    assert result.games > 0


@pytest.mark.parametrize("bot", NEITHER.values(), ids=NEITHER)
def test_what_does_not_play_is_refused_in_a_sentence(bot):
    with pytest.raises(NotAPolicyError, match=r"^[^\n]*no method act|^[^\n]*does not play"):
        as_policy(bot)
    with pytest.raises(TypeError, match="is not an opponent: it is neither text, nor a function"):
        evaluate(bot, GAME, ["greedy"], pairs=2)


@pytest.mark.parametrize("function", [max, min, Written()], ids=["max", "min", "an object"])
def test_a_function_whose_signature_cannot_be_read_is_asked_for_one_position(function):
    assert read_signature(function) == UNREADABLE
    assert callable(as_policy(function).act)


def test_python_agents_read_signatures_the_same_way(tmp_path, monkeypatch):
    (tmp_path / "signed.py").write_text(
        "def bot(position, depth=3):\n    return position.legal_actions()[depth]\n"
        "def options(position, **options):\n    return options['depth']\n"
    )
    monkeypatch.chdir(tmp_path)
    start = make_game(GAME).initial_position()
    agents = ("bot", "bot,depth=4", "options,depth=5")
    assert [make_agent(f"python:signed:{agent}").act(start) for agent in agents] == [3, 4, 5]
    assert make_agent("python:math:hypot,depth=5").spec == "python:math:hypot,depth=5"
