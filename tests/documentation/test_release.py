"""A release says the same version everywhere, and its changelog is cut by a script."""

from __future__ import annotations

import re
import sys
import tomllib

import plyground
import pytest
import yaml
from helpers import ROOT
from plyground.agents.policies.zoo import boards
from plyground.envs.loading.version import RELEASED

sys.path.insert(0, str(ROOT / "docs" / "site"))

from release import columns, cut, lacking, release_date

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a game\n\n## [0.2.0] - 2026-11-22\n"


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert plyground.__version__ == project["version"] == citation["version"]
    comparison = (ROOT / "docs" / "guide" / "comparison.md").read_text("utf-8")
    assert f"plyground {plyground.__version__}" in comparison
    install = (ROOT / "docs" / "guide" / "install.md").read_text("utf-8")
    assert f"plyground-{plyground.__version__}-py3" in install
    releases = (ROOT / "docs" / "guide" / "releases.md").read_text("utf-8")
    assert f"| {plyground.__version__} |" in releases


def test_what_is_unreleased_becomes_the_section_of_the_version():
    after = cut(CHANGELOG, "1.0.0", "2026-11-24")
    assert re.findall(r"^## .*$", after, re.MULTILINE) == [
        "## [Unreleased]",
        "## [1.0.0] - 2026-11-24",
        "## [0.2.0] - 2026-11-22",
    ]
    assert after.index("[1.0.0]") < after.index("- a game") < after.index("[0.2.0]")
    assert cut(after, "1.0.0", "2026-11-24") == after


def test_the_section_of_a_release_has_the_date_of_its_citation():
    date = release_date((ROOT / "CITATION.cff").read_text("utf-8"))
    assert date == RELEASED
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## [{plyground.__version__}] - {date}\n" in changelog
    with pytest.raises(ValueError, match="date-released"):
        release_date("version: 1.0.0\n")


FIGURES = """
| what | measured by | 1.0.0 | 1.1.0 |
|---|---|---:|---:|
| steps | `a` | 3 | 4 |
| games | `b` | 5 | – |
"""


@pytest.mark.parametrize(
    ("version", "made_by", "without"),
    [
        ("1.0.0", "1.0.0", []),
        ("1.0.0", "0.9.0", ["comparisons"]),
        ("1.1.0", "1.1.0", ["games"]),
        ("1.2.0", "1.1.0", ["steps", "games", "comparisons"]),
    ],
)
def test_a_release_names_the_figures_that_it_has_not_measured(version, made_by, without):
    assert lacking(FIGURES, f"\n- numba 1.0.0\n- plyground {made_by}\n", version) == without


def test_the_figures_of_the_readme_are_those_of_the_release():
    """A row of the README has the command and the numbers of one row of the table by release."""
    page = (ROOT / "docs" / "guide" / "releases.md").read_text("utf-8")
    head, *rows = map(columns, re.findall(r"^\| .*$", page, re.MULTILINE))
    place = head.index(plyground.__version__)
    measured = {row[1]: re.findall(r"[\d.,]*\d", row[place]) for row in rows}
    readme = (ROOT / "README.md").read_text("utf-8").partition("\n## Strength and speed")[2]
    stated = [columns(line) for line in re.findall(r"^\| .*$", readme.partition("\n## ")[0], re.M)]
    assert len(stated) > 5
    for figure, command in stated[1:]:
        assert set(measured[command]) <= set(re.findall(r"[\d.,]*\d", figure)), command
    judged = {
        (row["agent"], row["phase"]): f"{100 * row['share']:.0f}"
        for row in boards()["connect_four"]["quality"]["rows"]
    }
    agents = "zoo:connect_four_large", "mcts:network=zoo:connect_four_large,simulations=200"
    (of_network,) = (cells for command, cells in measured.items() if "quality" in command)
    assert of_network == [judged[agent, kind] for kind in ("all", "quiet") for agent in agents]


def test_the_systems_of_ci_are_three():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "systems.yml").read_text("utf-8"))
    for job in workflow["jobs"].values():
        systems = job["strategy"]["matrix"]["system"]
        assert systems == ["ubuntu-latest", "macos-latest", "windows-latest"]
    assert workflow["jobs"]["tests"]["strategy"]["matrix"]["python"][0] == "3.11"
