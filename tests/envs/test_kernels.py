"""Compiled code in fresh processes: cold and warm, bounds-checked, interpreted; and a cache that
never plays old rules.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest
from helpers import ROOT, TESTS
from networks import write_network
from plyground import make_game
from plyground.envs.conformance.perft import perft

GAMES = [
    "tic_tac_toe",
    "connect_four:rows=4,cols=4",
    "dots_and_boxes:rows=1,cols=2",
    "gomoku:size=5,connect=4,rule=caro",
]
AGENTS = [
    "random",
    "greedy",
    "minimax:depth=2",
    "alphabeta:depth=3",
    "montecarlo:simulations=3",
    "mcts:simulations=20",
]
# small enough to be solved without compiling
SOLVED = ["tic_tac_toe", "connect_four:rows=3,cols=4,connect=3", "dots_and_boxes:rows=1,cols=2"]
SWITCHES = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "PLYGROUND_CACHE", "PYTHONPATH")

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="about compiled code")


def run(*arguments, cache, path=(), **switches):
    """Run Python in a fresh process with its own kernel cache; returns its standard output."""
    inherited = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    # The package these tests import is the one the process is to import, wherever it comes from.
    search = os.pathsep.join([*map(str, path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = inherited | {"PLYGROUND_CACHE": str(cache), "PYTHONPATH": search} | switches
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stderr}"
    return done.stdout


def run_everything(cache, **switches):
    # Each network is for one game, and the other games pass it by.
    networks = [cache.parent / f"network{number}.onnx" for number in range(len(GAMES))]
    for spec, path in zip(GAMES, networks):
        if not path.exists():
            write_network(path, spec)
    guided = [
        f"{agent}={path}{options}"
        for path in networks
        for agent, options in (
            ("mcts:simulations=20,network", ",batch=4"),
            ("onnx:path", ",symmetries=yes"),
        )
    ]
    played = json.loads(
        run(TESTS / "kernel_run.py", *GAMES, "--agents", *AGENTS, *guided, cache=cache, **switches)
    )
    assert all(moves for name, moves in played.items() if ".onnx" not in name)
    assert sum(bool(moves) for name, moves in played.items() if ".onnx" in name) == len(guided)
    solved = json.loads(
        run(
            TESTS / "kernel_run.py", *SOLVED, "--agents", "solver:memory=1", cache=cache, **switches
        )
    )
    assert all(solved.values())
    return played | solved


def compiled_files(cache):
    """Every file of the cache with its time of change, but for the markers of use."""
    return {
        path: path.stat().st_mtime_ns
        for path in cache.rglob("*")
        if path.suffix in (".nbi", ".nbc")
    }


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="module")
def cold(cache):
    """What a first run gives, which compiles everything."""
    assert compiled_files(cache) == {}
    return run_everything(cache)


def test_a_second_process_loads_every_kernel_from_the_cache_with_the_same_results(cold, cache):
    before = compiled_files(cache)
    assert len(before) > 100
    assert run_everything(cache) == cold
    assert compiled_files(cache) == before


def test_interpreted_code_gives_the_same_results(cold, cache):
    assert run_everything(cache, NUMBA_DISABLE_JIT="1") == cold


def test_bounds_checks_find_nothing_and_have_a_cache_of_their_own(cold, cache):
    before = compiled_files(cache)
    assert run_everything(cache, NUMBA_BOUNDSCHECK="1") == cold
    after = compiled_files(cache)
    assert before.items() <= after.items()
    assert {path.parent.parent for path in before} != {path.parent.parent for path in after}


def test_bounds_checks_do_catch_an_access_out_of_bounds_also_on_a_warm_cache(tmp_path):
    script = tmp_path / "out_of_bounds.py"
    script.write_text(
        "import numpy as np\n"
        "from plyground.envs.compiled.kernels import inner_kernel, kernel\n"
        "@inner_kernel\ndef inner(values, index):\n    values[index] = 1\n"
        "@kernel\ndef outer(values, index):\n    inner(values, index)\n"
        "try:\n    outer(np.zeros(8)[:3], 3)\n    print('unnoticed')\n"
        "except IndexError:\n    print('caught')\n"
    )
    assert run(script, cache=tmp_path / "cache").split() == ["unnoticed"]
    assert run(script, cache=tmp_path / "cache", NUMBA_BOUNDSCHECK="1").split() == ["caught"]
    assert run(script, cache=tmp_path / "cache", NUMBA_BOUNDSCHECK="1").split() == ["caught"]


COUNT = (
    "import plyground\nfrom plyground.envs.conformance.perft import "
    "perft\nprint(perft(plyground.make_game({spec!r}).initial_position(), {depth}))\n"
)


def test_an_edited_rule_is_seen_by_the_next_run(tmp_path):
    package, script = tmp_path / "copy" / "plyground", tmp_path / "count.py"
    for name in ("agents", "envs"):
        shutil.copytree(ROOT / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "__init__.py", package)
    script.write_text(
        COUNT.format(spec="connect_four:rows=4,cols=4,connect=3", depth=6)
        + "print(plyground.__file__)\n"
    )

    def count():
        leaves, file = run(script, cache=tmp_path / "cache", path=[package.parent]).split()
        assert Path(file).parent == package
        return int(leaves)

    three, four = (
        perft(make_game("connect_four", rows=4, cols=4, connect=connect).initial_position(), 6)
        for connect in (3, 4)
    )
    assert three != four
    assert count() == three
    rule, source = (
        "if connects(stones, rules.rows, rules.connect):",
        package / "envs" / "games" / "connect_four.py",
    )
    assert rule in source.read_text()
    source.write_text(
        source.read_text().replace(rule, rule.replace("rules.connect)", "rules.connect + 1)"))
    )
    assert count() == four


def test_an_edited_game_of_ones_own_is_seen_by_the_next_run(tmp_path):
    own = tmp_path / "own_game.py"
    shutil.copy(ROOT / "examples" / "own_game.py", own)
    script = tmp_path / "count.py"
    script.write_text("import own_game\n" + COUNT.format(spec="twenty_one", depth=3))
    assert run(script, cache=tmp_path / "cache").split() == ["27"]
    rule = "legal = min(rules.most, rules.goal - position.count)"
    assert rule in own.read_text()
    own.write_text(own.read_text().replace(rule, rule.replace("rules.most", "rules.most - 1")))
    assert run(script, cache=tmp_path / "cache").split() == ["8"]
    assert run(script, cache=tmp_path / "cache").split() == ["8"]


def test_kernels_work_where_no_cache_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    script = tmp_path / "count.py"
    script.write_text(COUNT.format(spec="tic_tac_toe", depth=3))
    assert run(script, cache=tmp_path / "file" / "cache").split() == ["504"]


def test_a_game_without_a_file_works_and_is_seen_when_it_changes(tmp_path):
    """As in a notebook or at the prompt."""
    own = (ROOT / "examples" / "own_game.py").read_text().replace("__main__", "never")
    rule = "legal = min(rules.most, rules.goal - position.count)"
    edited = own.replace(rule, rule.replace("rules.most", "rules.most - 1"))
    assert edited != own
    for code, leaves in ((own, "27"), (own, "27"), (edited, "8")):
        assert run(
            "-c", code + COUNT.format(spec="twenty_one", depth=3), cache=tmp_path / "cache"
        ).split() == [leaves]


def test_an_edited_helper_of_a_game_of_ones_own_is_seen_by_the_next_run(tmp_path):
    helper, script = tmp_path / "helper.py", tmp_path / "use.py"
    helper.write_text(
        "from plyground.envs.compiled.kernels import kernel\n@kernel\ndef value():\n    return 1\n"
    )
    script.write_text(
        "from plyground.envs.compiled.kernels import kernel\nfrom helper import "
        "value\n@kernel\ndef twice():\n    return 2 * value()\nprint(twice())\n"
    )
    assert run(script, cache=tmp_path / "cache").split() == ["2"]
    helper.write_text(helper.read_text().replace("return 1", "return 21"))
    assert run(script, cache=tmp_path / "cache").split() == ["42"]


def test_cache_folders_unused_for_thirty_days_are_removed(tmp_path):
    now = time.time()
    for name, days in (("old", 31), ("recent", 29)):
        marker = tmp_path / name / "last_used"
        marker.parent.mkdir()
        marker.touch()
        os.utime(marker, (now - days * 86400,) * 2)
    (tmp_path / "not_ours").mkdir()
    run("-c", "import plyground", cache=tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert {"recent", "not_ours"} < left
    assert "old" not in left
