"""Settings and fixtures for all tests."""

from __future__ import annotations

import functools
import gc
import os
import re
import signal
import sys
from collections import Counter
from multiprocessing import resource_tracker
from pathlib import Path

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # pygame without a screen
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
# The networks of the tests are tiny: more threads would mostly wait for each other, and a waiting
# thread uses its processor.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# numba sets colours up for each form of a call that it tries and drops.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

import hypothesis
import psutil
import pytest
from numba.core.dispatcher import _FunctionCompiler

# Deadlines would fail the first example of each property, which compiles; examples are the same on
# every run.
hypothesis.settings.register_profile(
    "suite", deadline=None, derandomize=True, database=None, max_examples=60
)
hypothesis.settings.load_profile("suite")

# As in the command line: ten thousand tests are collected, and large libraries imported.
gc.set_threshold(50_000)


# as a shell leaves it for commands in the background; the tests of Ctrl-C need it
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent


class RepositoryIsNoPackage:
    """Keeps pytest from importing the repository's own ``__init__.py`` as a package that has the
    checkout's name.
    """

    def pytest_collect_directory(self, path, parent):
        return pytest.Dir.from_parent(parent, path=path) if path == ROOT else None


class ProcessorTime:
    """Adds up the processor time of every test file, its child processes included.

    ``--processor-time`` prints the table. With pytest-xdist the workers measure and the controller
    prints. Processes that a test does not wait for are not counted.
    """

    PROPERTY = "processor seconds"

    def __init__(self):
        self.by_file = Counter()
        self.of_workers = 0.0

    @staticmethod
    def used():
        return sum(os.times()[:4])

    def pytest_runtest_logstart(self):
        self.began = self.used()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if call.when == "teardown":
            report.user_properties.append((self.PROPERTY, self.used() - self.began))
        return report

    def pytest_runtest_logreport(self, report):
        if report.when == "teardown":
            self.by_file[report.nodeid.split("::")[0]] += dict(report.user_properties).get(
                self.PROPERTY, 0.0
            )

    def pytest_sessionfinish(self, session):
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[self.PROPERTY] = self.used()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.of_workers += getattr(node, "workeroutput", {}).get(self.PROPERTY, 0.0)

    def pytest_terminal_summary(self, terminalreporter):
        if not terminalreporter.config.option.processor_time:
            return
        # the workers are child processes of this one, and count once
        total = self.of_workers + sum(os.times()[: 2 if self.of_workers else 4])
        rest = total - sum(self.by_file.values())
        terminalreporter.section("processor time")
        for name, seconds in [*self.by_file.most_common(), ("start and collection", rest)]:
            terminalreporter.write_line(f"{seconds:8.1f} s  {name}")
        terminalreporter.write_line(f"{total:8.1f} s  in all")


def words_of_case(item) -> set[str]:
    """The words in what a case of a test is given."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return set(re.findall(r"\w+", str([*given])))


def other_parts(things, part):
    """What is not in the part ``K/N`` of things, every N-th from the K-th on; None: nothing."""
    if part is None:
        return set()
    number, parts = map(int, part.split("/"))
    return {thing for index, thing in enumerate(things) if index % parts != number % parts}


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the marks
def pytest_collection_modifyitems(config, items):
    """Mark the cases beyond ``fast_cases``; keep the part of the slow tests asked for.

    Cases that name what is not there without an extra, as PLYGROUND_ABSENT says, are left out.
    """
    absent = {*os.environ.get("PLYGROUND_ABSENT", "").split()}
    if absent:
        cases = {item for item in items if absent & words_of_case(item)}
        config.hook.pytest_deselected(items=[*cases])
        items[:] = [item for item in items if item not in cases]
    counts = Counter()
    for item in items:
        fast = item.get_closest_marker("fast_cases")
        if fast is not None:
            function = item.nodeid.split("[")[0]
            counts[function] += 1
            if counts[function] > fast.args[0]:
                item.add_marker(pytest.mark.thorough)
    slow = [item for item in items if item.get_closest_marker("slow")]
    left_out = other_parts(slow, config.option.slow_part)
    thorough = [item for item in items if item.get_closest_marker("thorough")]
    # Whole files, since the tests of a file share the kernels that they compile.
    files = other_parts(sorted({item.path for item in thorough}), config.option.thorough_part)
    left_out |= {item for item in {*thorough} - {*slow} if item.path in files}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish():
    """Leave the ten thousand tests, and all modules, out of the search for unreachable cycles."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser):
    parser.addoption(
        "--slow-part",
        metavar="K/N",
        help="of the slow tests run only every N-th, from the K-th on; with -m '' or -m slow",
    )
    parser.addoption(
        "--thorough-part",
        metavar="K/N",
        help="run the thorough tests of every N-th file only, from the K-th on",
    )
    parser.addoption(
        "--processor-time", action="store_true", help="print the processor time of every test file"
    )


def without_tracer(method):
    """The method with coverage's tracer off: it makes numba's compiler slower by a third.

    Of plyground this leaves out the bodies of numba's extensions, which the compiler calls.
    """

    @functools.wraps(method)
    def wrapper(*arguments):
        tracer = sys.gettrace()
        sys.settrace(None)
        try:
            return method(*arguments)
        finally:
            sys.settrace(tracer)

    return wrapper


def pytest_configure(config):
    _FunctionCompiler.compile = without_tracer(_FunctionCompiler.compile)
    config.pluginmanager.register(RepositoryIsNoPackage())
    config.pluginmanager.register(ProcessorTime())


@pytest.fixture
def child_processes():
    """A function that gives the processes that were started since the test began.

    Those of other tests' fixtures are left out, and the one in which Python's multiprocessing
    counts shared memory: both stay.
    """
    before = set(psutil.Process().children(recursive=True))

    def new() -> list[psutil.Process]:
        tracker = resource_tracker._resource_tracker._pid
        children = psutil.Process().children(recursive=True)
        return [child for child in children if child not in before and child.pid != tracker]

    return new


@pytest.fixture
def agents_in_this_process():
    """Agents of others are as where no other process can run them: ``never`` means them as well."""
    with pytest.MonkeyPatch.context() as patch:
        place = "plyground.evaluation.runners.isolation._runs_elsewhere"
        patch.setattr(place, lambda agent_class: False)
        yield


@pytest.fixture(scope="module")
def browser():
    """Chromium without a window."""
    from pages import chromium

    with chromium() as instance:
        yield instance
