"""Steps per second of the vector environment at connect four, compared with other libraries.

They are Pgx (if it is installed) and PettingZoo. Run with ``python benchmarks/vector_env.py`` (some
minutes; ``--seconds 0.1`` for a rough estimate); other games are measured only with plyground. A
step is a random legal action in one game, with mask and observation; in some rows it includes a
reply. If replies use the specialised search for few plies, the next row is the same work by the
general search, which plays the same moves.

The first column of rates is for one core: steps per second of processor time. The second is
wall-clock time with a thread for each core, and needs an idle machine. Pgx starts several threads;
its processor time is their sum.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import cyclopts
import pettingzoo
import plyground
from aec import environment_game
from plyground.agents.opponents import make_opponents
from plyground.agents.search.shallow import ShallowSearch, ShallowStones
from plyground.envs.compiled.randomness import new_stream
from plyground.envs.single_agent.game_batch import GameBatch
from timing import Work, print_table, rates

USUAL = "connect_four"
REPLIES = ("alphabeta:depth=2", "alphabeta:depth=4", "alphabeta:depth=4,heuristic=none")
BATCH_SIZES = (256, 1024, 4096, 16384)
TURNS = 5
HEADINGS = ("work", "batch", "one core (CPU time)", "wall clock", "ours faster by")


def has_shallow_search(spec: str, agent: str) -> bool:
    """Whether an agent's replies use the specialised search for few plies."""
    game = plyground.make_game(spec)
    compiled = make_opponents(agent, game)[0].compiled
    return compiled is not None and isinstance(compiled(game), (ShallowSearch, ShallowStones))


def batch_step(spec: str, opponent: str | None, general: bool, size: int, threads: int) -> Work:
    """Random masked play in a batch of games; ``general``: replies by the general search."""
    game = plyground.make_game(spec)
    opponents = None if opponent is None else make_opponents(opponent, game)
    if opponents is not None and general:
        form: Any = opponents[0].compiled
        opponents = (opponents[0]._replace(compiled=lambda game: form(game).search),)
    batch = GameBatch(game, size, opponents, threads=threads)
    batch.reset(seed=1)
    stream = new_stream(2)

    def step() -> int:
        batch.step(batch.draw_actions(stream))
        return size

    return step


def pgx_step(size: int) -> Work:
    """Pgx's connect four in its fastest form: auto-reset and 100 random steps per compiled loop.

    Raises:
        ImportError: Pgx is not installed.
    """
    import jax
    import pgx
    from pgx.experimental import auto_reset

    environment = pgx.make("connect_four")
    advance = jax.vmap(auto_reset(environment.step, environment.init))
    initialise = jax.jit(jax.vmap(environment.init))

    def one(carry, key):
        state, total = carry
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        keys = jax.random.split(key, size)
        state = advance(state, jax.random.categorical(key, logits, axis=1), keys)
        # the sum prevents the compiler from removing the observations
        return (state, total + state.observation.sum()), None

    many = jax.jit(
        lambda state, key: jax.lax.scan(one, (state, 0.0), jax.random.split(key, 100))[0]
    )
    state, key = initialise(jax.random.split(jax.random.PRNGKey(0), size)), jax.random.PRNGKey(1)

    def step() -> int:
        nonlocal state, key
        key, use = jax.random.split(key)
        state, total = many(state, use)
        total.block_until_ready()
        return 100 * size

    return step


def best_batch(
    make: Callable[[int], Work], seconds: float, clock: Callable[[], float]
) -> tuple[str, float]:
    """The batch size with the best rate, and the rate."""
    speeds = rates({str(size): make(size) for size in BATCH_SIZES}, seconds, TURNS, clock)
    size = max(speeds, key=lambda size: speeds[size])
    return size, speeds[size]


def rows(game: str, seconds: float, cores: int) -> Iterator[tuple[str, ...]]:
    """Measure every contestant, plyground first; other libraries only for connect four."""
    clocks = (time.process_time, time.perf_counter)
    usual: list[float] = []  # both sides random

    def row(work: str, sizes: list[str], speeds: list[float], ours: list[float]) -> tuple[str, ...]:
        ratio = " / ".join(f"{a / b:.1f}" for a, b in zip(ours, speeds))
        return work, " / ".join(sizes), *(f"{speed / 1e6:.3f}" for speed in speeds), ratio

    for opponent in (None, *REPLIES):
        before: list[float] = []
        shallow = opponent is not None and has_shallow_search(game, opponent)
        for general in (False, True) if shallow else (False,):
            sizes, speeds = zip(*(
                best_batch(
                    lambda n, o=opponent, g=general, t=threads: batch_step(game, o, g, n, t),
                    seconds,
                    clock,
                )
                for threads, clock in zip((1, cores), clocks)
            ))  # fmt: skip
            title = "both sides random" if opponent is None else f"{opponent} replies"
            title += ", general search" if general else ""
            yield row(f"plyground, {title}", list(sizes), list(speeds), before)
            before, usual = list(speeds), usual or list(speeds)
    if game != USUAL:
        return
    try:
        sizes, speeds = zip(*(best_batch(pgx_step, seconds, clock) for clock in clocks))
        yield row("Pgx", list(sizes), list(speeds), usual)
    except ImportError:
        yield "Pgx is not installed", "", "", "", ""
    play = environment_game(pettingzoo.make("aec", "classic/connect_four-v3"))
    speeds = [rates({"": play}, seconds, TURNS, clock)[""] for clock in clocks]
    yield row("PettingZoo AEC (one thread)", ["1"], speeds, usual)


def main(game: str = USUAL, /, *, seconds: float = 0.4) -> None:
    """Print steps per second of each contestant.

    Args:
        game: its specification
        seconds: length of a turn
    """
    cores = len(os.sched_getaffinity(0))
    title = (
        f"{game}, steps per second in millions; {cores} cores (plyground by the wall clock: "
        f"{cores} threads), load {os.getloadavg()[0]:.1f} at the start; ratios: core / clock"
    )
    print_table(title, HEADINGS, rows(game, seconds, cores))


if __name__ == "__main__":
    cyclopts.run(main)
