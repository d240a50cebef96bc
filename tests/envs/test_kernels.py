"""Compiled code in fresh processes: cold and warm, bounds-checked, interpreted; and a cache that
never plays old rules.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest
from helpers import AGENTS, ROOT, SMALL_GAMES, TESTS, run_python
from networks import write_network
from plyground import make_game
from plyground.envs.compiled.cache import cache_root
from plyground.envs.conformance.perft import perft

SWITCHES = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "PLYGROUND_CACHE", "PYTHONPATH")

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="about compiled code")


def run(*arguments, cache, path=(), **switches):
    """Run Python in a fresh process with its own kernel cache; returns its standard output."""
    variables = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    # The package these tests import is the one the process is to import, wherever it comes from.
    search = os.pathsep.join([*map(str, path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = variables | {"PLYGROUND_CACHE": str(cache), "PYTHONPATH": search} | switches
    result = subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, arguments)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, f"exit status {result.returncode}\n{result.stderr}"
    return result.stdout


def run_everything(networks, *options, **switches):
    """Run every kernel in a fresh process, with the cache that these tests use themselves.

    Returns the results by game and agent, and the names of the kernels that were compiled.
    """
    script = TESTS / "kernel_run.py"
    report = json.loads(run(script, networks, *options, cache=cache_root(), **switches))
    return report["results"], report["compiled"]


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """A folder with a policy file for each game."""
    folder = tmp_path_factory.mktemp("networks")
    for spec in SMALL_GAMES:
        write_network(folder / f"{make_game(spec).name}.onnx", spec)
    return folder


@pytest.fixture(scope="module")
def results(networks):
    """The results of a process that compiles what no test has compiled before."""
    return run_everything(networks)[0]


@pytest.mark.thorough
def test_every_game_and_agent_is_run(results):
    for spec in SMALL_GAMES:
        assert results[f"{spec} rules"]
        assert results[f"{spec} environment"]
    for name in AGENTS:
        assert any(decisions for case, decisions in results.items() if case.endswith(f" {name}"))


@pytest.mark.thorough
def test_a_second_process_loads_every_kernel_from_the_cache_with_the_same_results(
    results, networks
):
    assert run_everything(networks) == (results, [])


@pytest.mark.thorough
def test_interpreted_code_gives_the_same_results(results, networks):
    assert run_everything(networks, NUMBA_DISABLE_JIT="1") == (results, [])


@pytest.mark.thorough
def test_bounds_checks_find_nothing(results, networks):
    # Without optimisation, which takes half of the time and changes no check.
    switches = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"}
    values, _ = run_everything(networks, "--each-agent-once", **switches)
    assert values == {case: results[case] for case in values}
    assert {case.partition(" ")[2] for case in values} == {
        case.partition(" ")[2] for case in results
    }


@pytest.mark.thorough
def test_bounds_checks_catch_an_access_out_of_bounds_and_have_a_cache_of_their_own(tmp_path):
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


@pytest.fixture
def package(tmp_path):
    """A copy of the package, to be edited."""
    package = tmp_path / "copy" / "plyground"
    for name in ("agents", "envs", "evaluation", "extras"):
        if not (ROOT / name).is_dir():  # extras may be removed
            continue
        shutil.copytree(ROOT / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("__init__.py", "__init__.pyi"):
        shutil.copy(ROOT / name, package)
    return package


def test_an_edited_rule_is_seen_by_the_next_run(tmp_path, package):
    script = tmp_path / "count.py"
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
    rule = "if connects(stones, rules.rows, rules.connect):"
    source = package / "envs" / "games" / "connect_four" / "rules.py"
    assert rule in source.read_text()
    source.write_text(
        source.read_text().replace(rule, rule.replace("rules.connect)", "rules.connect + 1)"))
    )
    assert count() == four


def test_no_kernel_of_the_package_counts_as_a_users_own():
    """All kernels would depend on what this process has imported, and compile anew."""
    program = (
        "import plyground.agents; from plyground.envs.compiled.cache import own_sources as own; "
        "print(own.everywhere, len(own.files))"
    )
    assert run_python("-c", program).split() == ["False", "0"]


FINGERPRINTS = """
import json
from pathlib import Path
from plyground.agents.search import alphabeta_kernels, mcts_kernels
from plyground.envs.compiled import cache, sources
from plyground.envs.compiled.cache import source_fingerprint
from plyground.envs.workers.jobs import Needs
from plyground.envs.compiled.sources import PLAYING_FOLDERS
cache.SETTLED_SECONDS = 0  # hashes are kept though the sources are new
found = {module.__name__.rpartition(".")[2]: source_fingerprint(Path(module.__file__).resolve())
         for module in (alphabeta_kernels, mcts_kernels)}
scans = sources._scan.cache_info().currsize
found["workers"] = Needs(folders=PLAYING_FOLDERS).versions()["plyground"]
print(json.dumps([found, bool(scans)]))
"""


@pytest.mark.parametrize(
    ("edited", "changed"),
    [
        # Opponents inside vector steps and games that are played at once register a rule's body,
        # and call alpha-beta and mcts: what calls a rule counts as calling them.
        ("agents/search/mcts_kernels.py", {"alphabeta_kernels", "mcts_kernels", "workers"}),
        ("agents/search/descent.py", {"alphabeta_kernels", "mcts_kernels", "workers"}),
        ("agents/search/alphabeta_kernels.py", {"alphabeta_kernels", "mcts_kernels", "workers"}),
        ("agents/human.py", {"workers"}),
        ("envs/games/connect_four/rules.py", {"alphabeta_kernels", "mcts_kernels", "workers"}),
        ("evaluation/statistics/ratings.py", {"workers"}),
        ("extras/games/hex/drawing.py", {"workers"}),
    ],
)
@pytest.mark.fast_cases(1)
def test_an_edit_in_a_sub_folder_changes_the_fingerprints_that_depend_on_it(
    tmp_path, package, edited, changed
):
    script = tmp_path / "fingerprints.py"
    script.write_text(FINGERPRINTS)

    def fingerprints():
        output = run(script, cache=tmp_path / "cache", path=[package.parent], NUMBA_DISABLE_JIT="1")
        return json.loads(output)

    before, _ = fingerprints()
    assert fingerprints() == [before, False]  # no source is read again
    path = package / edited
    then = path.stat()
    path.write_bytes(path.read_bytes().replace(b"e", b"a", 1))  # in the docstring
    os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))  # of the same size and age
    after, is_read = fingerprints()
    assert {name for name in before if before[name] != after[name]} == changed
    assert is_read


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_a_game_without_a_file_works_and_is_seen_when_it_changes(tmp_path):
    """As in a notebook or at the prompt."""
    own = (ROOT / "examples" / "own_game.py").read_text().replace("__main__", "never")
    rule = "legal = min(rules.most, rules.goal - position.count)"
    other = own.replace(rule, rule.replace("rules.most", "rules.most - 1"))
    assert other != own
    for code, leaves in ((own, "27"), (own, "27"), (other, "8")):
        assert run(
            "-c", code + COUNT.format(spec="twenty_one", depth=3), cache=tmp_path / "cache"
        ).split() == [leaves]


@pytest.mark.thorough
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


FIRST_STEP = """
import sys
from numba.core import event
from plyground.envs.aec import env
with event.install_recorder("numba:compile") as compilations:
    for spec in sys.argv[1:]:
        board = env(spec)
        board.reset(seed=1)
        board.step(int(board.last()[0]["action_mask"].argmax()))
print(bool(compilations.buffer), *(name for name in sys.modules if name.endswith(".rules")))
"""


def test_a_game_whose_code_is_loaded_loads_no_other_game():
    others, one = SMALL_GAMES[:2], SMALL_GAMES[-1]
    run("-c", FIRST_STEP, *others, one, cache=cache_root())
    compiles, *rules = run("-c", FIRST_STEP, one, cache=cache_root()).split()
    own = type(make_game(one).rules).__module__
    assert (compiles, {name for name in rules if ".games." in name}) == ("False", {own})


def test_cache_folders_unused_for_thirty_days_are_removed(tmp_path):
    now = time.time()
    for name, days in (("old", 31), ("recent", 29)):
        marker = tmp_path / name / "last_used"
        marker.parent.mkdir()
        marker.touch()
        os.utime(marker, (now - days * 86400,) * 2)
    (tmp_path / "not_ours").mkdir()
    use = "from plyground.envs.compiled.randomness import GAMMA, mix64; mix64(GAMMA)"
    run("-c", use, cache=tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {name for name in names if not re.fullmatch("[0-9a-f]{20}", name)} == {
        "recent",
        "not_ours",
    }
