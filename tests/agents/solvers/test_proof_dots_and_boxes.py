"""Proofs of dots and boxes in a folder: right, resumed after any end, refused if damaged."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from command_line import done, plyground
from plyground import make_game
from plyground.agents.solvers.dots_and_boxes.proof import ANSWERS, TABLE
from plyground.agents.solvers.solver import make_solver
from plyground.envs.specification import SpecificationError

pytestmark = pytest.mark.thorough

THREE, TWO = "dots_and_boxes:rows=3,cols=3", "dots_and_boxes:rows=2,cols=3"
LARGER = "dots_and_boxes:rows=3,cols=4"


def prove(folder, game=THREE, most_nodes=None, threads=1, memory=4, **options):
    """The solution of the whole board by a proof in a folder, which is begun or continued."""
    solver = make_solver(make_game(game), memory, threads)
    solver._lookup = None  # boards that would be looked up are searched too
    with solver.proving(folder):
        position = solver.game.initial_position()
        return solver.solve(position, most_nodes=most_nodes, **options)


def answers_in(folder):
    """What is asked and answered, without what it cost."""
    _, *lines = (folder / ANSWERS).read_text().splitlines()
    return [[json.loads(line)[name] for name in ("drawn", "at_least", "holds")] for line in lines]


@pytest.fixture(scope="module", params=[THREE, TWO])
def proof(request, tmp_path_factory):
    """A game, the folder of its proof, and its solution."""
    folder = tmp_path_factory.mktemp("proof")
    return request.param, folder, prove(folder, request.param, moves="all")


def test_a_proof_has_the_value_and_its_answers_are_right(proof):
    game, folder, solution = proof
    solver = make_solver(make_game(game))
    expected = solver.solve(solver.game.initial_position(), moves="all")
    assert (solution.value, solution.values) == (expected.value, expected.values)
    answers = answers_in(folder)
    assert len(answers) >= 10
    for drawn, at_least, holds in answers:
        position = solver.game.position(drawn.split(","))
        assert position.ply == 2
        assert (solver.solve(position).value >= at_least) == holds


def test_an_interrupted_proof_has_the_answers_of_an_uninterrupted_one(proof, tmp_path):
    game, folder, solution = proof
    calls, values = 0, None
    while values != solution.values:
        values = prove(tmp_path, game, solution.nodes // 5, moves="all").values
        calls += 1
    assert calls > 3
    assert answers_in(tmp_path) == answers_in(folder)


def test_answers_do_not_depend_on_threads_or_memory(tmp_path):
    parts = tmp_path / "one", tmp_path / "two"
    prove(parts[0], LARGER, threads=1, memory=16)
    prove(parts[1], LARGER, threads=2, memory=1)
    assert len(answers_in(parts[0])) > 10
    assert answers_in(parts[0]) == answers_in(parts[1])


def test_a_table_goes_on_without_answers_and_answers_go_on_without_a_table(proof, tmp_path):
    game, _, solution = proof
    first = prove(tmp_path, game)
    answers = answers_in(tmp_path)
    (tmp_path / ANSWERS).unlink()
    assert prove(tmp_path, game).nodes < first.nodes / 10
    assert answers_in(tmp_path) == answers
    (tmp_path / TABLE).unlink()
    again = prove(tmp_path, game, memory=1)
    assert again.value == solution.value
    assert answers_in(tmp_path) == answers


KILLED = """
import os, signal, sys
from pathlib import Path
from plyground import make_game
from plyground.agents.solvers.dots_and_boxes.proof import BoxesProof
from plyground.agents.solvers.solver import make_solver

def add(self, *result):
    if len(self.answers) == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    kept(self, *result)

kept, BoxesProof.add = BoxesProof.add, add
solver = make_solver(make_game(sys.argv[2]), 4)
with solver.proving(Path(sys.argv[1])):
    solver.solve(solver.game.initial_position())
"""


def test_a_killed_proof_goes_on_with_answers_and_table(tmp_path):
    whole, part = tmp_path / "whole", tmp_path / "part"
    nodes = prove(whole).nodes
    process = subprocess.run([sys.executable, "-c", KILLED, part, THREE], check=False)
    assert process.returncode == -signal.SIGKILL
    assert answers_in(part) == answers_in(whole)[:7]
    (part / ANSWERS).rename(part / "seven")
    assert prove(part, most_nodes=nodes).nodes < 0.9 * nodes  # the table alone
    (part / "seven").rename(part / ANSWERS)
    prove(part)
    assert answers_in(part) == answers_in(whole)


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        (ANSWERS, lambda content: content[:-20], "is damaged"),
        (ANSWERS, lambda content: content.replace(b"h 1 1", b"h 9 1", 1), "is damaged: .*h 9 1"),
        (ANSWERS, lambda content: content.replace(b"3", b"4", 1), "answers.jsonl holds no answers"),
        (ANSWERS, lambda content: content.replace(b"1", b"9", 1), "of format 9, .* reads format 1"),
        (TABLE, lambda content: content[:-64], "holds no table of 1 MiB for 3 × 3 boxes"),
        (TABLE, lambda content: content.replace(b"3 x 3", b"3 x 4"), "holds no table"),
    ],
)
def test_a_damaged_file_is_refused_and_stays(name, damage, message, tmp_path):
    prove(tmp_path, most_nodes=20_000, memory=1)
    path = tmp_path / name
    path.write_bytes(damage(path.read_bytes()))
    before = path.read_bytes()
    with pytest.raises(SpecificationError, match=message):
        prove(tmp_path, memory=1)
    assert path.read_bytes() == before


def test_a_table_of_another_size_is_refused(tmp_path):
    prove(tmp_path, LARGER, most_nodes=1, memory=1)
    with pytest.raises(SpecificationError, match="use the memory it was made with"):
        prove(tmp_path, LARGER, most_nodes=1, memory=2)


def test_a_folder_in_use_is_refused(tmp_path):
    solver = make_solver(make_game(THREE), 1)
    with solver.proving(tmp_path), pytest.raises(SpecificationError, match="being continued"):
        prove(tmp_path)


def test_the_command_proves_goes_on_and_checks(tmp_path):
    command = "solve", THREE, "--memory", 1, "--threads", 1, "--proof", tmp_path
    for _ in range(2):
        result = done(*command)
        assert "-3: Red (A), who is to move, loses" in result.output
        assert f"holds {len(answers_in(tmp_path))} answers" in result.stderr
    result = plyground(*command, "--check", 5)
    assert "5 results in" in result.output
    assert result.exit_code == 0
    path = tmp_path / ANSWERS
    path.write_text(path.read_text().replace('"holds": false', '"holds": true'))
    result = plyground(*command, "--check", 100)
    assert "has wrong results for the positions after: " in result.stderr
    assert result.exit_code == 1


def test_a_game_whose_solver_keeps_no_proofs_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = plyground("solve connect_four --proof here")
    assert result.exit_code == 2
    assert "the solver of connect_four keeps no proofs" in result.stderr
    assert not list(tmp_path.iterdir())
