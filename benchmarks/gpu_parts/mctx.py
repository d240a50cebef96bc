"""Self-play of mctx and Pgx beside plyground's: connect four, with a network of the same shape."""

from __future__ import annotations

import time

import numpy as np


def has_mctx() -> bool:
    """Whether mctx and Pgx are installed."""
    try:
        import mctx  # noqa: F401
        import pgx  # noqa: F401
    except ImportError:
        return False
    return True


def residual_network(shape: str) -> tuple:
    """Random weights in JAX and their forward function, for plyground's network of this shape."""
    import jax
    import jax.numpy as jnp

    channels, blocks = map(int, shape.split("x"))
    keys = iter(jax.random.split(jax.random.PRNGKey(1), 64))

    def weights(*shape):
        scale = (2.0 / np.prod(shape[:-1])) ** 0.5
        return (scale * jax.random.normal(next(keys), shape)).astype(jnp.bfloat16)

    size = 42 * channels
    net = {
        "entry": weights(3, 3, 2, channels),
        "blocks": [
            (weights(3, 3, channels, channels), weights(3, 3, channels, channels))
            for _ in range(blocks)
        ],
        "policy": (weights(size, 48), weights(48, 7)),
        "value": (weights(size, 48), weights(48, 1)),
    }

    def convolve(board, kernel):
        order = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(board, kernel, (1, 1), "SAME", dimension_numbers=order)

    def evaluate(net, observations):
        board = jax.nn.relu(convolve(observations.astype(jnp.bfloat16), net["entry"]))
        for first, second in net["blocks"]:
            board = jax.nn.relu(board + convolve(jax.nn.relu(convolve(board, first)), second))
        flat = board.reshape(len(board), -1)
        policy = jax.nn.relu(flat @ net["policy"][0]) @ net["policy"][1]
        value = jnp.tanh(jax.nn.relu(flat @ net["value"][0]) @ net["value"][1])
        return policy.astype(jnp.float32), value[:, 0].astype(jnp.float32)

    return net, evaluate


def mctx_simulations_a_second(shape: str, batch: int, simulations: int, seconds: float) -> float:
    """The rate of mctx's Gumbel search over Pgx's connect four."""
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx

    env = pgx.make("connect_four")
    net, evaluate = residual_network(shape)
    keys = iter(jax.random.split(jax.random.PRNGKey(0), 64))
    step = jax.vmap(env.step)

    def recurrent(net, key, action, state):
        player = state.current_player
        state = step(state, action)
        logits, value = evaluate(net, state.observation)
        logits = jnp.where(state.legal_action_mask, logits, jnp.finfo(jnp.float32).min)
        reward = state.rewards[jnp.arange(len(player)), player]
        ended = state.terminated
        return mctx.RecurrentFnOutput(
            reward=reward,
            discount=jnp.where(ended, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(ended, 0.0, value),
        ), state

    @jax.jit
    def play(net, state, key):
        def move(state, key):
            logits, value = evaluate(net, state.observation)
            root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
            output = mctx.gumbel_muzero_policy(
                net, key, root, recurrent, simulations,
                invalid_actions=~state.legal_action_mask, max_num_considered_actions=7,
            )  # fmt: skip
            state = step(state, output.action)
            fresh = jax.vmap(env.init)(jax.random.split(key, batch))
            ended = state.terminated | state.truncated

            def choose(a, b):
                return jnp.where(ended.reshape(-1, *(1,) * (a.ndim - 1)), a, b)

            return jax.tree.map(choose, fresh, state), None

        return jax.lax.scan(move, state, jax.random.split(key, 8))[0]

    state = jax.vmap(env.init)(jax.random.split(next(keys), batch))
    state = jax.block_until_ready(play(net, state, next(keys)))
    began, turns = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        state = jax.block_until_ready(play(net, state, next(keys, jax.random.PRNGKey(1))))
        turns += 1
    return turns * 8 * batch * simulations / (time.perf_counter() - began)
