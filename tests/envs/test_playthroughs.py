"""The recorded playthroughs are what the games still do."""

from __future__ import annotations

import pytest
from playthroughs import DATA, GAMES, playthrough
from plyground import make_game
from plyground.envs.registry import BUILT_IN


@pytest.mark.parametrize("name", GAMES)
def test_the_game_goes_as_recorded(name):
    recorded = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    assert playthrough(*GAMES[name]) == recorded, (
        "if the change is intended: python tests/playthroughs.py, and raise the game's version"
    )


def test_every_game_has_a_playthrough_and_every_playthrough_a_game():
    assert {make_game(spec).name for spec, _ in GAMES.values()} == {
        rules_type.declaration.name for rules_type in BUILT_IN
    }
    assert {path.stem for path in DATA.glob("*.txt")} == set(GAMES)
