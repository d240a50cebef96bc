"""Whether the kernels of every game compile for GPUs, without one.

    make gpu-check                                                   # all games
    python benchmarks/structure/gpu_check.py connect_four "hex:size=7"   # these

What a batch of games launches on a GPU is compiled for compute capability 7.5 and 9.0: a step where
the caller acts for both players, and steps against some opponents. The assembler of the CUDA
toolkit says how many registers a thread uses, how many bytes of stack, and how many of them because
registers are missing (spills). The status is 1 if a kernel does not compile, or spills more than
64 bytes. It needs the extra ``gpu``.
"""

from __future__ import annotations

import importlib
import multiprocessing
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cyclopts
from plyground import make_game
from plyground.agents.opponents import make_opponents
from plyground.envs.compiled.cuda.arguments import kind_of
from plyground.envs.compiled.cuda.devices import Device
from plyground.envs.registry import game_names
from plyground.envs.single_agent.device_batch import DeviceBatch

# The depth of a search is an argument of the kernel: one compilation serves all.
OPPONENTS = (None, "random", "greedy", "alphabeta:depth=2")
CAPABILITIES = (7, 5), (9, 0)
MOST_SPILLED = 64  # bytes


class Recorder(Device):
    """A device that launches nothing: it notes kernels and the types of their arguments."""

    def __init__(self) -> None:
        super().__init__("cpu")
        self.kernels: list[tuple] = []

    def launch(self, kernel, threads, *arguments):
        """Note the kernel."""
        self.kernels.append((kernel, kind_of(arguments)))
        return lambda: None


def assembler() -> str:
    """The path of ptxas in the wheels of the CUDA toolkit."""
    folder = Path(sysconfig.get_path("purelib")) / "nvidia"
    found = sorted(folder.glob("**/bin/ptxas"))
    if not found:
        sys.exit('ptxas is not installed: pip install -e ".[gpu]"')
    return str(found[0])


def usage(text: str, capability: tuple[int, int]) -> tuple[int, int, int]:
    """Registers, bytes of stack and of spills of a kernel in PTX.

    Raises:
        RuntimeError: the assembler refuses it.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(text)
        major, minor = capability
        command = [assembler(), "-v", f"-arch=sm_{major}{minor}", "-o", f"{folder}/x", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise RuntimeError(next((line for line in lines if "error" in line), lines[-1]))
    registers = re.search(r"Used (\d+) registers", done.stderr)
    stacks, stores, loads = zip(
        *re.findall(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads",
            done.stderr,
        )
    )
    return int(registers[1]), max(map(int, stacks)), max(map(int, stores + loads))


def check(spec: str, opponent: str | None) -> tuple[list[str], bool]:
    """Compile the step of a game: a row for each capability, and whether all is well."""
    code = importlib.import_module("plyground.envs.compiled.cuda.code")  # it needs numba-cuda
    game, device, began = make_game(spec), Recorder(), time.perf_counter()
    DeviceBatch(game, 1, opponent and make_opponents(opponent, game), device=device)
    kernel, kind = device.kernels[0]
    rows, is_well = [], True
    for capability in CAPABILITIES:
        row = f"{spec:<24} {opponent or 'both players':<17} {'.'.join(map(str, capability)):>5} "
        try:
            registers, stack, spilled = usage(code.ptx(kernel, kind, capability)[1], capability)
        except (code.UnsupportedKernelError, RuntimeError) as error:
            return [*rows, f"{row} does not compile: {error}"], False
        seconds, began = time.perf_counter() - began, time.perf_counter()
        is_well &= spilled <= MOST_SPILLED
        note = "" if spilled <= MOST_SPILLED else f"   more than {MOST_SPILLED}"
        rows.append(f"{row} {registers:>9} {stack:>7} {spilled:>7} {seconds:>5.0f} s{note}")
    return rows, is_well


def check_all(spec: str) -> tuple[list[str], bool]:
    """The same for all opponents."""
    parts = [check(spec, opponent) for opponent in OPPONENTS]
    return [row for rows, _ in parts for row in rows], all(is_well for _, is_well in parts)


def main(*games: str, processes: int = 2) -> None:
    """Compile the kernels of games for GPUs and print what they use.

    Args:
        *games: specifications; all games by default.
        processes: the number of processes that compile.
    """
    assembler()  # refused before anything is compiled
    print(f"{'game':<24} {'step against':<17} {'for':>5}  registers   stack  spills", flush=True)
    everything_is_well = True
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context) as pool:
        for rows, is_well in pool.map(check_all, games or game_names()):
            print(*rows, sep="\n", flush=True)
            everything_is_well &= is_well
    sys.exit(0 if everything_is_well else 1)


if __name__ == "__main__":
    cyclopts.run(main)
