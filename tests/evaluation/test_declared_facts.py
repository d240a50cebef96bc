"""Size reports and colours: what games declare, and sound bounds for games that declare none."""

from __future__ import annotations

import random

import pytest
from broken.games import Line
from plyground import make_game
from plyground.envs import rules as r
from plyground.envs.conformance.perft import perft
from plyground.envs.game import Game
from plyground.envs.pictures.drawing import to_svg
from plyground.envs.registry import game_names
from plyground.evaluation.statistics.complexity import mean_branching, size_report


def sizes(spec: str) -> dict[str, int | float]:
    return {line.quantity: line.value for line in size_report(make_game(spec))}


def test_the_size_report_counts_what_the_rules_say():
    dots = sizes("dots_and_boxes:dots=5x5")
    assert (
        dots["edges"],
        dots["boxes"],
        dots["states, by edges drawn"],
        dots["depth, at most"],
    ) == (40, 16, 2**40, 40)
    connect = sizes("connect_four")
    assert connect["states, at most"] == 3**42
    assert connect["minimax leaves, at most"] == 7**42
    # Knuth and Moore's b^⌈d/2⌉ + b^⌊d/2⌋ − 1
    assert connect["alpha-beta leaves, best order"] == 2 * 7**21 - 1


def test_a_game_that_declares_no_bounds_is_bounded_by_its_tree():
    game = Game(Line())
    assert r.complexity(game.rules).states is None
    actions, depth = game.facts.num_actions, game.facts.longest_game
    sizes = {line.quantity: line.value for line in size_report(game)}
    assert sizes["states, at most"] == sum(actions**ply for ply in range(depth + 1))
    assert sizes["minimax leaves, at most"] == actions**depth
    assert "cells" not in sizes
    assert 1 <= mean_branching(game) <= actions


@pytest.mark.parametrize("name", game_names())
def test_no_game_exceeds_its_size_report(name):
    game = make_game(name)
    sizes = {line.quantity: line.value for line in size_report(game)}
    branching = sizes.get("branching at first", sizes.get("branching, at most"))
    assert len(game.initial_position().legal_actions()) <= branching
    assert perft(game.initial_position(), 2) <= sizes["minimax leaves, at most"]


@pytest.mark.parametrize("name", game_names())
def test_the_colours_that_a_game_declares_are_those_of_its_pictures(name):
    game = make_game(name)
    position, chance = game.initial_position(), random.Random(1)
    while not position.is_over:
        position.play(chance.choice(position.legal_actions()))
    svg = to_svg(r.picture(game.rules, position.record, None))
    assert all(colour in svg for colour in game.declaration.colours)
