"""An error of plyground, or of what it stands on, is nobody's fault: the run ends, no game is lost.

Only agents that are others' code forfeit by raising.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys

import pytest
from command_line import invoke
from helpers import BREAKING, count_games, play
from plyground import make_agent, make_game
from plyground.agents.faults import RAISED, begin
from plyground.agents.random_agent import RandomAgent
from plyground.agents.registry import agent_classes
from plyground.envs.workers.error_output import LAST_PART, PASSED_ON
from plyground.envs.workers.errors import RunnerError
from plyground.envs.workers.jobs import HERE, JobPlace
from plyground.evaluation.match import play_game
from plyground.evaluation.plan import Plan
from plyground.evaluation.runners.contest import Contest
from plyground.evaluation.runners.isolation import IsolatedAgent
from plyground.evaluation.store.store import Store, StoreError

GAME = make_game("tic_tac_toe")
PLAN = Plan("tic_tac_toe", ("random", "greedy"), pairs=2)
FULL = OSError(errno.ENOSPC, "No space left on device", "/full")
ERRORS = [FULL, MemoryError(), KeyError("lost"), SystemExit(3)]


def raises(error):
    """A method that raises this error."""

    def method(self, *arguments):
        raise error

    return method


def test_the_agents_whose_moves_others_choose_are_those_that_run_their_code():
    classes = agent_classes().items()
    ours = {name: each for name, each in classes if each.__module__.startswith("plyground.")}
    foreign = {name: each for name, each in ours.items() if each.foreign}
    core = {name for name, each in foreign.items() if ".extras." not in each.__module__}
    assert core == {"python"}
    assert foreign.keys() - core <= {"gomocup", "kaggle", "openspiel", "llm"}
    assert all(agent_class.isolated for agent_class in foreign.values())

    class OfTheUser(RandomAgent):
        """Derived from an agent of plyground's."""

    assert OfTheUser.foreign
    assert not RandomAgent.foreign


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("method", ["_choose_action", "prepare", "reset"])
def test_an_error_in_an_agent_of_plyground_ends_the_match_and_one_in_anothers_forfeits(
    method, error, monkeypatch
):
    class OfTheUser(RandomAgent):
        pass

    ours, theirs, other = make_agent("random"), OfTheUser(), make_agent("greedy")
    monkeypatch.setattr(OfTheUser, method, raises(error), raising=False)
    result = play_game(GAME, [theirs, other])
    assert (result.fault, result.forfeited) == (RAISED, 0)
    monkeypatch.setattr(RandomAgent, method, raises(error))
    with pytest.raises(type(error)):
        play_game(GAME, [ours, other])


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Breaks the agent ``random`` here and in all processes that are started."""
    (tmp_path / "breaking.py").write_text(BREAKING)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(Contest, "modules", ("breaking",))
    monkeypatch.setattr(RandomAgent, "_choose_action", raises(FULL))


@pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX")
@pytest.mark.parametrize(
    ("place", "isolation"),
    [(HERE, "never"), (JobPlace("processes", concurrency=1), "never"), (HERE, "always")],
    ids=["here", "in a worker", "isolated"],
)
@pytest.mark.fast_cases(1)
def test_an_error_in_an_agent_of_plyground_ends_a_tournament_and_nothing_is_stored(
    place, isolation, broken, tmp_path
):
    with pytest.raises(OSError, match="No space left on device") as error:
        play(PLAN, tmp_path / "store.db", place, isolate=isolation)
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, "/full")
    assert count_games(tmp_path / "store.db") == 0


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (FULL, 2, "plyground: /full: No space left on device"),
        (MemoryError(), 2, "plyground: not enough memory: a request failed"),
        (KeyError("lost"), 1, "plyground: internal error: KeyError: 'lost'"),
    ],
    ids=["disk", "memory", "bug"],
)
def test_a_command_ends_with_a_sentence_and_stores_nothing(
    error, status, sentence, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(RandomAgent, "_choose_action", raises(error))
    words = ["tournament", *(PLAN.game, *PLAN.agents), "--pairs", "2", "--store", "store.db"]
    result = invoke(words)
    assert result.exit_code == status
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
    assert count_games(tmp_path / "store.db") == 0


@pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX")
def test_a_dead_process_of_an_agent_of_plyground_is_no_forfeit():
    opponent = make_agent("random")
    with contextlib.closing(IsolatedAgent("greedy", GAME, in_match=True)) as player:
        begin(player, GAME, 1)
        os.kill(player.pid, signal.SIGKILL)
        with pytest.raises(RunnerError, match=r"greedy was killed by signal 9 .*not counted"):
            player.act(GAME.initial_position())
        assert play_game(GAME, [player, opponent]).fault is None


# -- what others' agents do to their surroundings --

OWN = """
import os
import sys
from pathlib import Path


class Moves:
    "Changes the working folder, and takes the store away when it is told to."

    def act(self, position):
        for store in [path for path in Path().glob("store.db") if Path("remove").exists()]:
            store.unlink()
        os.chdir("/")
        return position.legal_actions()[0]


def talks(position):
    print("x" * 1000_000, file=sys.stderr)
    print("the end")
    return position.legal_actions()[0]


def leaves(position):
    raise KeyboardInterrupt


class Unmade:
    def __init__(self):
        raise GeneratorExit
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of a user's, in the current folder."""
    (tmp_path / "own_agents.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "own_agents", raising=False)


@pytest.mark.usefixtures("agents_in_this_process")
def test_an_agent_that_changes_the_folder_moves_no_store(own, tmp_path):
    plan = PLAN.replace(agents=("random", "python:own_agents:Moves"))
    assert len(play(plan, "store.db", HERE, isolate="never")) == 4
    assert count_games(tmp_path / "store.db") == 4
    os.chdir(tmp_path)
    (tmp_path / "remove").touch()
    with pytest.raises(StoreError, match="its contents were saved in") as error:
        play(plan.replace(pairs=4), "store.db", HERE, isolate="never")
    assert str(tmp_path / "store.db.saved") in str(error.value)
    with Store(tmp_path / "store.db.saved") as store:
        assert store.tournaments()


@pytest.mark.skipif(os.name != "posix", reason="worker processes need POSIX")
def test_the_standard_error_of_an_isolated_agent_is_cut(own, capfd):
    with contextlib.closing(IsolatedAgent("python:own_agents:talks", GAME)) as player:
        begin(player, GAME, 1)
        player.act(GAME.initial_position())
    errors = capfd.readouterr().err
    assert len(errors) < PASSED_ON + LAST_PART + 200
    assert errors.startswith("xxx")
    assert errors.endswith("the end\n")
    assert f"{1000_009 - PASSED_ON - LAST_PART} bytes of an agent's standard error" in errors
