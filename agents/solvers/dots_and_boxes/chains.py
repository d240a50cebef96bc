"""Chains and loops of dots and boxes: the value of opening one, and collections of them.

Let V(P) be the margin of the rest of the game for the player to move. Who draws an edge of a chain
of n boxes of valence 2 (the *opener*) lets the opponent capture all of it. For n ≥ 3 the opponent
may instead capture all but two and draw the far edge. Then the opener has to take the last two
with one edge and to move again. Of a loop all but four are taken. Both ways lead to the same rest
R, in which one or the other is to move. So the opener's margin is −(n − s + |V(R) + s|) with s = 2
for a chain and 4 for a loop. A chain of one box leaves no choice. One of two boxes is opened by its
middle edge, which leaves none either: −(n + V(R)), s = 0.

A *collection* is a multiset of chains and loops that touch nothing else. All collections of a board
are numbered beforehand, with their values and the collections that opening one part leads to. Parts
are of three groups: chains of one or two boxes, longer chains, and loops. Of each group only the
shortest is worth opening.

Proofs, with the letters of :mod:`.captures`:

F. Opening. A chain of k ≥ 3 boxes opened by an end edge is an open run; by D it is captured down to
two boxes and then taken or cut: the opponent gets max(n + V(R), n − 4 − V(R)) = n − 2 + |V(R) + 2|.
Any other edge of the chain leaves the opponent the same two ways at least, so one edge stands for
all. If both ends stand on one joint of valence 3, that joint and the chain on its third edge are
part of the run; n counts them. A loop is a closed run once opened: n − 4 + |V(R) + 4|. Of a chain
of two the middle edge leaves two single boxes (A: 2 + V(R)); an end edge leaves an open run, of no
less worth to the opponent.

G. The shortest first. Let i < j be lengths of independent chains, both at most 2 or both at least
3, or of loops, and Q any quiet position. Then |V(Q + j) − V(Q + i)| ≤ j − i, by induction: moves
correspond, those in Q lead to values that differ by at most j − i, and |·| and max keep that;
opening the chain itself differs by exactly j − i. With g_k(v) = −(k − s + |v + s|), or −(k + v)
where s = 0, opening j in Q + i + j gives g_j(V(Q + i)) = g_i(V(Q + i)) − (j − i) ≤ g_i(V(Q + j)):
no more than opening i.

Sources: Berlekamp, "The Dots and Boxes Game", 2000; Barker and Korf, "Solving Dots-And-Boxes", AAAI
2012; Buzzard and Ciere, "Playing simple loony dots and boxes endgames optimally", Integers 14, 2014
(the shortest first).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from ....envs.compiled.kernels import kernel

NONE = -1
GROUPS = 3

# The columns of the array of collections. It is int32 with one row for each; row 0 is empty.
BOXES = 0  # its number of boxes
VALUE = 1  # its V
# This and the next two: the collection without the shortest part of each group, or NONE.
AFTER_OPENING = 2
# This and all after it: the collection with one more part of each kind (`kind_of`), or NONE.
AFTER_ADDING = 5


@kernel
def kind_of(length, loop, boxes):
    """The number of a kind of part on a board of this many boxes.

    Chains come first, by length, then loops of 4, 6, 8, … boxes.
    """
    return boxes + length // 2 - 2 if loop else length - 1


@kernel
def spare_boxes(length, loop):
    """The boxes that the capturing player may leave so that the opener moves again (s above)."""
    return 4 if loop else 2 if length > 2 else 0


@functools.lru_cache(maxsize=8)
def make_collections(boxes: int, limit: int) -> np.ndarray:
    """Number the collections of at most ``boxes`` boxes, the smallest first.

    Returns:
        int32 (collections, 5 + kinds), with at most ``limit`` rows; the columns are above.

    Raises:
        ValueError: ``limit`` is below 1.
    """
    if limit < 1:
        raise ValueError(
            f"limit={limit} is not possible: it must be at least 1, for the empty collection"
        )
    lengths = [*range(1, boxes + 1), *range(4, boxes + 1, 2)]
    loops = [index >= boxes for index in range(len(lengths))]
    spares = [spare_boxes(length, loop) for length, loop in zip(lengths, loops)]
    groups = [2 if loop else int(length > 2) for length, loop in zip(lengths, loops)]
    multisets = sorted(
        (sum(lengths[kind] for kind in kinds), kinds) for kinds in _multisets(lengths, boxes, 0)
    )[:limit]
    numbers = {kinds: number for number, (_, kinds) in enumerate(multisets)}
    collections = np.full((len(multisets), AFTER_ADDING + len(lengths)), NONE, np.int32)
    for number, (total, kinds) in enumerate(multisets):
        collections[number, BOXES] = total
        for kind, length in enumerate(lengths):
            if total + length <= boxes:
                collections[number, AFTER_ADDING + kind] = numbers.get(
                    tuple(sorted((*kinds, kind))), NONE
                )
        margins = []
        for group in range(GROUPS):
            inside = [kind for kind in kinds if groups[kind] == group]
            if inside:
                length, spare = lengths[inside[0]], spares[inside[0]]
                rest = list(kinds)
                rest.remove(inside[0])
                collections[number, AFTER_OPENING + group] = numbers[tuple(rest)]
                value = int(collections[numbers[tuple(rest)], VALUE])
                margins.append(
                    -(length - spare + abs(value + spare)) if spare else -(length + value)
                )
        collections[number, VALUE] = max(margins, default=0)
    collections.flags.writeable = False
    return collections


def _multisets(lengths: list[int], room: int, first: int) -> Iterator[tuple[int, ...]]:
    """All ascending tuples of kinds from ``first`` on whose lengths add up to at most ``room``."""
    yield ()
    for kind in range(first, len(lengths)):
        if lengths[kind] <= room:
            for rest in _multisets(lengths, room - lengths[kind], kind):
                yield (kind, *rest)
