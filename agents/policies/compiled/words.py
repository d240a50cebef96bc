"""The operands of a compiled network's layers: words of one, two or four numbers.

A word of four bytes is a float32, two bfloat16, or four int8.

**int8.** An input x is the byte nearest to ``x / step + zero``. Its step follows from a layer's
inputs for a sample of positions; ``zero`` is 0 if none of them is negative, else 128. Each output
has its own step for its weights, which are whole numbers from −127 to 127. Sums of their products
are exact, so the results have the same bits on every processor. Source: Jacob et al., "Quantization
and training of neural networks for efficient integer-arithmetic-only inference", CVPR 2018.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .tile import (
    CELLS,
    CELLS_OF_BYTES,
    FUSES,
    MULTIPLIES_FOURS,
    MULTIPLIES_PAIRS,
    PER_WORD,
)

MOST_BYTE, MOST_WEIGHT, MIDDLE = 255, 127, 128
ROOM = 1.15  # games have larger inputs than the sample


class Bytes(NamedTuple):
    """The quantization of an input.

    Attributes:
        step: the difference between neighbouring bytes.
        zero: the byte for 0.
    """

    step: float = 1.0
    zero: int = 0

    @property
    def bits(self) -> tuple[int, int]:
        """The bits of the float32 factor to bytes, and the byte for 0, for a layer's row."""
        return int(np.float32(1 / self.step).view(np.int32)), self.zero


def bytes_for(low: float, high: float) -> Bytes:
    """The quantization of numbers from ``low`` to ``high``."""
    if low < 0:
        return Bytes(ROOM * max(-low, high) / MOST_WEIGHT, MIDDLE)
    return Bytes(ROOM * high / MOST_BYTE or 1.0)


class Precision(NamedTuple):
    """How numbers are multiplied.

    Attributes:
        name: its name in the options of agents.
        words_type: the type of the array of all weights.
        is_possible: whether this processor supports it.
        cells: the maximum number of cells in a tile.
    """

    name: str
    words_type: str
    is_possible: bool
    cells: int = CELLS

    @property
    def per_word(self) -> int:
        """The number of numbers in a word."""
        return PER_WORD[self.words_type]

    def words(
        self, weights: np.ndarray, biases: np.ndarray, inputs: Bytes
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weights (taps, inputs, outputs) as words, and the numbers after them, both uint32."""
        bits: Any = weights.view(np.uint32)
        if self.per_word == 1:
            return bits, biases.view(np.uint32)
        if self.per_word == 2:  # rounded to the nearest, ties to even
            halves = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
            return halves[:, ::2] | halves[:, 1::2] << 16, biases.view(np.uint32)
        steps = np.abs(weights).max(axis=(0, 1)) / MOST_WEIGHT
        steps[steps == 0] = 1
        whole = np.rint(weights / steps).astype(np.int8)
        taps, count, width = whole.shape
        fours = whole.reshape(taps, count // 4, 4, width).transpose(0, 1, 3, 2)
        starts = -inputs.zero * whole.sum(axis=(0, 1), dtype=np.int32)
        factors = (steps * inputs.step).astype(np.float32)
        ends = [starts.view(np.uint32), factors.view(np.uint32), biases.view(np.uint32)]
        return np.ascontiguousarray(fours).view(np.uint32), np.concatenate(ends)


class LayerWeights(NamedTuple):
    """The weights and biases of a layer, in the model's arrays.

    Attributes:
        weights, biases: (taps, inputs, outputs), and (outputs,).
        order: the order in which the layer reads the inputs; None: as they are.
        width: the number of outputs computed, including padding.
        inputs, precision: the quantization of inputs, and how numbers are multiplied.
    """

    weights: np.ndarray
    biases: np.ndarray
    order: np.ndarray | None
    width: int
    inputs: Bytes
    precision: Precision

    def words(self) -> tuple[np.ndarray, np.ndarray]:
        """As :meth:`Precision.words`, for the current content of the arrays."""
        weights = self.weights if self.order is None else self.weights[:, self.order]
        taps, inputs, outputs = weights.shape
        more = -inputs % self.precision.per_word
        padded = np.zeros((taps, inputs + more, self.width), np.float32)
        padded[:, :inputs, :outputs] = weights
        biases = np.zeros(self.width, np.float32)
        biases[:outputs] = self.biases
        return self.precision.words(padded, biases, self.inputs)


def join_words(layers: Iterable[LayerWeights]) -> np.ndarray:
    """The words of all layers, in the layout of a network: uint32."""
    return np.concatenate([part.ravel() for layer in layers for part in layer.words()])


FLOAT32 = Precision("float32", "float32", FUSES)
BFLOAT16 = Precision("bfloat16", "uint32", MULTIPLIES_PAIRS)
INT8 = Precision("int8", "int32", MULTIPLIES_FOURS, CELLS_OF_BYTES)
PRECISIONS = {each.name: each for each in (FLOAT32, BFLOAT16, INT8)}  # the first is the default
