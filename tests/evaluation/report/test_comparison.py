"""Two stores side by side."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import invoke, refused
from plyground.evaluation.report.comparison import compare
from plyground.evaluation.report.report import report_store
from plyground.evaluation.statistics.ratings import rate
from plyground.evaluation.store.store import Store

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Two stores; the second has one agent more."""
    folder = tmp_path_factory.mktemp("stores")
    paths = []
    for name, seed, more in (("one", "1", []), ("two", "2", ["montecarlo:simulations=5"])):
        paths.append(str(folder / f"{name}.db"))
        agents = ["random", "greedy", *more]
        words = ["tournament", "tic_tac_toe", *agents, "--pairs", "6", "--seed", seed]
        assert invoke([*words, "--opening", "random:2", "--store", paths[-1]]).exit_code == 0
    return paths


def reports(path):
    with Store(path) as store:
        return report_store(store)


def test_ratings_are_compared_against_the_mean_of_common_agents(stores):
    (one,), (two,) = map(reports, stores)
    (comparison,) = compare([one], [two])
    assert comparison.game == "tic_tac_toe"
    assert [agent.label for agent in comparison.agents] == ["greedy", "random"]
    for side, report in enumerate((one, two)):
        elo = [agent.elo[side][0] for agent in comparison.agents]
        assert sum(elo) == pytest.approx(0, abs=1e-6)
        numbers = [report.labels.index(name) for name in ("greedy", "random")]
        difference, margin = report.ratings.difference(*numbers)
        assert elo[0] - elo[1] == pytest.approx(difference)
        # half the difference of two agents is what parts one of them from their mean
        assert comparison.agents[0].elo[side][1] == pytest.approx(margin / 2)
    for agent in comparison.agents:
        (first, margin_1), (second, margin_2) = agent.elo
        assert agent.difference[0] == pytest.approx(second - first)
        assert agent.difference[1] == pytest.approx(np.hypot(margin_1, margin_2))


def test_an_anchor_changes_no_comparison(stores):
    (one,), (two,) = map(reports, stores)
    anchored = one._replace(ratings=rate(one.labels, one.table.meetings(), ("random", 1000.0)))
    for plain, other in zip(compare([one], [two])[0].agents, compare([anchored], [two])[0].agents):
        assert plain.elo[0] == pytest.approx(other.elo[0], abs=1e-6)


def test_the_command_compares_as_text_json_and_page(stores, tmp_path):
    one, two = stores
    text = invoke(["report", one, "--beside", two]).stdout
    assert "Elo against the mean of the agents that both have" in text
    content = json.loads(invoke(["report", one, "--beside", two, "--json"]).stdout)
    assert len(content["comparisons"][0]["agents"]) == 2
    page = tmp_path / "page.html"
    assert invoke(["report", one, "--beside", two, "--html", str(page)]).exit_code == 0
    html = page.read_text()
    assert "Side by side: tic_tac_toe" in html
    assert html.count(">Tic-tac-toe<") == 1  # the title stands once


def test_stores_without_common_agents_are_refused(stores, tmp_path):
    other = str(tmp_path / "other.db")
    invoke(["tournament", "connect_four", "random", "greedy", "--pairs", "2", "--store", other])
    said = refused("report", stores[0], "--beside", other)
    assert "have no rated tournament of the same game" in said
