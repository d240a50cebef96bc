"""Several threads in one search: each searches the whole tree, and all share one table.

A thread has a stack of its own and asks the same questions as the others. What it proves is true
whatever the others do, so values do not depend on the threads. What one has proved the others find
in the table. A thread puts off a position that another is searching, so that they prove different
things. When it looks up again what it has on its stack, it leaves what others have decided.

There is no lock. An entry of a table is one word of 64 bits, written by one store, or its words
check each other, so that no thread believes one that is half written. Paths only change the order
of a search.

Source: Weill, "The ABDADA distributed minimax search algorithm", ICCA Journal 19, 1996. There the
table tells who searches what; here the threads look at each other's paths.
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
    f"searches side by side that share the table; {ALL}: as many as there are processors",
    1,
    256,
    choices=(ALL,),
)
HELPER_PORTION = 1 << 13  # positions that each of several threads searches at a time

LINE_BYTES = 64  # of the processor's cache: threads that write into one slow each other down
NEVER = 1 << 30


def thread_count(threads: int | str) -> int:
    """A value of :data:`THREADS` as a number.

    Raises:
        SpecificationError: it is not possible.
    """
    count = THREADS.convert(threads, "solver")
    return available_processors() if count == ALL else int(count)


class Search(NamedTuple):
    """A search that goes on slice by slice.

    Attributes:
        run_slice: continues it for at most so many positions; returns whether it is complete.
        state: a record whose field ``nodes`` counts the positions visited.
    """

    run_slice: Callable[[int], bool]
    state: Any


class Helpers:
    """The threads that help a search. As a context it stops them and waits for them in the end.

    Attributes:
        searches: theirs, which ask the same as the search that they help.
        complete: the numbers, from 1, of those that are complete.
    """

    def __init__(self, searches: Sequence[Search]) -> None:
        self.searches = searches
        self.complete: list[int] = []
        self._stopped = False
        self._runs: list[Future[None]] = []

    def begin(self) -> None:
        """Let them search from now on, if they do not search yet."""
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
        finally:  # after Ctrl-C too nobody works on their stacks any more
            wait(self._runs)
        for each in self._runs:
            each.result()  # raises what was raised there


class Paths(NamedTuple):
    """Where the threads of a search are, as one of them sees it.

    Attributes:
        keys: uint64 (threads, places): what each thread has searched last with so many free places;
            without any free place, how many positions it has visited.
        thread: the row of this thread.
        least_free: positions with fewer free places are not worth sharing.
    """

    keys: np.ndarray
    thread: int
    least_free: int


def new_paths(threads: int, places: int, least_free: int) -> list[Paths]:
    """The paths of so many threads on a board of so many places; one thread shares nothing."""
    keys = np.zeros((threads, places + 1 + LINE_BYTES // 8), np.uint64)
    return [Paths(keys, thread, least_free if threads > 1 else NEVER) for thread in range(threads)]


def lone_record(dtype: np.dtype) -> Any:
    """A record of zeros in cache lines of its own, for what a thread writes all the time."""
    room = LINE_BYTES // dtype.itemsize + 1
    return np.zeros(2 * room + 1, dtype).view(np.recarray)[room]


def clear(paths: Paths) -> None:
    """Begin a new path."""
    paths.keys[paths.thread] = 0


@inner_kernel
def nodes_of_all(paths, nodes):
    """The positions visited by all threads, if so many are those of this one."""
    paths.keys[paths.thread, 0] = np.uint64(nodes)
    total = np.int64(0)
    for thread in range(paths.keys.shape[0]):
        total += np.int64(paths.keys[thread, 0])
    return total


@inner_kernel
def is_busy(paths, key, free):
    """Whether another thread searches the position with this key and so many free places."""
    for thread in range(paths.keys.shape[0]):
        if thread != paths.thread and paths.keys[thread, free] == key:
            return True
    return False


@inner_kernel
def enter(paths, key, free):
    """Tell the other threads of a position that this one searches now."""
    paths.keys[paths.thread, free] = key
