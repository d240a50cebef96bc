"""Size reports and colours: what games declare, and sound bounds for games that declare none."""

from __future__ import annotations

import json
import math
import random
from decimal import Decimal

import pytest
from broken.games import Line
from command_line import invoke
from plyground import make_game
from plyground.envs import SpecificationError
from plyground.envs import rules as r
from plyground.envs.conformance.perft import perft
from plyground.envs.game import Game
from plyground.envs.pictures.drawing import to_svg
from plyground.envs.registry import game_names, rules_of_any_size, rules_type
from plyground.evaluation.report.display import large_number
from plyground.evaluation.statistics.complexity import mean_branching, size_report

DOTS = "dots_and_boxes:dots=100x100"


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


def board_that_cannot_be_played(name):
    """100 × 100 cells or boxes; for other games a number above its limit, if there is any."""
    parameters = rules_type(name).declaration.parameters
    numbers = {each.name: each.high for each in parameters if each.choices is None}
    if {"rows", "cols"} <= numbers.keys():
        return f"{name}:rows=100,cols=100"
    for key, high in numbers.items():
        return f"{name}:{key}={100 if key == 'size' else high + 5}"
    return None


TOO_LARGE = [spec for spec in map(board_that_cannot_be_played, game_names()) if spec]


@pytest.mark.parametrize("spec", TOO_LARGE)
def test_the_size_is_told_of_boards_that_cannot_be_played(spec):
    name = spec.partition(":")[0]
    with pytest.raises(SpecificationError):
        make_game(spec)
    result = invoke(["size", spec, "--json"])
    lines = {line["quantity"]: line for line in json.loads(result.stdout)["size"]}
    of_games = {"branching, on average"}  # such as no one can play there
    assert lines.keys() >= {line.quantity for line in size_report(make_game(name))} - of_games
    area = lines.get("cells", lines.get("boxes"))
    assert area is None or area["value"] == 10_000  # a game need not state it
    assert lines["minimax leaves, at most"]["log10"] > lines["depth, at most"]["value"]
    assert invoke(["size", spec]).exit_code == 0


def test_the_size_of_a_board_of_100_by_100_dots():
    dots = {line.quantity: line.value for line in size_report(rules_of_any_size(DOTS))}
    assert (dots["edges"], dots["boxes"]) == (19_800, 99 * 99)
    assert dots["states, by edges drawn"] == 2**19_800
    assert dots["minimax leaves, at most"] == math.factorial(19_800)


@pytest.mark.parametrize(
    "number", [2**40, 3**42, 7**42, math.factorial(40), 10**12, 9_994 * 10**9, 9_996 * 10**9]
)
def test_a_large_number_is_rounded(number):
    mantissa, _, exponent = f"{Decimal(number):.2E}".partition("E+")
    assert large_number(number) == f"{mantissa} x 10^{exponent}"


@pytest.mark.parametrize("start", ["empty", "icelandic", "swedish"])
@pytest.mark.parametrize(("rows", "cols"), [(2, 3), (3, 3)])
def test_the_edges_drawn_at_the_start_are_counted(rows, cols, start):
    game = make_game("dots_and_boxes", rows=rows, cols=cols, start=start)
    legal = game.initial_position().legal_actions()
    assert game.facts.longest_game == len(legal)
    assert game.initial_position().ply == 0


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
