"""Decisions, and the value of a position: an exact result, a bound, or an estimate.

Scores follow python-chess and the UCI protocol, which distinguish ``mate 3``, ``cp 20`` and ``cp 20
lowerbound``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from ..envs.game import Position
from ..envs.loading.texts import counted
from ..envs.pictures.tables import html_table

Unit = Literal["return", "points"]
Kind = Literal["exact", "lower", "upper", "estimate"]


class End(NamedTuple):
    """The end of a game under best play: the number of plies and the lead; None if unknown.

    The lead is from the side to move, in the game's units.
    """

    plies: int | None = None
    margin: int | None = None


@dataclasses.dataclass(frozen=True)
class Score:
    """The value of a position, or of the position after an action, to the player to move.

    Attributes:
        value: the result, the bound or the estimate, in the unit.
        unit: ``"return"`` (the game's return: 1 a win, 0 a draw, −1 a loss, or the margin in games
            that return it) or ``"points"`` (of a heuristic).
        kind: ``"exact"`` (the result under best play of both sides), ``"lower"`` or ``"upper"``
            (the value is at least, or at most, this), or ``"estimate"``.
        plies: the plies to the end of the game along the principal variation, if a search saw that
            end; else None.
        offset: what :attr:`level` adds to the value of an estimate in points: half the difference
            to the search one ply shallower, if there was one; else 0.
    """

    value: float
    unit: Unit = "return"
    kind: Kind = "estimate"
    plies: int | None = None
    offset: float = 0.0

    @property
    def level(self) -> float:
        """The value, for an estimate in points the mean of the last two depths of its search.

        A heuristic favours the side that moved last, so that its values alternate with the parity
        of the depth. The mean does not. All scores of a decision have the same offset, which leaves
        their differences unchanged.
        """
        return self.value + self.offset

    @property
    def is_exact(self) -> bool:
        """Whether the value is the result under best play."""
        return self.kind == "exact"

    @property
    def is_bound(self) -> bool:
        """Whether the value is only a bound."""
        return self.kind in ("lower", "upper")

    @property
    def mate_in(self) -> int | None:
        """The plies to a win (positive) or a loss (negative); None if none is seen.

        The line is a proof only if the score is exact: a search that prunes actions without proof
        can see a win that is not forced.
        """
        if self.plies is None or self.value == 0:
            return None
        return self.plies if self.value > 0 else -self.plies

    def text(self, margin: bool = False) -> str:
        """The score in words: ``wins in 3 plies``, ``draw``, ``≤ +4 points``, ``+0.31 (estimate)``.

        Args:
            margin: whether the game returns the margin, which is then included.
        """
        if self.unit == "return" and (self.is_exact or self.plies is not None or self._bounds):
            words = self._result(margin)
        elif self.unit == "points":
            points = f"{self.level:+.0f}" if round(self.level) else "0"
            words = f"{points} point" if points in ("+1", "-1") else f"{points} points"
        else:
            words = f"{self.value:+.2f}"
        if self._bounds:
            return f"{self._bounds} {words}"
        if self.is_exact:
            return words
        return f"{words} ({'estimate' if self.plies is None else 'not proved'})"

    @property
    def _bounds(self) -> str:
        return {"lower": "≥", "upper": "≤"}.get(self.kind, "")

    def _result(self, margin: bool) -> str:
        if self.value == 0:
            return "draw"
        words = "wins" if self.value > 0 else "loses"
        if margin:
            words += f" by {abs(self.value):g}"
        if self.plies is None:
            return words
        return f"{words} in {counted(self.plies, 'ply', 'plies')}"

    def order(self) -> tuple[float, float, float]:
        """A sort key: a better score has a greater key.

        Wins come first, the quickest before the others. Draws and estimates follow by value; losses
        come last, the slowest before the others. Among equal values upper bounds come
        last.
        """
        ends = self.unit == "return" and (self.is_exact or self.plies is not None)
        result = float((self.value > 0) - (self.value < 0)) if ends else 0.0
        return result, self.level, -(self.mate_in or 0) - 0.5 * (self.kind == "upper")

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Score:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError: the data do not describe a score.
        """
        try:
            value, offset = float(data["value"]), float(data["offset"])
            score = cls(value, data["unit"], data["kind"], data["plies"], offset)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ValueError(f"{data!r} is not a score") from None
        if (
            score.unit not in ("return", "points")
            or score.kind not in ("exact", "lower", "upper", "estimate")
            or not (score.plies is None or isinstance(score.plies, int))
        ):
            raise ValueError(f"{data!r} is not a score")
        return score


class PlainScores(Mapping[int, Score]):
    """Scores of actions that differ only in their values.

    Scores are made on lookup: most games need none.

    Args:
        values: value by action.
        unit: the unit of the values.
        kind: the kind of the scores.
    """

    def __init__(
        self, values: Mapping[int, float], unit: Unit = "return", kind: Kind = "estimate"
    ) -> None:
        self._values, self._unit, self._kind = values, unit, kind

    def __getitem__(self, action: int) -> Score:
        return Score(self._values[action], self._unit, self._kind)

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(dict(self))


def score_of_position(action: int, scores: Mapping[int, Score], best_result: float) -> Score:
    """The score of a position from those of its legal actions, of which ``action`` is chosen.

    The score of an exact action is the position's exact result if no action can be better: if it is
    ``best_result``, the greatest return of the game, or if all other actions are exact or bounded
    above by it. Otherwise it is a lower bound of the position's value.
    """
    score = scores[action]
    if not score.is_exact or score.value >= best_result:
        return score
    for other in scores.values():
        if other.kind not in ("exact", "upper") or other.unit != score.unit:
            return dataclasses.replace(score, kind="lower")
    return score


@dataclasses.dataclass
class Decision:
    """An action, and what the agent knows about it.

    All values and scores are from the side of the player to move. A depth-limited search gives all
    scores of the depth that the decision states. If a limit stopped the search within the next
    depth, its partial result chooses the action, so that another action may have the best score; of
    the scores of that depth only a win is kept.

    Attributes:
        action: the action to play.
        score: the position's value: exact, bounded or estimated; None if the agent gives no value.
        scores: the same for the position after each evaluated action.
        errors: standard error by action, for methods that sample.
        visits: simulations by action, for methods that sample.
        principal_variation: the line of play expected, the action first.
        nodes: positions visited.
        simulations: random or guided games played.
        depth: plies searched in full, the depth of the scores.
        seconds: time spent, without compilation; :meth:`Agent.analyse` fills it in.
        from_book: whether the action was taken from the opening book, without search; ``scores``
            then holds the book's best actions.
        probabilities: the network's prior of each action, before any search.
        position: the position decided in; :meth:`Agent.analyse` fills it in.
    """

    action: int
    score: Score | None = None
    scores: Mapping[int, Score] | None = None
    errors: Mapping[int, float] | None = None
    visits: Mapping[int, int] | None = None
    principal_variation: tuple[int, ...] = ()
    nodes: int = 0
    simulations: int = 0
    depth: int = 0
    seconds: float = 0.0
    from_book: bool = False
    probabilities: Mapping[int, float] | None = None
    position: Position | None = dataclasses.field(default=None, repr=False, compare=False)

    def _repr_html_(self) -> str:
        """Notebooks show the board, the action and the scores, the best first."""
        name: Callable[[int], str] = str
        picture, caption, margin = "", f"plays {self.action}", False
        if self.position is not None:
            game, name = self.position.game, self.position.game.action_to_text
            picture, margin = self.position.to_svg(), game.facts.max_return != 1
            caption = f"{self.position.mover_name} plays {name(self.action)}"
        scores = {} if self.scores is None else dict(self.scores)
        if self.score is not None and not scores:
            scores[self.action] = self.score
        best = sorted(scores, key=lambda action: scores[action].order(), reverse=True)
        rows: list[tuple[str, Any]] = [(name(a), scores[a].text(margin)) for a in best]
        line = ", ".join(map(name, self.principal_variation))
        rows += [("line", line), ("nodes", self.nodes), ("seconds", self.seconds)]
        return html_table(rows, caption=caption, picture=picture)

    @property
    def value(self) -> float | None:
        """The number of ``score``, in the unit ``scale``; None without an estimate."""
        return None if self.score is None else self.score.value

    @property
    def scale(self) -> Unit:
        """The unit of ``value``: ``"return"`` (of the game) or ``"points"`` (of a heuristic)."""
        return "return" if self.score is None else self.score.unit

    @property
    def exact(self) -> bool:
        """Whether the position's result under best play is proved."""
        return self.score is not None and self.score.is_exact

    @property
    def values(self) -> dict[int, float] | None:
        """The numbers of ``scores`` without bounds; None if no action was evaluated.

        Results and estimates in points may be mixed: :meth:`Score.order` compares them.
        """
        if self.scores is None:
            return None
        return {action: score.value for action, score in self.scores.items() if not score.is_bound}

    @property
    def mate_in(self) -> int | None:
        """The plies to a forced win (positive) or loss (negative), None if none is seen.

        See :attr:`Score.mate_in`.
        """
        return None if self.score is None else self.score.mate_in
