"""Whether the kernels of every game compile for GPUs, without one.

    make gpu-check                                                   # all games, for half an hour
    make gpu-check GAMES=othello                                     # one, as CI does each day
    python benchmarks/structure/gpu_check.py "hex:size=7" --kernels step greedy

What is launched on a GPU is compiled for compute capability 7.5 and 9.0: ``step``, where the caller
acts for both players; a step against each kind of opponent; self-play's ``forest``, with the leaf
solver of the game. The assembler of the CUDA toolkit says how many registers a thread uses, how
many bytes of stack, and how many of them because registers are missing (spills). The status is 1
if a kernel does not compile, or spills more than 64 bytes (a few: more than is known of them).
It needs the extra ``gpu``.
"""

from __future__ import annotations

import csv
import importlib.util
import multiprocessing
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated, NamedTuple

import cyclopts
from plyground import make_game
from plyground.agents.opponents import make_opponents
from plyground.agents.search.device_forest import DeviceForest
from plyground.agents.search.forest import SearchSettings, search_options
from plyground.agents.solvers.leaf import new_leaf_solver
from plyground.envs.compiled.cuda.arguments import kind_of
from plyground.envs.compiled.cuda.devices import Device
from plyground.envs.game import Game
from plyground.envs.registry import game_names
from plyground.envs.single_agent.device_batch import DeviceBatch

# The opponents of each set of kernels. Where two have the same kernels, these are checked once.
OPPONENTS: dict[str, tuple[str | None, ...]] = {
    "step": (None,),
    "random": ("random",),
    "greedy": ("greedy",),
    "minimax": ("minimax:depth=1", "minimax:depth=2"),
    "alphabeta": ("alphabeta:depth=2", "alphabeta:depth=4"),
    "forest": (),
}
CAPABILITIES = (7, 5), (9, 0)
# What spills more, in bytes: each thread has so many buffers that their addresses alone do not fit
# into its registers.
KNOWN = {
    "gomoku": {"minimax": 1000, "alphabeta": 1000},
    "connect_four": {"forest": 1000},
    "othello": {"minimax": 100, "alphabeta": 100, "forest": 100},
}
LAYOUT = "{:<24} {:<10} {:<13} {:>10} {:>10} {:>7} {:>7}  {}"

Names = Annotated[tuple[str, ...], cyclopts.Parameter(consume_multiple=True)]


class Row(NamedTuple):
    """What a kernel uses on a GPU; the columns of the table."""

    game: str
    set: str
    kernel: str
    capability: str
    registers: int | str
    stack: int | str
    spills: int | str
    note: str  # what is not well


class Recorder(Device):
    """A device that launches nothing: it notes kernels and the types of their arguments."""

    def __init__(self) -> None:
        super().__init__("cpu")
        self.kernels: list[tuple] = []

    def launch(self, kernel, threads, *arguments):
        """Note the kernel, unless it is known."""
        noted = kernel, kind_of(arguments)
        if noted not in self.kernels:
            self.kernels.append(noted)
        return lambda: None


def launch_forest(game: Game, device: Device) -> None:
    """Launch the kernels of self-play, with the game's leaf solver where it has one."""
    plies = min(new_leaf_solver(game).most, 8)
    options = search_options(game, SearchSettings(simulations="8", solved_plies=plies), 0.0)
    DeviceForest(game, options, 1, 0, 8, 16, device)


def kernels_of(spec: str, name: str) -> list[tuple]:
    """The kernels of a set, with the types of their arguments."""
    game, device = make_game(spec), Recorder()
    if name == "forest":
        launch_forest(game, device)
    for opponent in OPPONENTS[name]:
        DeviceBatch(game, 1, opponent and make_opponents(opponent, game), device=device)
    return device.kernels


def check(part: tuple[str, str]) -> list[Row]:
    """Compile a set of kernels of a game: a row for each kernel and capability."""
    code = importlib.import_module("plyground.envs.compiled.cuda.code")  # it needs numba-cuda
    rows, most = [], KNOWN.get(make_game(part[0]).name, {}).get(part[1], code.MOST_SPILLED)
    for kernel, kind in kernels_of(*part):
        for capability in CAPABILITIES:
            used: tuple[int | str, ...] = ("", "", "")
            note = ""
            try:
                _, made = code.cubin(kernel, kind, capability)
                used = made.registers, made.stack, made.spills
                if made.spills > most:
                    note = f"spills more than {most}"
            except code.UnsupportedKernelError as error:
                note = f"does not compile: {error}"
            names = kernel.py_func.__name__, ".".join(map(str, capability))
            rows.append(Row(*part, *names, *used, note))
    return rows


def all_rows(parts: list[tuple[str, str]], processes: int) -> Iterator[Row]:
    """The rows of these sets, as they are compiled."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context) as pool:
        results = pool.map(check, parts)
        for number, part in enumerate(parts, 1):
            if sys.stderr.isatty():
                line = f"{' '.join(part)}: {number} of {len(parts)} …"
                print(line, end="\r", file=sys.stderr, flush=True)
            yield from next(results)


def main(
    *games: str,
    kernels: Names = tuple(OPPONENTS),
    processes: int = 2,
    table: Path | None = None,
) -> None:
    """Compile the kernels of games for GPUs and print what they use.

    Args:
        *games: specifications; all games by default.
        kernels: the sets of kernels: step, random, greedy, minimax, alphabeta, forest.
        processes: the number of processes that compile.
        table: a file for the table, as CSV.
    """
    if importlib.util.find_spec("numba_cuda") is None:
        sys.exit('numba-cuda is not installed: pip install -e ".[gpu]"')
    if unknown := {*kernels} - {*OPPONENTS}:
        sys.exit(f"unknown kernels {', '.join(unknown)}; there are {', '.join(OPPONENTS)}")
    parts = [(spec, each) for spec in games or game_names() for each in kernels]
    print(LAYOUT.format(*Row._fields).rstrip(), flush=True)
    rows = []
    for row in all_rows(parts, processes):
        rows.append(row)
        print(LAYOUT.format(*row).rstrip(), flush=True)
    if table is not None:
        with table.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                row[:-1] for row in [Row._fields, *rows]
            )
    sys.exit(1 if any(row.note for row in rows) else 0)


if __name__ == "__main__":
    cyclopts.run(main)
