"""Games with as many actions as the conformance checks admit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from helpers import TESTS, run_python
from plyground.envs import Facts, Game, SpecificationError, declare_game
from plyground.envs import rules as r


@pytest.mark.thorough
def test_a_game_of_30000_actions_plays_in_every_environment_by_the_default_rules():
    assert run_python(TESTS / "many_actions.py") == "played 30000 actions\n"


def test_a_game_of_more_actions_than_an_int16_can_count_is_refused():
    @declare_game(name="huge", version=0, title="", position=[("ply", np.int16)], parameters=())
    class Huge(NamedTuple):
        pass

    r.facts.register(Huge)(lambda rules: Facts(40_000, 1, -1.0, 1.0, (1, 1, 1)))
    with pytest.raises(
        SpecificationError, match=r"^huge has 40000 actions; a game has from 1 to 32767$"
    ):
        Game(Huge())
