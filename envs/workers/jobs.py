"""Lists of independent jobs: done by this process, by processes of this machine, by other machines.

A job depends only on its arguments. So its result does not depend on where it runs, and it is
repeated if a process or a machine is lost.

Extras and other packages register runners on other machines as
:data:`~plyground.envs.loading.packages.PLACES`, by name: a runner is called with the work, the
address and the concurrency of a :class:`JobPlace`, and returns :class:`Jobs`. Its workers get
:meth:`Work.packed` and run jobs by :func:`outcome_of`; :func:`result_of` reads their messages.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.metadata
import pickle
import platform
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from multiprocessing.connection import Connection
from multiprocessing.pool import ExceptionWithTraceback  # type: ignore[attr-defined]
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Any, ClassVar, NamedTuple

from ..compiled.sources import KERNEL_FOLDERS, digest_of, package_sources
from ..loading.packages import PLACES
from ..loading.registry import Registry
from ..loading.settings import Settings, setting
from ..loading.version import __version__
from ..registry import import_modules
from ..specification import SpecificationError
from .errors import RunnerError
from .process import WorkerDeath, WorkerProcess
from .processors import available_processors

LOCAL, PROCESSES = "local", "processes"
# The runners on other machines, by name; plyground's comes first.
ELSEWHERE: Registry[str, Any] = Registry("there is no runner", PLACES)
RUNNERS = (LOCAL, PROCESSES, *ELSEWHERE)
ATTEMPTS = 3  # attempts at a job whose process dies, on this machine


class Needs(NamedTuple):
    """The requirements of work on any machine.

    Attributes:
        modules: the modules that define the game and the agents.
        folders: the folders of plyground whose sources determine the results.
        packages: the packages whose versions determine the results.
        gpu: whether a job uses the GPU of its machine, if there is one.
    """

    modules: tuple[str, ...] = ()
    folders: tuple[str, ...] = KERNEL_FOLDERS
    packages: tuple[str, ...] = ("numpy", "numba")
    gpu: bool = False

    def versions(self) -> dict[str, str]:
        """The local versions of everything that determines the results, by name."""
        sources = digest_of(package_sources(*self.folders))
        return {
            "plyground": f"{__version__} (sources {sources[:10]})",
            "Python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in self.packages},
        }


class Work(NamedTuple):
    """The functions of a kind of job; module-level functions, since they are pickled.

    Attributes:
        do: called as ``do(prepared, *arguments)`` with a job's arguments; returns its result.
        prepare: makes the shared object of a process's jobs, such as a solver; called once in each.
            If this process runs the jobs, the object's ``close`` is called at the end, if it has
            one.
        needs: the requirements of a process.
        lost: returns the result for a job whose process or machine was lost, called with the
            reason; None: the job is repeated.
    """

    do: Callable[..., Any]
    prepare: Callable[[], Any]
    needs: Needs = Needs()
    lost: Callable[[str], Any] | None = None

    def packed(self) -> bytes:
        """The work as a message for another process, with everything that must be equal there."""
        needs = self.needs
        return pickle.dumps((needs, str(Path.cwd()), needs.versions(), pickle.dumps(self)))


class Answer(NamedTuple):
    """The future result of a job.

    Attributes:
        future: the future of the job; None if it runs when its result is requested.
        read: waits for the result and returns it, or raises the error of the job.
    """

    future: Future[Any] | None
    read: Callable[[], Any]


@dataclasses.dataclass(frozen=True)
class JobPlace(Settings):
    """Where jobs run, and how many in parallel.

    Raises:
        SpecificationError: a value that is not possible.
    """

    subject: ClassVar[str] = "jobs"

    runner: str | None = setting(
        None,
        "Runner of the jobs (default: this process, or processes for parallel jobs).",
        choices=RUNNERS,
        no_effect="a job depends only on its arguments",
    )
    address: str | None = setting(
        None,
        "Address of the runner's cluster, or auto (default: start one on this machine).",
        metavar="HOST:PORT",
        no_effect="as of the runner",
    )
    concurrency: int | None = setting(
        None,
        "Parallel jobs (default: 1; one for each processor with a runner other than local).",
        low=1,
        metavar="N",
        no_effect="as of the runner",
    )

    def runner_of(self, usual: int = 1) -> str:
        """The name of the runner.

        Args:
            usual: the default number of parallel jobs.

        Raises:
            SpecificationError: its options do not fit it.
        """
        single = (self.concurrency or usual) == 1
        usual_runner = LOCAL if single else PROCESSES
        if self.address:
            usual_runner = next(iter(ELSEWHERE), usual_runner)
        runner = self.runner or usual_runner
        if self.address and runner not in ELSEWHERE:
            names = " or ".join(ELSEWHERE)
            able = f"only --runner {names}" if names else "no --runner here"
            raise SpecificationError(f"{able} has an --address")
        if runner == LOCAL and self.concurrency not in (None, 1):
            raise SpecificationError(
                f"--concurrency {self.concurrency} is not possible: --runner local runs one job "
                f"at a time; use --runner processes"
            )
        return runner

    @property
    def is_elsewhere(self) -> bool:
        """Whether the jobs run on other machines, which have their own files."""
        return self.runner_of() in ELSEWHERE

    def or_all_processors(self) -> JobPlace:
        """This place; by default all processors of this machine."""
        return JobPlace(concurrency=available_processors()) if self == HERE else self

    def open(self, work: Work, usual: int = 1) -> Jobs:
        """The workers for a kind of job; the caller closes them.

        Args:
            work: the functions of the jobs.
            usual: the default number of parallel jobs.

        Raises:
            SpecificationError: as :meth:`runner_of`; the runner needs a library that is not
                installed; or the game or an agent is defined where other processes cannot import
                it.
            RunnerError: there is no cluster at this address, or its machines cannot do the work.
        """
        runner = self.runner_of(usual)
        if runner == LOCAL:
            return LocalJobs(work)
        if "__main__" in work.needs.modules:
            raise SpecificationError(
                "other processes cannot import definitions in the main script; put the game "
                "or agent into a module and import it"
            )
        if runner in ELSEWHERE:
            jobs: Jobs = ELSEWHERE.get(runner)(work, self.address, self.concurrency)
            return jobs
        count = self.concurrency or (usual if usual > 1 else available_processors())
        return ProcessJobs(work, count)


HERE = JobPlace()


class Jobs(ABC):
    """Runs jobs of one kind.

    Attributes:
        runner: one of :data:`RUNNERS`.
        count: the number of parallel jobs.
        ahead: the number of jobs submitted before the first result is taken.
        network_bytes: bytes sent to and received from other machines so far.
    """

    runner: ClassVar[str] = LOCAL
    count: int = 1
    ahead: int = 0
    network_bytes: int = 0

    @abstractmethod
    def submit(self, *arguments: Any) -> Answer:
        """Submit a job; its arguments are data, or results of :meth:`share`."""

    def get_ready(self) -> None:
        """Wait until a job can start at once; an error of the preparation is raised here."""

    def share(self, value: Any) -> Any:
        """A shared argument of many jobs, packed and sent as rarely as possible."""
        return value

    def results(self, jobs: Iterable[Any], *, in_order: bool = False) -> Iterator[tuple[int, Any]]:
        """The number and the result of each job, as soon as it is done or in the jobs' order.

        ``jobs`` is iterated lazily; each item is the one argument of a job.
        """
        waiting: deque[tuple[int, Answer]] = deque()
        for number, job in enumerate(jobs):
            waiting.append((number, self.submit(job)))
            if len(waiting) > self.ahead:
                yield self._next(waiting, in_order)
        while waiting:
            yield self._next(waiting, in_order)

    def _next(self, waiting: deque[tuple[int, Answer]], in_order: bool) -> tuple[int, Any]:
        """Take the first finished one, or the first."""
        entry = waiting[0]
        if entry[1].future is not None and not in_order:
            entries = {answer.future: (number, answer) for number, answer in waiting}
            done, _ = wait([each for each in entries if each], return_when=FIRST_COMPLETED)
            entry = min((entries[each] for each in done), key=lambda each: each[0])
        waiting.remove(entry)
        number, answer = entry
        return number, answer.read()

    @abstractmethod
    def close(self) -> None:
        """Stop the workers; unfinished jobs are cancelled."""

    def __enter__(self) -> Jobs:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class LocalJobs(Jobs):
    """Runs a job in this process when its result is requested."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._prepared: Any = work.prepare()

    def submit(self, *arguments: Any) -> Answer:
        return Answer(None, functools.partial(self._work.do, self._prepared, *arguments))

    def close(self) -> None:
        close = getattr(self._prepared, "close", None)
        if close is not None:
            close()
        self._prepared = None


class ProcessJobs(Jobs):
    """Runs jobs in processes of this machine; a thread waits for each.

    Args:
        work: the functions of the jobs.
        count: the number of processes.
    """

    runner = PROCESSES

    def __init__(self, work: Work, count: int) -> None:
        self.count, self.ahead = count, 2 * count
        self._package, self._lost = work.packed(), work.lost
        self._processes: set[WorkerProcess] = set()
        self._ready: set[WorkerProcess] = set()
        self._idle: SimpleQueue[WorkerProcess] = SimpleQueue()
        self._starting, self._closed = Lock(), False
        for _ in range(count):
            self._idle.put(self._start())
        self._threads = ThreadPoolExecutor(count)

    def _start(self) -> WorkerProcess:
        with self._starting:
            if self._closed:
                raise RunnerError("the jobs were cancelled")
            process = WorkerProcess(__name__)
            self._processes.add(process)
        with contextlib.suppress(WorkerDeath):  # the waiting caller reports it
            process.send(self._package)
        return process

    def get_ready(self) -> None:
        self._do(None)

    def share(self, value: Any) -> Any:
        return _Packed(pickle.dumps(value))

    def submit(self, *arguments: Any) -> Answer:
        parts = [each if isinstance(each, _Packed) else self.share(each) for each in arguments]
        future = self._threads.submit(self._do, pickle.dumps(parts))
        return Answer(future, future.result)

    def _do(self, message: bytes | None) -> Any:
        """The result of a job; without a job, a process only prepares."""
        process = self._idle.get()
        try:
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    if process not in self._ready:
                        prepared = process.receive()
                        self._ready.add(process)
                        result_of(prepared)
                    if message is None:
                        return None
                    process.send(message)
                    return result_of(process.receive())
                except WorkerDeath as death:
                    had_begun = process in self._ready
                    self._processes.discard(process)
                    process.kill()
                    process = self._start()
                    if had_begun and self._lost is not None:
                        return self._lost(str(death))
                    if attempt == ATTEMPTS:
                        raise RunnerError(f"a worker process {death}") from None
        finally:
            self._idle.put(process)

    def close(self) -> None:
        with self._starting:
            self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in list(self._processes):
            process.kill()


class _Packed(NamedTuple):
    """An argument that is pickled already."""

    data: bytes


def serve(connection: Connection) -> None:
    """In a worker process: run jobs until the other side closes the connection."""
    package = connection.recv_bytes()
    connection.send_bytes(outcome_of(package, None))
    while True:
        parts: list[_Packed] = pickle.loads(connection.recv_bytes())
        connection.send_bytes(outcome_of(package, [each.data for each in parts]))


def difference(there: dict[str, str], here: dict[str, str]) -> str | None:
    """A sentence on a version that differs between a worker and this process; None if all match.

    Names that only one of them has are ignored.
    """
    for name in here.keys() & there.keys():
        if here[name] != there[name]:
            return (
                f"a worker has a different version of {name} ({there[name]}) from this program "
                f"({here[name]}); install the same versions everywhere"
            )
    return None


def outcome_of(package: bytes, arguments: list[bytes] | None) -> bytes:
    """A job's result, or its error, as a message; without arguments, for the preparation.

    Args:
        package: the work, :meth:`Work.packed`.
        arguments: the arguments of the job, each pickled.
    """
    try:
        work, prepared = _open(package)
        result = None
        if arguments is not None:
            result = work.do(prepared, *map(pickle.loads, arguments))
        return pickle.dumps((None, result))
    except Exception as error:
        with contextlib.suppress(Exception):  # some errors cannot be pickled
            return pickle.dumps((ExceptionWithTraceback(error, error.__traceback__), None))
        return pickle.dumps((RunnerError(f"{type(error).__name__}: {error}"), None))


def result_of(outcome: bytes) -> Any:
    """The result in a message of :func:`outcome_of`; an error in it is raised."""
    error, result = pickle.loads(outcome)
    if error is not None:
        raise error
    return result


@functools.lru_cache(maxsize=1)
def _open(package: bytes) -> tuple[Work, Any]:
    """The work in this process, and its prepared object.

    Raises:
        SpecificationError: versions differ from those of the sender of the jobs, or a module is
            missing.
    """
    needs, folder, versions, pickled = pickle.loads(package)
    differs = difference(needs.versions(), versions)
    if differs:
        raise SpecificationError(differs)
    if folder not in sys.path:
        sys.path.append(folder)
    import_modules(needs.modules)
    work: Work = pickle.loads(pickled)
    return work, work.prepare()
