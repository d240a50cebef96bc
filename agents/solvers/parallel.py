"""Several threads in one search: each searches the whole tree, and all share one table.

Each thread has its own stack and asks the same questions. Its proofs do not depend on the others,
so values do not depend on the threads. Threads share their results through the table. A thread
postpones a position that another one is searching, so that they prove different things. When it
probes the nodes on its stack again, it leaves those that others have decided.

There is no lock. A table entry is one 64-bit word, written by one store, or its words check each
other, so that a partly written entry is detected. Paths affect only the order of a search.

Source: Weill, "The ABDADA distributed minimax search algorithm", ICCA Journal 19, 1996. There the
    table records which positions are being searched; here the threads read each other's paths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

from ...envs.compiled.kernels import inner_kernel
from ...envs.specification import Parameter
from ...envs.workers.processors import available_processors

ALL = "all"
THREADS = Parameter(
    "threads",
    int,
    1,
    f"parallel searches that share the table; {ALL}: one for each processor",
    1,
    256,
    choices=(ALL,),
)
HELPER_PORTION = 1 << 13  # positions that a helper thread searches in one slice

LINE_BYTES = 64  # a cache line: threads that write to the same one slow each other down
NEVER = 1 << 30


def thread_count(threads: int | str) -> int:
    """A value of :data:`THREADS` as a number.

    Raises:
        SpecificationError: it is not possible.
    """
    count = THREADS.convert(threads, "solver")
    return available_processors() if count == ALL else int(count)


class Search(NamedTuple):
    """A search that runs in slices.

    Attributes:
        run_slice: continues it for a limited number of positions; returns whether it is complete.
        state: a record whose field ``nodes`` counts the positions visited.
    """

    run_slice: Callable[[int], bool]
    state: Any


class Helpers:
    """The helper threads of a search. A context manager that stops and joins them on exit.

    Attributes:
        searches: their searches, which ask the same question as the main search.
        complete: the numbers, from 1, of the complete ones.
    """

    def __init__(self, searches: Sequence[Search]) -> None:
        self.searches = searches
        self.complete: list[int] = []
        self._stopped = False
        self._runs: list[Future[None]] = []

    def begin(self) -> None:
        """Start the threads unless they are running."""
        if self.searches and not self._runs:
            pool = ThreadPoolExecutor(len(self.searches))
            numbers = range(1, len(self.searches) + 1)
            self._runs = [pool.submit(self._run, *each) for each in zip(numbers, self.searches)]
            pool.shutdown(wait=False)

    def _run(self, number: int, search: Search) -> None:
        while not self._stopped:
            if search.run_slice(HELPER_PORTION):
                self.complete.append(number)
                break

    def __enter__(self) -> Helpers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True
        try:
            wait(self._runs)
        finally:  # also after Ctrl-C no thread uses their stacks any more
            wait(self._runs)
        for each in self._runs:
            each.result()  # re-raises an exception of the thread


class Paths(NamedTuple):
    """The current paths of the threads of a search, from the view of one thread.

    Attributes:
        keys: uint64 (threads, places): the last position that each thread has searched, by the
            number of free places; at index 0 the number of positions visited.
        thread: the row of this thread.
        least_free: positions with fewer free places are not shared.
    """

    keys: np.ndarray
    thread: int
    least_free: int


def new_paths(threads: int, places: int, least_free: int) -> list[Paths]:
    """The paths of the threads on a board of this many places; a single thread shares nothing."""
    keys = np.zeros((threads, places + 1 + LINE_BYTES // 8), np.uint64)
    return [Paths(keys, thread, least_free if threads > 1 else NEVER) for thread in range(threads)]


def lone_record(dtype: np.dtype) -> Any:
    """A record of zeros in separate cache lines, for frequent writes by a thread."""
    room = LINE_BYTES // dtype.itemsize + 1
    return np.zeros(2 * room + 1, dtype).view(np.recarray)[room]


def clear(paths: Paths) -> None:
    """Begin a new path."""
    paths.keys[paths.thread] = 0


@inner_kernel
def nodes_of_all(paths, nodes):
    """The positions visited by all threads, given the count of this one."""
    paths.keys[paths.thread, 0] = np.uint64(nodes)
    total = np.int64(0)
    for thread in range(paths.keys.shape[0]):
        total += np.int64(paths.keys[thread, 0])
    return total


@inner_kernel
def is_busy(paths, key, free):
    """Whether another thread searches the position with this key and number of free places."""
    for thread in range(paths.keys.shape[0]):
        if thread != paths.thread and paths.keys[thread, free] == key:
            return True
    return False


@inner_kernel
def enter(paths, key, free):
    """Publish the position that this thread searches now."""
    paths.keys[paths.thread, free] = key
