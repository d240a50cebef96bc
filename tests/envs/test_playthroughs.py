"""The recorded playthroughs are what the games still do."""

from __future__ import annotations

import pytest
from playthroughs import DATA, playthrough, recorded_games
from plyground.envs.registry import BUILT_IN

RECORDED = recorded_games()


@pytest.mark.parametrize("name", RECORDED)
def test_the_game_goes_as_recorded(name):
    expected = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    assert playthrough(*RECORDED[name]) == expected, (
        "if the change is intended: python tests/playthroughs.py, and raise the game's version"
    )


def test_every_game_has_a_playthrough():
    names = {spec.partition(":")[0] for spec, _ in RECORDED.values()}
    missing = {rules_type.declaration.name for rules_type in BUILT_IN} - names
    assert not missing, f"python tests/playthroughs.py {min(missing)} {min(missing)} 1"
