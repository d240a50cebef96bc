"""The public names of ``plyground.evaluation``, and the evaluations that take one call."""

from plyground.evaluation import Plan, Store, Tournament, ratings, sprt


def test_a_plan_and_its_tournament_have_the_same_ratings(tmp_path):
    plan = Plan("tic_tac_toe", ("random", "greedy"), pairs=5)
    pool = ratings(plan, anchor=("random", 0.0))
    with Store(tmp_path / "games.db") as store:
        tournament = Tournament(plan, store)
        tournament.run()
        assert list(ratings(tournament, ("random", 0.0)).elo) == list(pool.elo)
    assert pool.elo[0] == 0 < pool.elo[1]


def test_a_sequential_test_takes_one_call_and_can_be_continued(tmp_path):
    options = {"elo1": 100.0, "opening": "random:4"}
    state = sprt("tic_tac_toe", "greedy", "random", **options)
    assert state.verdict == "H1"
    with Store(tmp_path / "games.db") as store:
        sprt("tic_tac_toe", "greedy", "random", pairs=2, store=store, **options)
        assert sprt("tic_tac_toe", "greedy", "random", store=store, **options) == state
