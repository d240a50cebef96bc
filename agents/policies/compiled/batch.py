"""A compiled network called from other kernels, with observations as games write them.

They call the machine code of :func:`.evaluation.evaluate_network` by its address. So it is compiled
once, not again into every search, self-play and environment of every game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic

from ....envs.compiled.kernels import entry_point, inner_kernel
from ....envs.game import Game
from .evaluation import CompiledNetwork, evaluate_network


class NetworkBatch(NamedTuple):
    """A compiled network, with buffers for the positions of one call.

    Attributes:
        function: the address of the machine code.
        network: the network, with a private workspace.
        inputs: the observations as network inputs, float32, (most, numbers).
        logits: float32, (most, actions).
        values: float32, (most,).
    """

    function: int
    network: Any
    inputs: Any
    logits: Any
    values: Any


def new_batch(network: CompiledNetwork, game: Game, most: int) -> NetworkBatch:
    """Buffers for this many positions."""
    facts = game.facts
    arrays = (
        np.zeros((most, int(np.prod(facts.observation_shape))), np.float32),
        np.zeros((most, facts.num_actions), np.float32),
        np.zeros(most, np.float32),
    )
    entry_point(evaluate_network, network, *arrays)
    dispatcher: Any = evaluate_network
    code = dispatcher.overloads[tuple(map(numba.typeof, (network, *arrays)))]
    address = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
    return NetworkBatch(address, network, *arrays)


@intrinsic
def _call(
    typingctx: Any, function: Any, network: Any, inputs: Any, logits: Any, values: Any
) -> Any:
    """Call the machine code at an address as :func:`.evaluation.evaluate_network`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds, convention = signature.args[1:], context.call_conv
        kind = convention.get_function_type(types.none, kinds)
        callee = builder.inttoptr(arguments[0], kind.as_pointer())
        convention.call_function(builder, callee, types.none, kinds, arguments[1:])
        return context.get_dummy_value()

    return types.void(types.int64, network, inputs, logits, values), codegen


@inner_kernel
def evaluate_batch(batch, observations, count):
    """Write logits and values of the first ``count`` observations; returns whether all are finite.

    The observations are int8, (N, rows, columns, planes).
    """
    inputs, logits, values = batch.inputs[:count], batch.logits[:count], batch.values[:count]
    _, rows, columns, planes = observations.shape
    for position in range(count):
        for row in range(rows):
            for column in range(columns):
                start = (row * columns + column) * planes
                for plane in range(planes):
                    number = observations[position, row, column, plane]
                    inputs[position, start + plane] = number
    _call(batch.function, batch.network, inputs, logits, values)
    finite = True
    for position in range(count):
        finite = finite and np.isfinite(values[position])
        for action in range(logits.shape[1]):
            finite = finite and np.isfinite(logits[position, action])
    return finite
