"""Agents, values and places of stones as the pages say and show them."""

from __future__ import annotations

import pytest
from plyground import make_game
from plyground.agents.decision import Score
from plyground.agents.policies.zoo import cards
from plyground.extras.web.api import with_time
from plyground.extras.web.opponents import choices
from plyground.extras.web.positions import LineOfPlay
from plyground.extras.web.wording.agent_names import agent_name
from plyground.extras.web.wording.values import bar_value, value_json
from plyground.extras.web.wording.words import LANGUAGES, words_of


@pytest.mark.parametrize(
    ("spec", "game", "name"),
    [
        ("alphabeta:depth=4", "connect_four", "Alpha-beta, depth 4"),
        ("alphabeta:time=1,values=yes", "connect_four", "Alpha-beta, 1 s a move"),
        ("alphabeta:depth=4,scout=no", "connect_four", "Alpha-beta, depth 4, scout=no"),
        ("zoo:connect_four_ppo", "connect_four", "Network, PPO, 70 % best moves"),
        ("zoo:gomoku", "gomoku", "Network, self-play, 1890 Elo above random"),
        ("zoo:connect_four", "hex", "zoo:connect_four"),  # it does not play this game
        (
            "mcts:network=zoo:dots_and_boxes_taught,time=1",
            "dots_and_boxes",
            "MCTS, with a network (taught by the solver), 1 s a move",
        ),
        ("human", "connect_four", "You"),
        ("ppo:runs/c4", "connect_four", "ppo:runs/c4"),
    ],
)
def test_agents_are_named_in_words_with_the_strength_of_networks(spec, game, name):
    assert agent_name(words_of("en"), spec, make_game(game)) == name


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("connect_four", "Connect four"),
        ("connect_four:rows=4,cols=5", "Connect four, rows 4, columns 5"),
        ("gomoku:size=10", "Gomoku (caro) 10×10"),
        ("gomoku:size=10,rule=caro", "Gomoku (caro) 10×10, rule exactly five, not shut in"),
        ("hex:size=9,swap=yes", "Hex 9×9"),
    ],
)
def test_boards_are_named_as_they_are_offered_and_by_what_is_unusual(spec, name):
    assert words_of("en").board(make_game(spec)) == name


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.name)
def test_every_shipped_network_is_an_opponent_with_a_name(card):
    for game in map(make_game, (card.game, *card.also)):
        (choice,) = (each for each in choices(game, ()) if each.spec == f"zoo:{card.name}")
        for words in map(words_of, LANGUAGES):
            assert choice.name(words, game).startswith(f"{words(choice.key)} – ")


def test_a_stone_lands_where_it_will_stand():
    words = words_of("en")
    game = make_game("connect_four")
    view = LineOfPlay(game.initial_position(), [3, 3]).view(words)
    column = view["actions"][3]
    assert column["lands"] == [3.35, 3.31, 4.35, 3.31, 4.35, 4.31, 3.35, 4.31]  # the third row
    assert column["lands"] != column["area"]
    assert column["stone"]
    for name, stone in (("hex", True), ("dots_and_boxes", False)):  # an edge is no stone
        action = LineOfPlay(make_game(name).initial_position()).view(words)["actions"][0]
        assert (action["stone"], action["lands"]) == (stone, None)


@pytest.mark.parametrize(
    ("spec", "moves", "marked"),
    [
        ("othello", [], True),
        ("tic_tac_toe", [4], False),
        ("hex:size=5,swap=yes", [2, 25], False),
        ("connect_four", [3], False),
        ("dots_and_boxes", [0, 1], False),
    ],
)
def test_legal_moves_are_marked_where_they_are_not_all_free_places(spec, moves, marked):
    view = LineOfPlay(make_game(spec).initial_position(), moves).view(words_of("en"))
    assert view["marks_legal"] is marked


@pytest.mark.parametrize(
    ("score", "to_move", "text", "kind", "bar"),
    [
        (Score(1.0, kind="exact", plies=7), 0, "win in 7", "win", 1.0),
        (Score(-1.0, kind="exact", plies=12), 1, "loss in 12", "loss", 1.0),
        (Score(-1.0, plies=4), 0, "loss? in 4", "guess", -0.97),
        (Score(0.0, kind="exact"), 0, "draw", "draw", 0.0),
        (Score(0.5), 0, "75 %", "guess", 0.5),
        (Score(5.0, "points"), 0, "75 %", "guess", 0.5),  # the lead of this game
        (Score(9.0, "points", offset=-4.0), 0, "75 %", "guess", 0.5),  # the mean of two depths
        (Score(5.0, "points", "upper"), 1, "≤75 %", "guess", -0.5),
        (Score(1e9, "points"), 0, "98 %", "guess", 0.97),  # no estimate is certain
    ],
)
def test_values_are_results_in_words_or_on_one_scale(score, to_move, text, kind, bar):
    position = make_game("tic_tac_toe").position([0] * to_move)
    assert position.game.profile.lead == 5
    shown = value_json(words_of("en"), position, score)
    assert (shown["text"], shown["kind"]) == (text, kind)
    assert bar_value(position, score) == bar
    assert ("points" in shown) == (score.unit == "points")


def test_points_of_a_heuristic_are_said_beside_its_estimate():
    position = make_game("tic_tac_toe").initial_position()
    shown = value_json(words_of("vi"), position, Score(-5.0, "points", "upper"))
    assert shown["points"] == "≤−5 điểm (ước lượng)"


def test_values_of_games_that_return_margins_are_margins():
    position = make_game("dots_and_boxes:reward=margin").initial_position()
    words = words_of("en")
    assert value_json(words, position, Score(4.0, kind="exact"))["lines"] == ["win", "by 4"]
    assert value_json(words, position, Score(-1.25))["text"] == "−1.2"


@pytest.mark.parametrize(
    ("spec", "deeper"),
    [
        ("mcts:time=1", "mcts:time=8"),
        ("mcts:simulations=100", "mcts:simulations=100"),
        ("greedy", "greedy"),
    ],
)
def test_only_agents_with_a_time_think_longer(spec, deeper):
    assert with_time(spec, 8.0) == deeper
