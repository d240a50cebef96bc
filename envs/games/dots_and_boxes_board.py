"""The geometry of a dots-and-boxes board of rows × cols boxes: edges and the boxes beside them
(numbering: see :mod:`.dots_and_boxes`).
"""

from __future__ import annotations

from ..compiled.kernels import kernel


@kernel
def boxes_beside(rows, cols, edge):
    """The boxes on both sides of an edge, −1 where there is none."""
    horizontal = (rows + 1) * cols
    if edge < horizontal:
        row = edge // cols
        return (edge - cols if row > 0 else -1), (edge if row < rows else -1)
    row, column = (edge - horizontal) // (cols + 1), (edge - horizontal) % (cols + 1)
    box = row * cols + column
    return (box - 1 if column > 0 else -1), (box if column < cols else -1)


@kernel
def sides_of_box(rows, cols, box):
    """The edges of a box: top, bottom, left, right."""
    left = (rows + 1) * cols + box // cols * (cols + 1) + box % cols
    return box, box + cols, left, left + 1


@kernel
def neighbours(rows, cols, box):
    """The boxes behind the top, bottom, left and right side of a box, −1 where the board ends."""
    row, col = box // cols, box % cols
    return (
        box - cols if row > 0 else -1,
        box + cols if row < rows - 1 else -1,
        box - 1 if col > 0 else -1,
        box + 1 if col < cols - 1 else -1,
    )
