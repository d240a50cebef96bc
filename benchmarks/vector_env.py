"""Steps per second of the vector environment at connect four, beside other libraries.

They are Pgx (if it is installed) and PettingZoo. Run with ``python benchmarks/vector_env.py`` (a
minute; ``--seconds 0.3`` for a rough look). Contestants take turns; the median over the turns is
printed, at the best of several batch sizes. A step is a random legal action in one game, with mask
and observation; in the second part it includes the reply of ``alphabeta:depth=2``.

The first column of rates is for one core: steps per second of the process's processor time, which
other work on the machine hardly touches. The second is by the wall clock with a thread for each
core, and says what it should only on a machine with nothing else to do. Pgx starts threads of its
own; its processor time is that of all of them, so its first column too is for one core.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pettingzoo
import plyground
from plyground.agents.opponents import make_opponents
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from rich.console import Console
from rich.table import Table

# steps per second by the wall clock on two cores, measured on another such machine
PGX_ELSEWHERE = 1.75e6
BATCH_SIZES = (256, 1024, 4096, 16384)
TURNS = 5


class Rates(NamedTuple):
    """Steps per second."""

    of_a_core: float  # of processor time
    by_the_clock: float


def measure(step: Callable[[], int], seconds: float) -> Rates:
    """Median rates over the turns, after one turn to warm up; ``step`` returns its steps."""
    found = []
    for _ in range(TURNS + 1):
        steps, cpu, wall = 0, time.process_time(), time.perf_counter()
        while time.perf_counter() - wall < seconds / TURNS:
            steps += step()
        found.append(
            Rates(steps / (time.process_time() - cpu), steps / (time.perf_counter() - wall))
        )
    return Rates(*(statistics.median(column) for column in zip(*found[1:])))


def stepper(opponent: str | None, size: int, threads: int) -> Callable[[], int]:
    """Random masked play in a batch of connect-four games."""
    game = plyground.make_game("connect_four")
    batch = GameBatch(
        game, size, None if opponent is None else make_opponents(opponent, game), threads=threads
    )
    batch.reset(seed=1)
    stream = new_stream(2)

    def step() -> int:
        batch.step(batch.draw_actions(stream))
        return size

    return step


def best_of_sizes(opponent: str | None, seconds: float, threads: int) -> tuple[int, Rates]:
    """The batch size with the best rate.

    One thread is measured by processor time, several threads by the clock.
    """
    rates = {size: measure(stepper(opponent, size, threads), seconds) for size in BATCH_SIZES}
    size = max(
        rates, key=lambda size: rates[size].of_a_core if threads == 1 else rates[size].by_the_clock
    )
    return size, rates[size]


def pettingzoo_stepper() -> Callable[[], int]:
    environment, choose = pettingzoo.make("aec", "classic/connect_four-v3"), random.Random(1).random

    def step() -> int:
        environment.reset()
        moves = 0
        for _ in environment.agent_iter():
            observation, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                environment.step(None)
            else:
                legal = np.flatnonzero(observation["action_mask"])
                environment.step(int(legal[int(choose() * len(legal))]))
                moves += 1
        return moves

    return step


def pgx_stepper(size: int) -> Callable[[], int]:
    """Pgx's connect four in its fastest form: auto-reset and 100 random steps in a compiled loop.

    Raises:
        ImportError: Pgx is not installed.
    """
    import jax
    import pgx
    from pgx.experimental import auto_reset

    environment = pgx.make("connect_four")
    advance, initialise = (
        jax.vmap(auto_reset(environment.step, environment.init)),
        jax.vmap(environment.init),
    )

    def one(carried, key):
        state, total = carried
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        keys = jax.random.split(key, size)
        state = advance(state, jax.random.categorical(key, logits, axis=1), keys)
        # the sum keeps the observations from being optimised away
        return (state, total + state.observation.sum()), None

    many = jax.jit(
        lambda state, key: jax.lax.scan(one, (state, 0.0), jax.random.split(key, 100))[0]
    )
    kept = [
        jax.jit(initialise)(jax.random.split(jax.random.PRNGKey(0), size)),
        jax.random.PRNGKey(1),
    ]

    def step() -> int:
        kept[1], key = jax.random.split(kept[1])
        kept[0], total = many(kept[0], key)
        total.block_until_ready()
        return 100 * size

    return step


HEADINGS = ("work", "contestant", "batch", "one core (CPU time)", "wall clock", "ours faster by")
RANDOM = "both sides random"


def main() -> None:
    """Measure all contestants and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    seconds, cores = parser.parse_args().seconds, os.cpu_count() or 1
    table = Table(
        title=f"connect four, steps per second in millions; {cores} cores (plyground by the wall "
        f"clock: {cores} threads), load {os.getloadavg()[0]:.1f} at the start; ratios: core / clock"
    )
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading in ("work", "contestant") else "right")
    core, clock = add_ours(table, RANDOM, None, seconds, cores)
    add_ours(table, "alphabeta:depth=2 replies", "alphabeta:depth=2", seconds, cores)
    add_pgx(table, core, clock, seconds)
    rates = measure(pettingzoo_stepper(), seconds)
    ratio = f"{core / rates.of_a_core:.0f} / {clock / rates.by_the_clock:.0f}"
    add_row(table, RANDOM, "PettingZoo AEC (one thread)", "1", rates, ratio)
    Console().print(table)


def add_row(
    table: Table, work: str, contestant: str, batch: str, rates: Rates, ratio: str = ""
) -> None:
    """Add a contestant's rates to the table."""
    core, clock = f"{rates.of_a_core / 1e6:.3f}", f"{rates.by_the_clock / 1e6:.3f}"
    table.add_row(work, contestant, batch, core, clock, ratio)


def add_ours(
    table: Table, work: str, opponent: str | None, seconds: float, cores: int
) -> tuple[float, float]:
    """Add a row of the vector environment; its rates of one core and of all by the clock."""
    size, alone = best_of_sizes(opponent, seconds, 1)
    sizes, together = best_of_sizes(opponent, seconds, cores)
    rates = Rates(alone.of_a_core, together.by_the_clock)
    add_row(table, work, "plyground", f"{size} / {sizes}", rates)
    return rates


def add_pgx(table: Table, core: float, clock: float, seconds: float) -> None:
    """Add a row of Pgx, at its best batch size; without Pgx, of a rate measured elsewhere."""
    try:
        found = {size: measure(pgx_stepper(size), seconds) for size in BATCH_SIZES}
    except ImportError:
        elsewhere, ratio = f"{PGX_ELSEWHERE / 1e6:.3f}", f"— / {clock / PGX_ELSEWHERE:.1f}"
        unmeasured = "Pgx, not installed: measured elsewhere"
        table.add_row(RANDOM, unmeasured, "", "", elsewhere, ratio)
        return
    size = max(found, key=lambda size: found[size].by_the_clock)
    rates = found[size]
    ratio = f"{core / rates.of_a_core:.1f} / {clock / rates.by_the_clock:.1f}"
    add_row(table, RANDOM, "Pgx", str(size), rates, ratio)


if __name__ == "__main__":
    main()
