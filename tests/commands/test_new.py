"""Packages of one's own: what ``new`` writes, entry points, and ``--import``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import done, plyground

pytestmark = pytest.mark.thorough

SCRIPT = """
import gymnasium, numpy as np, plyground, pettingzoo
from plyground.evaluation import JobPlace, Plan, Store, Tournament
from plyground.evaluation.runners.contest import Conditions
from plyground.envs.conformance import check_env

env = gymnasium.make("plyground:plyground/MyNim-v0", opponent="my_first", seat=0).unwrapped
env.reset(seed=1)
assert env.step(np.int64(0))[0] is not None
games = gymnasium.make_vec("plyground/MyNim-v0", num_envs=64, opponent="random")
games.reset(seed=1)
for _ in range(100):
    games.step(np.zeros(64, np.int64))
assert plyground.make_agent("my_first").version.replace("-", "_").endswith(", my_first 0.1.0")
aec = pettingzoo.make("aec", "plyground/my_nim-v0", stones=7)
aec.reset(seed=1)
aec.step(2)
assert aec.agent_selection == "player_1"
with Store("games.db") as store:
    agents = ("my_first:last=yes", "alphabeta:depth=15", "random")
    plan = Plan("my_nim", agents, pairs=3, isolate="always")
    place = JobPlace("processes", concurrency=2)
    tournament = Tournament(plan, store, place)
    tournament.run()
    rows = tournament.table().standings()
    assert tournament.table().games == 18
    assert rows[0].label == "alphabeta:depth=15"
    assert not any(row.faults for row in rows)
"""


@pytest.fixture
def dist(tmp_path, monkeypatch):
    """Declares entry points of a package that lies in a folder of the path."""
    folder = tmp_path / "site"

    def declare(name, entry_points, **modules):
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entry_points)
        for module, text in modules.items():
            (folder / f"{module}.py").write_text(text)

    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    return declare


# a runner of one's own: it plays here, and says what it was given
PLUGINS = """
from plyground.envs.loading.packages import PLACES, plug_in

plug_in(PLACES, "announced", "my_place:AnnouncedJobs")
"""
ANNOUNCED = """
from plyground.envs.workers.jobs import LocalJobs

class AnnouncedJobs(LocalJobs):
    runner = "announced"

    def __init__(self, work, address, concurrency):
        super().__init__(work)
        print("jobs at", address, "many at once:", concurrency)
"""


def run(*words):
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, env=dict(os.environ)
    )


def test_a_package_with_a_game_is_written(tmp_path):
    result = done("new", "game", "my_nim")
    assert "pip install -e my_nim" in result.stderr
    files = {path.as_posix() for path in Path("my_nim").rglob("*.*")}
    assert {"my_nim/pyproject.toml", "my_nim/my_nim/rules.py", "my_nim/tests/test_rules.py"} < files
    for path in files:
        assert "$" not in Path(path).read_text().replace("$ ", "")
    assert "class MyNim(NamedTuple)" in Path("my_nim/my_nim/rules.py").read_text()
    again = plyground("new", "game", "my_heap", "--out", "my_nim")
    assert (again.exit_code, "my_nim exists already" in again.stderr) == (2, True)


def test_a_module_that_is_not_installed_is_imported_first():
    assert plyground("new", "game", "my_heap").exit_code == 0
    Path("my_heap.py").write_text(Path("my_heap/my_heap/rules.py").read_text())
    Path("my_heap").rename("elsewhere")
    words = ("-m", "plyground.cli", "--import", "my_heap", "tournament", "my_heap")
    agents = ("random", "alphabeta:depth=15", "--pairs", "2")
    result = run(*words, *agents, "--runner", "processes")
    assert result.returncode == 0, result.stderr
    assert "alphabeta:depth=15" in result.stdout


def test_a_package_brings_a_runner(dist, monkeypatch):
    dist(
        "my-place",
        "[plyground.plugins]\nmine = my_plugins\n",
        my_plugins=PLUGINS,
        my_place=ANNOUNCED,
    )
    words = ("-m", "plyground.cli", "tournament", "tic_tac_toe", "random", "greedy", "--pairs", "1")
    place = ("--runner", "announced", "--address", "192.0.2.1:1", "--concurrency", "3")
    result = run(*words, *place)
    assert result.returncode == 0, result.stderr
    assert "jobs at 192.0.2.1:1 many at once: 3" in result.stdout
    monkeypatch.setenv("COLUMNS", "200")  # the help breaks no word
    assert "|announced" in run(*words[:3], "--help").stdout


def test_a_package_that_cannot_be_imported_is_named_and_stops_nothing(dist):
    dist(
        "broken-games",
        "[plyground.games]\nbroken = broken_game:Rules\n"
        "[plyground.agents]\nlast = last_agent:Last\n",
        broken_game="import no_such_module\n",
        last_agent=(
            "from plyground.agents import Agent, Decision, register_agent\n\n"
            "@register_agent('last')\n"
            "class Last(Agent):\n"
            "    summary = 'the last legal action'\n"
            "    def decide(self, position):\n"
            "        return Decision(position.legal_actions()[-1])\n"
        ),
    )
    listing = run("-m", "plyground.cli", "games")
    assert listing.returncode == 0
    assert "connect_four" in listing.stdout
    (line,) = listing.stderr.splitlines()
    assert line.startswith("plyground: 'broken' of the package broken-games (plyground.games) ")
    assert line.endswith("ModuleNotFoundError: No module named 'no_such_module'")
    match = run("-m", "plyground.cli", "match", "tic_tac_toe", "last", "random")
    assert match.returncode == 0, match.stderr
    missing = run("-m", "plyground.cli", "match", "broken", "random", "random")
    assert missing.returncode == 2
    assert "there is no game 'broken'" in missing.stderr


def test_generated_packages_that_are_installed_work_everywhere(tmp_path, monkeypatch):
    """Built and installed by pip; then without a line of glue: environments, games, training."""
    for words in (("game", "my_nim"), ("agent", "my_first")):
        assert plyground("new", *words).exit_code == 0
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--target", "site")
    install = run("-m", "pip", "install", *options, "./my_nim", "./my_first")
    assert install.returncode == 0, install.stderr
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    for name in ("my_nim", "my_first"):
        tests = run("-m", "pytest", "-q", "-p", "no:cacheprovider", name)
        assert tests.returncode == 0, tests.stdout
    script = run("-c", SCRIPT)
    assert script.returncode == 0, script.stderr
    cli = ("-m", "plyground.cli")
    assert "my_nim" in run(*cli, "games").stdout
    assert "my_first" in run(*cli, "agents").stdout
    small = ("games=16", "simulations_per_update=3000", "simulations=8,12", "channels=4",
             "steps=300")  # fmt: skip
    settings = [word for setting in small for word in ("--set", setting)]
    words = ("train", "alphazero", "my_nim", "--out", "run", "--hours", "0", "--workers", "2")
    trained = run(*cli, *words, *settings, "--evaluate", "my_first")
    assert trained.returncode == 0, trained.stderr
    assert "my_first" in trained.stdout


def test_a_generated_learner_that_is_installed_is_trained_resumed_drawn_and_tuned(
    tmp_path, monkeypatch
):
    assert plyground("new", "learner", "my_learner").exit_code == 0
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--target", "site")
    install = run("-m", "pip", "install", *options, "./my_learner")
    assert install.returncode == 0, install.stderr
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"), prepend=os.pathsep)
    tests = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "my_learner")
    assert tests.returncode == 0, tests.stdout

    def command(*words):
        result = run("-m", "plyground.cli", *words)
        assert result.returncode == 0, result.stderr
        return result

    small = ("--set", "games=8", "--set", "units=8", "--set", "evaluation_pairs=2")
    learner = ("train", "my-learner", "hex:size=3", "--evaluate", "random", "--keep", "2", *small)
    assert "units" in command(*learner, "--list-settings").stdout
    first = command(*learner, "--out", "runs", "--seeds", "2", "--steps", "300")
    assert [line.split(":")[0] for line in first.stdout.splitlines()] == ["seed 1", "seed 2"]
    command("curves", "runs/seed_1", "runs/seed_2", "--group-by", "seed", "--out", "c.png")
    assert Path("c.png").exists()
    longer = command(*learner, "--out", "runs/seed_1", "--steps", "600")
    assert "resumed at step 3" in longer.stderr
    assert len(list(Path("runs/seed_1/snapshots").glob("*.onnx"))) > 0
    assert "onnx" in command("match", "hex:size=3", "onnx:runs/seed_1/best.onnx", "random").stdout
    swept = ("--set", "learning_rate=0.001..0.01", "--trials", "2", "--steps", "200", *small)
    tuned = command(
        "tune", "my_learner", "hex:size=3", "--out", "s", "--evaluate", "random", *swept
    )
    assert tuned.stdout.startswith("plyground train my-learner hex:size=3 --out s/best")


GREETING = """
from plyground.commands.app import command


@command("NAME", purpose="Measure")
def hello(name: str, /) -> None:
    \"\"\"Greet somebody.\"\"\"
    print("hello,", name)


@command("GAME")
def nothing(game: str, /) -> None:
    \"\"\"Learn nothing.\"\"\"
    print("nothing learnt of", game)
"""


def test_a_package_brings_commands(dist):
    entries = 'hello = greeting:hello\n"train nothing" = greeting:nothing\n'.replace('"', "")
    dist("greeting", f"[plyground.commands]\n{entries}", greeting=GREETING)
    help_text = run("-m", "plyground.cli", "--help").stdout
    measure = help_text[help_text.index("Measure") : help_text.index("Records")]
    assert "hello" in measure
    assert "Greet somebody." in measure
    assert run("-m", "plyground.cli", "hello", "you").stdout == "hello, you\n"
    assert "Learn nothing." in run("-m", "plyground.cli", "train", "--help").stdout
    learnt = run("-m", "plyground.cli", "train", "nothing", "connect_four")
    assert learnt.stdout == "nothing learnt of connect_four\n"
