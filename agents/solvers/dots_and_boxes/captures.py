"""Captures of dots and boxes: reduces a position to a quiet one, which has no box to capture.

Boxes to capture form *runs*: from a box of valence 1 along boxes of valence 2, to the border or a
joint (an open run) or to another box of valence 1 (a closed run). The player to move captures the
next box of a run, and loses nothing by it, unless two boxes of an open run or four of a closed one
remain. Those may also be left to the opponent by the edge that cuts them off. All lines of play
end in the same quiet position R, so the value is a function of V(R).

Proofs. P − m is P with the edge m drawn. R is what remains once all boxes of the run at hand are
captured; x is the box at its far end if that is a joint. "Completes" means boxes. The proofs go by
induction on the free edges.

A. A single box to capture is captured. Let c have valence 1, its free edge f leading to the border
or a joint x. Then V(P) = 1 + V(P − f). Take another move m. If it completes nothing, the opponent
may answer f, so −V(P − m) ≤ −1 − V(P − m − f) ≤ −1 + V(P − f), as m is a move of P − f that
completes nothing (x keeps a valence of at least 2 until then). If m completes k boxes and f still
leads to the border or a joint, then k + V(P − m) = 1 + k + V(P − f − m) ≤ 1 + V(P − f). Otherwise m
captures a box c′ next to x, whose valence was 3, and P − m and P − f are the same graph, with c or
c′ hanging on x.

B. Two boxes that one edge completes are taken, V = 2 + V(R), and C. so is a closed run of three
(both end boxes of valence 1): the same argument; no other move touches them.

D. In an open run of k ≥ 3 boxes, or a closed one of k ≥ 5, the next box is captured, from either
end if closed. Open run, first edge e: capturing k − 2 boxes and then drawing the far edge leaves
two boxes for B, so 1 + V(P − e) ≥ k − 4 − V(R); capturing all gives 1 + V(P − e) ≥ k + V(R). A move
that cuts the run lets the opponent capture all k boxes and move on in R: at most −(k + V(R)) ≤ −k −
V(R) ≤ k − 4 − V(R). A move m elsewhere that completes nothing: the opponent captures the run, −V(P
− m) ≤ −k − V(R − m) ≤ −k + V(R). One that completes j boxes leaves a run of at least k (longer if x
became a link, and then perhaps closed, of at least k + 2 ≥ 5): by induction j + V(P − m) = j + 1 +
V(P − m − e) ≤ 1 + V(P − e). Closed run: the same with k − 8 for k − 4, as the middle edge of the
last four leaves them for B twice.

E. If only open runs of two and closed runs of four are left, the player takes one of them or cuts
it, by the far or the middle edge. After any other move m, which completes nothing, the opponent
takes a run of k boxes: −V(P − m) ≤ −k − V(P − run − m) ≤ −k + V(P − run), less than by taking it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....envs.games.dots_and_boxes.board import boxes_beside, count_edges, sides_of_box

MOST_KNOWN = 20_000  # cached positions, about 10 MB


class Run(NamedTuple):
    """Boxes that can be captured in sequence, and the edges that capture them."""

    boxes: int
    edges: list[int]
    is_closed: bool


class Captures:
    """Reduces positions of one board; free edges are bits by action number."""

    def __init__(self, rows: int, cols: int) -> None:
        edges = count_edges(rows, cols)
        self.boxes: int = rows * cols
        self._sides = [
            sum(1 << int(edge) for edge in sides_of_box(rows, cols, box, box // cols))
            for box in range(self.boxes)
        ]
        self.beside: list[list[int]] = [
            [int(box) for box in boxes_beside(rows, cols, edge) if box >= 0]
            for edge in range(edges)
        ]
        self._sides_beside = [[self._sides[box] for box in beside] for beside in self.beside]
        self._identity = np.arange(-self.boxes, self.boxes + 1)
        self._known: dict[int, tuple[int, np.ndarray]] = {}  # the results by position

    def draw(self, free: int, edge: int) -> tuple[int, int]:
        """Draw a free edge; returns the other free edges and the boxes completed."""
        free &= ~(1 << edge)
        gain = 0
        for sides in self._sides_beside[edge]:
            gain += not free & sides
        return free, gain

    def valence(self, free: int, box: int) -> int:
        """The number of free sides of a box."""
        return (free & self._sides[box]).bit_count()

    def settle(self, free: int) -> tuple[int, np.ndarray]:
        """The quiet position R after all captures, and the value as a function of V(R).

        Returns:
            the free edges of R, and an int array of length 2·boxes + 1: entry ``boxes + v`` is the
            margin for the player to move if V(R) = v.
        """
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        return self._settle(free)

    def _settle(self, free: int) -> tuple[int, np.ndarray]:
        cache = self._known
        if free not in cache:
            runs = self._runs(free)
            forced_runs = [run for run in runs if run.boxes != (4 if run.is_closed else 2)]
            if not runs:
                cache[free] = free, self._identity
            elif forced_runs:
                cache[free] = self._play(free, forced_runs[0].edges[:1])
            else:
                options = [self._play(free, run.edges) for run in runs]
                # the edge that gives the run to the opponent
                options += [self._play(free, run.edges[1:2]) for run in runs]
                cache[free] = options[0][0], np.max([worth for _, worth in options], axis=0)
        return cache[free]

    def _play(self, free: int, edges: list[int]) -> tuple[int, np.ndarray]:
        """Reduce the position after one player's edges; the margins are that player's.

        All of the edges complete a box, or there is only one.
        """
        captured = 0
        for edge in edges:
            free, gain = self.draw(free, edge)
            captured += gain
        rest, worth = self._settle(free)
        return rest, captured + worth if captured else -worth

    def _runs(self, free: int) -> list[Run]:
        """The runs of a position; a closed one is listed twice, from both ends."""
        return [self._run(free, box) for box in range(self.boxes) if self.valence(free, box) == 1]

    def _run(self, free: int, box: int) -> Run:
        boxes, edges, unused = 1, [], free
        while True:
            # one edge: the last free one, or of two the one not on the run so far
            edge = (unused & self._sides[box]).bit_length() - 1
            edges.append(edge)
            unused &= ~(1 << edge)
            beyond = [other for other in self.beside[edge] if other != box]
            valence = self.valence(free, beyond[0]) if beyond else 0
            if valence not in (1, 2):
                return Run(boxes, edges, False)
            box, boxes = beyond[0], boxes + 1
            if valence == 1:
                return Run(boxes, edges, True)
