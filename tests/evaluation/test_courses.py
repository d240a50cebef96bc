"""A repeated game is recognised by the positions that the agents go through."""

from plyground import make_game
from plyground.evaluation import CrossTable, Plan, SprtMatch, Store, Tournament
from plyground.evaluation.match import GameResult
from plyground.evaluation.sequential_test import Hypotheses
from plyground.evaluation.statistics.courses import Courses, game_of
from plyground.evaluation.store.store import StoredGame, StoredTournament

AGENTS = ("minimax:depth=2", "alphabeta:depth=3")
GAME = make_game("tic_tac_toe")


def entry(pair, opening, moves, players=(0, 1)):
    result = GameResult((*opening, *moves), (1.0, -1.0), "", None, None, (0.0, 0.0), (2, 2))
    return StoredGame(pair, players, opening, (0, 0), result)


def counted_twice(game):
    """Games that agents of one mind play from two orders of one opening."""
    return [
        entry(pair, opening, (3, 5, 6), players)
        for pair, opening in enumerate([(0, 1, 2), (2, 1, 0)])
        for players in ((0, 1), (1, 0))
    ]


def test_the_order_of_the_opening_moves_makes_no_other_course():
    one, other, another = (
        entry(0, opening, (3, 5, 6)) for opening in [(0, 1, 2), (2, 1, 0), (0, 2, 1)]
    )
    courses = Courses(GAME)
    assert courses.start(one) == courses.start(other) != courses.start(another)
    assert courses.course(one) == courses.course(other) != courses.course(another)
    assert courses.course(one) != courses.course(entry(0, (0, 1, 2), (3, 5, 7)))


def test_a_game_that_is_not_installed_has_its_openings_compared_by_their_moves():
    unknown = StoredTournament(1, "", {"game": "no_such_game"}, 1, [])
    assert game_of(unknown) is None
    one, other = entry(0, (0, 1, 2), (3,)), entry(0, (2, 1, 0), (3,))
    assert Courses(None).start(one) != Courses(None).start(other)


def test_a_course_that_comes_again_in_the_same_seats_counts_once():
    table = CrossTable(["a", "b"], GAME, counted_twice(GAME))
    assert (table.games, table.repeated, table.distinct_games) == (4, 2, 1)
    assert sum(table.meetings()[0].pairs) == 1


def test_transformed_openings_bring_as_many_games_as_are_counted(tmp_path):
    with Store(tmp_path / "games.db") as store:
        plan = Plan("tic_tac_toe", AGENTS, pairs=120, opening="random:3", transform=True)
        tournament = Tournament(plan, store)
        tournament.run()
        games, table = list(tournament.played()), tournament.table()
    courses = Courses(GAME)
    different = {(game.players[0], courses.course(game)) for game in games}
    assert table.games - table.repeated == len(different) == 240


def test_repeated_courses_are_no_evidence_in_a_sequential_test(tmp_path):
    """A store whose openings reach one position in several orders, as older ones may."""
    path = tmp_path / "openings.txt"
    path.write_text("a1, b1, c1\n")
    with Store(tmp_path / "games.db") as store:
        plan = Plan("tic_tac_toe", AGENTS, pairs=4, opening=str(path))
        match = SprtMatch(plan, Hypotheses(elo1=400), store)
        number = match.tournament.enter()
        for game in counted_twice(GAME):
            store.add(number, game)
        match.run()
    assert sum(match.state.pairs) == 1
    assert match.state.repeated == 2
