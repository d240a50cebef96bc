"""Games on a GPU: equal to the processor's, then steps per second; parts of ``../gpu.py``.

A step is a random legal action in one game, drawn on the device, and in ``replies`` the opponent's
answer. Before any speed, the games on the device are compared with the same games of the processor,
to the bit. Without a GPU ``--device cpu`` runs the code for CUDA on the processor: then only the
comparison says something.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import torch
from plyground import make_game
from plyground.agents.opponents import make_opponents
from plyground.envs.compiled.cuda.devices import Device
from plyground.envs.compiled.kernels import kernel
from plyground.envs.compiled.randomness import new_stream, random_below
from plyground.envs.registry import game_names
from plyground.envs.single_agent.device_batch import DeviceBatch
from plyground.envs.single_agent.game_batch import GameBatch

from .places import Place

REPLIES = ("alphabeta:depth=2,table=0.01", "alphabeta:depth=4,table=0.01")
COMPARED, PLIES = 10_000, 4  # games that are compared, and random plies before they begin
PGX = {"connect_four": "connect_four", "tic_tac_toe": "tic_tac_toe", "othello": "othello",
       "hex": "hex"}  # fmt: skip  # with the same boards


class Setting(NamedTuple):
    """What is measured.

    Attributes:
        device: where.
        games: the most parallel games.
        compared: the number of games that are compared with the processor's.
        steps: in each of these.
        seconds: of a measurement.
    """

    device: Device
    games: int
    compared: int
    steps: int
    seconds: float


@kernel
def draw_action(masks, streams, actions, game):
    """A random legal action of a game."""
    rest = 0
    for action in range(masks.shape[1]):
        rest += masks[game, action]
    rest = random_below(streams[game], rest)
    for action in range(masks.shape[1]):
        rest -= masks[game, action]
        if rest < 0:
            actions[game] = action
            return


def differences(spec: str, opponent: str | None, setting: Setting) -> list[str]:
    """The arrays in which games on the device differ from the processor's; none, as it should be.

    Raises:
        ValueError: the opponent does not play on the device.
    """
    game, count = make_game(spec), setting.compared
    opponents = opponent and make_opponents(opponent, game)
    theirs = DeviceBatch(game, count, opponents, device=setting.device, opening_plies=PLIES)
    ours = GameBatch(game, count, opponents, opening_plies=PLIES)
    stream, found = new_stream(1), set()
    for batch in (ours, theirs):
        batch.reset(seed=2)
    for _ in range(setting.steps):
        actions = ours.draw_actions(stream)
        ours.step(actions)
        theirs.step(torch.as_tensor(actions))
        for name, here in zip(ours.state._fields, ours.state):
            there = getattr(theirs.state, name).cpu().numpy()
            if here.tobytes() != there.tobytes():
                found.add(name)
    return sorted(found)


def most_games(spec: str, opponent: str | None, setting: Setting) -> DeviceBatch:
    """A batch of as many games as the device's memory holds, at most those of the setting."""
    game, count = make_game(spec), setting.games
    opponents = opponent and make_opponents(opponent, game)
    while True:
        try:
            return DeviceBatch(game, count, opponents, device=setting.device, opening_plies=PLIES)
        except (ValueError, torch.OutOfMemoryError):
            if count == 1:
                raise
            count //= 2


def steps_a_second(batch: DeviceBatch, seconds: float) -> float:
    """The rate of random play."""
    device, count = batch.device, batch.num_games
    streams = np.arange(1, count + 1, dtype=np.uint64).reshape(-1, 1)
    actions = device.put(np.zeros(count, np.int64))
    masks = batch._arrays.masks
    draw = device.launch(draw_action, count, masks, device.put(streams), actions)
    batch.reset(seed=3)

    def play(turns: int) -> float:
        began = time.perf_counter()
        for _ in range(turns):
            draw()
            batch.step(actions.tensor)
        device.wait()
        return time.perf_counter() - began

    play(4)  # games of all lengths
    turns = max(int(4 * seconds / max(play(4), 1e-6)), 4)
    return turns * count / play(turns)


def pgx_steps_a_second(name: str, games: int, seconds: float) -> float:
    """The rate of random play of Pgx, with games that start again."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    environment = pgx.make(name)
    step = jax.vmap(auto_reset(environment.step, environment.init))

    @jax.jit
    def play(state, key):
        def turn(carry, key):
            state, total = carry
            first, second = jax.random.split(key)
            logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            actions = jax.random.categorical(first, logits)
            state = step(state, actions, jax.random.split(second, games))
            # the sum prevents the compiler from removing the observations
            return (state, total + state.observation.sum()), None

        return jax.lax.scan(turn, (state, 0.0), jax.random.split(key, 16))[0]

    state = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.PRNGKey(0), games))
    (state, _), turns = jax.block_until_ready(play(state, jax.random.PRNGKey(1))), 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        state, _ = jax.block_until_ready(play(state, jax.random.PRNGKey(turns)))
        turns += 16
    return turns * games / (time.perf_counter() - began)


def has_pgx() -> bool:
    """Whether Pgx is installed."""
    try:
        import pgx  # noqa: F401
    except ImportError:
        return False
    return True


def measure(part: str, spec: str, opponent: str | None, setting: Setting) -> dict:
    """Compare the games of one kind, then measure them."""
    row = {"part": part, "game": spec, "opponent": opponent, "compared": setting.compared}
    wrong = row["differences"] = differences(spec, opponent, setting)
    if wrong:
        return row
    batch = most_games(spec, opponent, setting)
    row |= {"games": batch.num_games, "steps_per_second": steps_a_second(batch, setting.seconds)}
    if opponent is None and spec in PGX and has_pgx():
        row["pgx"] = pgx_steps_a_second(PGX[spec], batch.num_games, setting.seconds)
    return row


def told(row: dict) -> str:
    """A row in words."""
    what = f"{row['part']} {row['game']}"
    what += f" against {row['opponent']}" if row["opponent"] else ""
    if row["differences"]:
        return f"{what}: NOT EQUAL to the processor's games in {', '.join(row['differences'])}"
    beside = f", Pgx {row['pgx']:,.0f}" if "pgx" in row else ""
    return (
        f"{what}: {row['compared']:,} games equal; {row['games']:,} games, "
        f"{row['steps_per_second']:,.0f} steps/s{beside}"
    )


def measure_games(part: str, place: Place) -> bool:
    """Keep a result for each game and opponent.

    Returns whether all games are equal to the processor's.
    """
    steps = {None: 100, REPLIES[0]: 20, REPLIES[1]: 4}
    all_equal = True
    for spec in game_names()[: 2 if place.quick else None]:
        for opponent in (None,) if part == "rules" else REPLIES:
            compared = min(COMPARED, place.games)
            setting = Setting(
                place.device, place.games, compared, steps[opponent], place.seconds / 15
            )
            row = measure(part, spec, opponent, setting)
            all_equal &= not row["differences"]
            place.keep(told(row), row)
    return all_equal
