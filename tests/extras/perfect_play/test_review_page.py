"""Pages of games say how a game stands, and call the players what their pictures show."""

from __future__ import annotations

import random

import pytest
from helpers import GAMES
from plyground import make_game
from plyground.agents.decision import Score
from plyground.evaluation.played_game import PlayedGame
from plyground.evaluation.report.game_page import game_page
from plyground.extras.perfect_play.reviews.grades import PositionValue
from plyground.extras.perfect_play.reviews.review import Review
from plyground.extras.records.sgf import read_sgf, write_sgf

pytestmark = pytest.mark.thorough

TRIES = 25  # random games, among which one is drawn where that is not rare


@pytest.fixture
def show(browser):
    """Opens the page of some games."""
    context = browser.new_context()

    def opener(games):
        page = context.new_page()
        page.set_content(game_page(games))
        return page

    yield opener
    context.close()


def games_of(name: str) -> dict[str, PlayedGame]:
    """A game that has begun, and random ones that were won by each player, and drawn if one is."""
    game, chance = make_game(name), random.Random(name)
    begun = game.initial_position()
    begun.play(begun.legal_actions()[0])
    games = {"unfinished": PlayedGame.of_actions(game, begun.moves)}
    for _ in range(TRIES):
        position = game.initial_position()
        while not position.is_over:
            position.play(chance.choice(position.legal_actions()))
        kind = {None: "½ – ½", 0: "1 – 0", 1: "0 – 1"}[position.outcome.winner]
        games.setdefault(kind, PlayedGame.of_actions(game, position.moves))
    return games


@pytest.mark.parametrize("name", GAMES)
def test_a_page_says_of_every_game_how_it_stands(name, show):
    games = games_of(name)
    assert {"unfinished", "1 – 0", "0 – 1"} <= games.keys()
    page = show(list(games.values()))
    entries = page.locator(".list button")
    assert entries.count() == len(games)
    for index, (kind, record) in enumerate(games.items()):
        entries.nth(index).click()
        assert page.inner_text(".title .result") == kind
        points = entries.nth(index).locator(".points").all_inner_texts()
        assert points == (["", ""] if kind == "unfinished" else kind.split(" – "))
        assert (page.locator(".title .won").count() == 0) == (record.winner is None)
        assert page.inner_text(".status").endswith(record.reason)
    page.locator("select").nth(2).select_option("drawn")
    assert page.locator(".list button").count() == ("½ – ½" in games)


def colours(name: str) -> tuple[str, str]:
    game = make_game(name)
    words, marks = game.profile.words_in("en"), game.declaration.marks
    return tuple(words.get(f"player.{seat}", marks[seat]) for seat in (0, 1))


@pytest.mark.parametrize("name", GAMES)
def test_a_page_calls_the_players_as_the_game_does(name, show):
    game, sides = make_game(name), colours(name)
    for seat, value in enumerate((game.facts.max_return, game.facts.min_return)):
        proved = PositionValue(0, float(value), True, Score(float(value)))
        review = Review(PlayedGame.of_actions(game, ()), "greedy", None, (proved,), ())
        page = show([review])
        assert page.inner_text(".verdict").startswith(f"{sides[seat]} wins")
        assert page.locator(".title .side").all_inner_texts() == list(sides)
        assert page.locator(".totals tbody th").all_inner_texts() == list(sides)
    guess = PositionValue(0, 0.0, False, Score(0.0))
    text = game_page([Review(PlayedGame.of_actions(game, ()), "greedy", None, (guess,), ())])
    assert f"the expected score of {sides[0]}." in text
    assert "player_0" not in text.split("<script data-viewer")[-1]
    named = PlayedGame.of_actions(game, (), ("Ann", "random"))
    page = show([named])
    assert page.locator(".title .side").all_inner_texts() == ["Ann", "random"]


def test_a_file_of_an_unfinished_game_states_no_result():
    text = "(;GM[4]FF[4]SZ[15]PB[a]PW[b];B[hh];W[hi])"
    (read,) = read_sgf(text)
    record = read()
    assert "RE[" not in "".join(write_sgf([record]))
    assert [again() for again in read_sgf("".join(write_sgf([record])))] == [record]
    drawn = record._replace(ended=True)
    assert "RE[0]" in "".join(write_sgf([drawn]))
