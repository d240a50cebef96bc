"""A wrong argument gets a sentence that says what is right: environments, games, mixtures."""

from __future__ import annotations

import gymnasium
import plyground
import pytest
from plyground.agents import make_agent
from plyground.agents.opponents import make_opponents
from plyground.envs import make_game
from plyground.training import BoardVecEnv, make_env, make_vector_env

MAKERS = {
    "make_env": lambda **words: make_env("hex:size=3", **words),
    "make_vector_env": lambda **words: make_vector_env("hex:size=3", 2, **words),
    "BoardVecEnv": lambda **words: BoardVecEnv("hex:size=3", 2, **words),
    "gymnasium.make": lambda **words: gymnasium.make("plyground/Hex-v0", **words),
    "gymnasium.make_vec": lambda **words: gymnasium.make_vec("plyground/Hex-v0", 2, **words),
    "AEC": plyground.envs.hex_v0.env,
}
OF_LEARNERS = [name for name in MAKERS if name != "AEC"]


@pytest.mark.parametrize(
    ("maker", "word", "nearest"),
    [(maker, "oponent", "opponent") for maker in OF_LEARNERS]
    + [(maker, "siz", "size") for maker in MAKERS]
    + [("BoardVecEnv", "n_envs", "num_envs"), ("make_vector_env", "n_envs", "num_envs")]
    + [("AEC", "render_mod", "render_mode"), ("gymnasium.make", "opening_ply", "opening_plies")],
)
def test_a_misspelt_keyword_is_answered_with_the_nearest_one(maker, word, nearest):
    with pytest.raises((TypeError, ValueError), match=f"{word!r}; did you mean {nearest!r}"):
        MAKERS[maker](**{word: 4})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: BoardVecEnv(64, "connect_four"), "64 is not a specification: write a text"),
        (lambda: make_game(None), "None is not a specification: write a text"),
        (lambda: make_agent(4), "4 is not a specification: write a text"),
        (lambda: make_game(make_game("hex"), size=5), "is a Game, whose parameters are set"),
        (lambda: make_game("hex").position(3), "actions=3 is not possible; it is a list"),
        (
            lambda: make_opponents("mix:0.5 random 0.5 greedy", make_game("hex")),
            "names several agents; commas separate them",
        ),
    ],
)
def test_arguments_of_another_kind_are_answered_in_a_sentence(call, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        call()
