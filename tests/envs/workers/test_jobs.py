"""Independent jobs: the same results wherever they are done, also when workers are lost."""

from __future__ import annotations

import functools
import itertools
import os
import pickle
import select
import signal
from pathlib import Path

import pytest
from plyground import make_game
from plyground.agents.solvers.chunks import solve_chunks
from plyground.envs.specification import SpecificationError
from plyground.envs.workers.errors import RunnerError
from plyground.envs.workers.jobs import JobPlace, Needs, Work, outcome_of, result_of

pytestmark = pytest.mark.thorough

PLACES = (
    JobPlace(),
    JobPlace("local"),
    JobPlace(concurrency=2),
    JobPlace("processes", concurrency=3),
)


def double(prepared, number, *more):
    return prepared, 2 * number, *more


def refuse(prepared, number):
    if number == 3:
        raise SpecificationError("3 is not possible")
    return number


def die_once(folder, number):
    """End the process over job 2, the first time; over job 5 always."""
    mark = folder / str(number)
    if number == 5 or (number == 2 and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def long_answer(prepared, number):
    """More than a socket holds: it is being sent until it is read."""
    return b"x" * number


def answer(solver, actions):
    return solver.solve(solver.game.position(actions)).value


@pytest.mark.parametrize("place", PLACES)
def test_results_are_the_same_wherever_jobs_are_done(place):
    work = Work(double, functools.partial(str, "ready"))
    with place.open(work) as jobs:
        expected = [(number, ("ready", 2 * number)) for number in range(20)]
        assert list(jobs.results(range(20), in_order=True)) == expected
        assert sorted(jobs.results(range(20))) == expected
        shared = jobs.share([7, 8])
        answers = [jobs.submit(number, shared) for number in range(3)]
        assert [each.read() for each in answers] == [("ready", 2 * n, [7, 8]) for n in range(3)]


@pytest.mark.parametrize("place", PLACES)
def test_jobs_are_taken_lazily_and_errors_are_raised_where_results_are_asked_for(place):
    with place.open(Work(refuse, int)) as jobs:
        results = jobs.results(itertools.count(), in_order=True)
        assert list(itertools.islice(results, 3)) == [(0, 0), (1, 1), (2, 2)]
        with pytest.raises(SpecificationError, match="3 is not possible"):
            next(results)


def test_a_job_is_done_again_when_its_process_dies_and_given_up_in_the_end(tmp_path):
    with JobPlace("processes", concurrency=2).open(
        Work(die_once, functools.partial(Path, tmp_path))
    ) as jobs:
        assert sorted(jobs.results(range(5))) == [(number, number) for number in range(5)]
        with pytest.raises(RunnerError, match=r"a worker process was killed by signal 9"):
            jobs.submit(5).read()


@pytest.mark.parametrize("job", [2, 5])
def test_the_loss_of_a_process_stands_for_a_result_where_work_says_so(job, tmp_path):
    work = Work(die_once, functools.partial(Path, tmp_path), lost="job lost: {}".format)
    with JobPlace("processes", concurrency=1).open(work) as jobs:
        lost = "job lost: was killed by signal 9 (SIGKILL)"
        assert list(jobs.results([1, job, 3])) == [(0, 1), (1, lost), (2, 3)]


def end(*arguments):
    os._exit(4)


def test_processes_that_end_before_they_can_do_anything_are_an_error_whatever_work_says():
    work = Work(double, end, lost=str)
    with (
        JobPlace("processes", concurrency=2).open(work) as jobs,
        pytest.raises(RunnerError, match="a worker process ended its process with exit status 4"),
    ):
        jobs.get_ready()


def test_positions_are_solved_in_this_process_and_in_others_alike():
    game = make_game("tic_tac_toe")
    chunks = [(), (0,), (0, 1), (4, 0)]
    alone = sorted(solve_chunks(game, answer, chunks))
    assert [value > 0 for _, value in alone] == [False, False, True, False]
    assert sorted(solve_chunks(game, answer, chunks, JobPlace(concurrency=2))) == alone


def test_a_place_that_does_not_exist_is_refused():
    for place, complaint in (
        ({"runner": "cloud"}, "runner must be one of local, processes"),
        ({"runner": "local", "address": "192.0.2.1:1"}, "--runner .* has an --address"),
        ({"concurrency": 0}, "concurrency must be a whole number of at least 1"),
        ({"runner": "local", "concurrency": 2}, "--runner local runs one job at a time"),
    ):
        with pytest.raises(SpecificationError, match=complaint):
            JobPlace(**place).runner_of()
    with pytest.raises(SpecificationError, match="definitions in the main script"):
        JobPlace(concurrency=2).open(Work(refuse, int, Needs(("__main__",))))


def test_a_worker_of_another_version_is_refused_by_name():
    work = Work(refuse, int, Needs(packages=("numpy",)))
    needs, folder, versions, pickled = pickle.loads(work.packed())
    package = pickle.dumps((needs, folder, versions | {"numpy": "1.0"}, pickled))
    with pytest.raises(SpecificationError, match=r"a different version of numpy \(.*\(1\.0\)"):
        result_of(outcome_of(package, [pickle.dumps(1)]))


def test_a_worker_whose_answer_nobody_reads_any_more_ends_without_a_trace(capfd):
    """Ctrl-C ends a run that measures its learner while its workers play the next games."""
    jobs = JobPlace("processes", concurrency=1).open(Work(long_answer, str))
    jobs.get_ready()
    (process,) = jobs._processes
    message = pickle.dumps([jobs.share(50_000_000)])
    process.send(message)
    assert select.select([process.connection], [], [], 60)[0]
    process.connection.close()
    assert process._process.wait(60) == 0
    jobs.close()
    assert capfd.readouterr().err == ""
