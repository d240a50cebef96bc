"""Lists of independent jobs: done by this process, by processes of this machine, by other machines.

A job depends on nothing but its arguments. So it is the same whoever does it, and it is done again
where a process or a machine is lost.

Extras and other packages plug in what reaches other machines as
:data:`~plyground.envs.loading.packages.PLACES`, by the name of the runner: it is called with the
work, the address and the concurrency of a :class:`JobPlace`, and returns :class:`Jobs`. Its workers
get :meth:`Work.packed` and do jobs by :func:`outcome_of`; :func:`result_of` reads what they send.
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
# What reaches other machines, by the runner's name; that of plyground itself comes first.
ELSEWHERE: Registry[str, Any] = Registry("there is no runner", PLACES)
RUNNERS = (LOCAL, PROCESSES, *ELSEWHERE)
ATTEMPTS = 3  # processes of this machine that may die over a job


class Needs(NamedTuple):
    """What work needs wherever it is done.

    Attributes:
        modules: that define the game and the agents.
        folders: of plyground, whose sources decide the results.
        packages: whose versions decide the results.
        gpu: whether a job uses the GPU of its machine, if there is one.
    """

    modules: tuple[str, ...] = ()
    folders: tuple[str, ...] = KERNEL_FOLDERS
    packages: tuple[str, ...] = ("numpy", "numba")
    gpu: bool = False

    def versions(self) -> dict[str, str]:
        """The versions of all that decides the results, here, by name."""
        sources = digest_of(package_sources(*self.folders))
        return {
            "plyground": f"{__version__} (sources {sources[:10]})",
            "Python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in self.packages},
        }


class Work(NamedTuple):
    """What is done to every job; functions of modules, as they are pickled.

    Attributes:
        do: called as ``do(prepared, *arguments)`` with a job's arguments; returns its result.
        prepare: makes what all jobs of a process use, such as a solver; called once in each. What
            has a method ``close`` is closed in the end where this process does the jobs.
        needs: what a process needs.
        lost: gives what stands for the result of a job whose process or machine was lost, called
            with the reason; None: the job is done again.
    """

    do: Callable[..., Any]
    prepare: Callable[[], Any]
    needs: Needs = Needs()
    lost: Callable[[str], Any] | None = None

    def packed(self) -> bytes:
        """It as a message for another process, with what must be the same here and there."""
        needs = self.needs
        return pickle.dumps((needs, str(Path.cwd()), needs.versions(), pickle.dumps(self)))


class Answer(NamedTuple):
    """The result of a job, some time.

    Attributes:
        future: of the job; None if it is done when its result is asked for.
        read: waits for the result and returns it, or raises the error of the job.
    """

    future: Future[Any] | None
    read: Callable[[], Any]


@dataclasses.dataclass(frozen=True)
class JobPlace(Settings):
    """Where jobs are done, and how many at once.

    Raises:
        SpecificationError: a value that is not possible.
    """

    subject: ClassVar[str] = "jobs"

    runner: str | None = setting(
        None,
        "Where the work is done (default: this process, or processes where more is done at once).",
        choices=RUNNERS,
        no_effect="a job depends on nothing but its arguments",
    )
    address: str | None = setting(
        None,
        "Address of the runner's cluster, or auto (default: one is started on this machine).",
        metavar="HOST:PORT",
        no_effect="as of the runner",
    )
    concurrency: int | None = setting(
        None,
        "How much is done at once, each with memory of its own (default: 1; elsewhere than in this "
        "process as much as there are processors).",
        low=1,
        metavar="N",
        no_effect="as of the runner",
    )

    def runner_of(self, usual: int = 1) -> str:
        """The name of the runner.

        Args:
            usual: how many jobs are done at once by default.

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
                f"--concurrency {self.concurrency} is not possible: --runner local does one thing "
                f"at a time; take --runner processes"
            )
        return runner

    @property
    def is_elsewhere(self) -> bool:
        """Whether other machines do the work, which have files of their own."""
        return self.runner_of() in ELSEWHERE

    def or_all_processors(self) -> JobPlace:
        """This place; on all processors of this machine if nothing was asked for."""
        return JobPlace(concurrency=available_processors()) if self == HERE else self

    def open(self, work: Work, usual: int = 1) -> Jobs:
        """Those who do jobs of a kind; to be closed.

        Args:
            work: what is done to every job.
            usual: how many are done at once by default.

        Raises:
            SpecificationError: as :meth:`runner_of`; the runner needs a library that is not
                installed; or the game or an agent is defined where no other process finds it.
            RunnerError: there is no cluster at this address, or its machines cannot do the work.
        """
        runner = self.runner_of(usual)
        if runner == LOCAL:
            return LocalJobs(work)
        if "__main__" in work.needs.modules:
            raise SpecificationError(
                "other processes do not find what the main script defines; put the game or agent "
                "into a module and import it"
            )
        if runner in ELSEWHERE:
            jobs: Jobs = ELSEWHERE.get(runner)(work, self.address, self.concurrency)
            return jobs
        count = self.concurrency or (usual if usual > 1 else available_processors())
        return ProcessJobs(work, count)


HERE = JobPlace()


class Jobs(ABC):
    """Does jobs of one kind.

    Attributes:
        runner: one of :data:`RUNNERS`.
        count: how many jobs are done at once.
        ahead: how many jobs are handed out before the result of the first is taken.
        network_bytes: sent to other machines and received from them, so far.
    """

    runner: ClassVar[str] = LOCAL
    count: int = 1
    ahead: int = 0
    network_bytes: int = 0

    @abstractmethod
    def submit(self, *arguments: Any) -> Answer:
        """Let a job be done; its arguments are data, or what :meth:`share` returned."""

    def get_ready(self) -> None:
        """Wait until a job can be done at once; an error of the preparation is raised here."""

    def share(self, value: Any) -> Any:
        """An argument of many jobs, which is packed and sent as rarely as possible."""
        return value

    def results(self, jobs: Iterable[Any], *, in_order: bool = False) -> Iterator[tuple[int, Any]]:
        """The number and the result of each job, as soon as it is done or in the jobs' order.

        ``jobs`` is iterated lazily, each is the one argument of a job.
        """
        waiting: deque[tuple[int, Answer]] = deque()
        for number, job in enumerate(jobs):
            waiting.append((number, self.submit(job)))
            if len(waiting) > self.ahead:
                yield self._next(waiting, in_order)
        while waiting:
            yield self._next(waiting, in_order)

    def _next(self, waiting: deque[tuple[int, Answer]], in_order: bool) -> tuple[int, Any]:
        """Take the first that is done, or the first."""
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
        """End what was started; jobs that are not done are given up."""

    def __enter__(self) -> Jobs:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class LocalJobs(Jobs):
    """This process does a job when its result is asked for."""

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
    """Processes of this machine do the jobs; a thread waits for each.

    Args:
        work: what is done to every job.
        count: of processes.
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
                raise RunnerError("the jobs were given up")
            process = WorkerProcess(__name__)
            self._processes.add(process)
        with contextlib.suppress(WorkerDeath):  # who waits for it hears of it
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
        """The result of a job, or of none: then a process has only prepared for jobs."""
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
    """In a worker process: do jobs until the other side closes the connection."""
    package = connection.recv_bytes()
    connection.send_bytes(outcome_of(package, None))
    while True:
        parts: list[_Packed] = pickle.loads(connection.recv_bytes())
        connection.send_bytes(outcome_of(package, [each.data for each in parts]))


def difference(there: dict[str, str], here: dict[str, str]) -> str | None:
    """In a sentence, which version of a worker is another than here; None if all are the same.

    What only one of them has is left out.
    """
    for name in here.keys() & there.keys():
        if here[name] != there[name]:
            return (
                f"a worker has another version of {name} ({there[name]}) than this program "
                f"({here[name]}); install the same versions everywhere"
            )
    return None


def outcome_of(package: bytes, arguments: list[bytes] | None) -> bytes:
    """A job's result, or its error, as a message; without arguments, of getting ready for jobs.

    Args:
        package: the work, :meth:`Work.packed`.
        arguments: of the job, each pickled.
    """
    try:
        work, prepared = _open(package)
        result = None
        if arguments is not None:
            result = work.do(prepared, *map(pickle.loads, arguments))
        return pickle.dumps((None, result))
    except Exception as error:
        with contextlib.suppress(Exception):  # there are errors that cannot be pickled
            return pickle.dumps((ExceptionWithTraceback(error, error.__traceback__), None))
        return pickle.dumps((RunnerError(f"{type(error).__name__}: {error}"), None))


def result_of(outcome: bytes) -> Any:
    """The result in a message of :func:`outcome_of`; the error in it is raised."""
    error, result = pickle.loads(outcome)
    if error is not None:
        raise error
    return result


@functools.lru_cache(maxsize=1)
def _open(package: bytes) -> tuple[Work, Any]:
    """Work in this process, and what was prepared for it.

    Raises:
        SpecificationError: versions here differ from those where the jobs come from, or a module
            is missing.
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
