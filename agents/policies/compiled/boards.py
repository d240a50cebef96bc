"""Networks whose weights fit any board, evaluated on a board other than that of their file.

Convolutions and pooling do not depend on the size. The graph depends on the board only in the input
size, the number of actions, and the order of the logits of cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.game import Game
from ....envs.optional.defaults import action_cells
from .model_file import Model, Node, read_tensor


def action_order(game: Game) -> np.ndarray:
    """The index of each action among the logits of layers and cells; int64, (num_actions,).

    Cells come layer by layer and row by row, followed by the actions without a cell.
    """
    rows, columns, _ = game.facts.observation_shape
    row, column, layer = action_cells(game.rules).astype(np.int64).T
    cells = rows * columns * (1 + max(layer.max(), 0))
    elsewhere = cells + (row < 0).cumsum() - 1
    order: np.ndarray = np.where(row >= 0, (layer * rows + row) * columns + column, elsewhere)
    return order


def on_board(model: Model, own: Game, game: Game) -> Model:
    """The graph of a model for ``own``, on the board of ``game``.

    If the weights do not fit that board, the graph cannot be compiled.
    """

    def resize(node: Node) -> Node:
        attributes: dict[str, Any] = {
            name: [game.facts.num_actions] if value == [own.facts.num_actions] else value
            for name, value in node.attributes.items()
        }
        return node._replace(attributes=attributes)

    order, new = action_order(own), action_order(game)
    constants = {
        name: new if np.array_equal(read_tensor(tensor), order) else tensor
        for name, tensor in model.constants.items()
    }
    ((name, kind, (batch, *_)),) = model.inputs
    return model._replace(
        inputs=[(name, kind, [batch, *game.facts.observation_shape])],
        constants=constants,
        nodes=[resize(node) for node in model.nodes],
    )
