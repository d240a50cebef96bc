"""The languages of the pages: one file of messages for each."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..agents.score import Score
from ..envs.game import Game, Outcome

FOLDER = Path(__file__).resolve().parent / "messages"
ANSWERS = ("refused.", "invalid.")  # begin the keys of messages of the server's answers
LANGUAGE_COOKIE = "language"  # holds the language that was chosen before
LANGUAGES = {"en": "English", "vi": "Tiếng Việt"}
# The reasons that games give for their end, with the keys of their messages.
REASONS = (
    (re.compile(r"(?P<n>\d+) in a row"), "reason.row"),
    (re.compile(r"the board is full"), "reason.full"),
    (re.compile(r"(?P<a>\d+) boxes to (?P<b>\d+)"), "reason.boxes"),
    (re.compile(r"(?P<a>\d+) discs to (?P<b>\d+)"), "reason.discs"),
    (re.compile(r"top and bottom connected"), "reason.top_bottom"),
    (re.compile(r"left and right connected"), "reason.left_right"),
    (re.compile(r"resignation"), "reason.resignation"),
)
PLACE = re.compile(r"(h|v|box) (\d+) (\d+)")  # of dots and boxes


class Words:
    """The messages of a language; call it with a key."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.messages: Mapping[str, str] = _messages(language)

    def __call__(self, key: str, **values: Any) -> str:
        """The message of a key, with ``{name}`` replaced by the value of that name."""
        return self.messages[key].format(**values)

    def get(self, key: str, default: str) -> str:
        """The message of a key that may be missing, as for a game of the user's own."""
        return self.messages.get(key, default)

    def player(self, game: Game, player: int) -> str:
        """The name of a player: the colour where the game is known."""
        mark = game.declaration.marks[player]
        return self.get(f"player.{game.name}.{player}", self("player.other", mark=mark))

    def title(self, game: Game) -> str:
        """The name of a game."""
        return self.get(f"game.{game.name}", game.declaration.title)

    def action(self, game: Game, name: str) -> str:
        """What a screen reader says of an action or a place of the board, given by its name."""
        place = PLACE.fullmatch(name)
        if place:
            return self(f"action.{place[1]}", row=place[2], column=place[3])
        if f"action.{name}" in self.messages:
            return self(f"action.{name}")
        key = "action.column" if len(name) == 1 else "action.cell"
        return self(key, name=name)

    def invalid(self, fault: Mapping[str, Any]) -> str:
        """What is wrong with a value, of an error that pydantic describes."""
        message = self.messages.get(f"invalid.{fault['type']}")
        return fault["msg"] if message is None else message.format(**fault.get("ctx", {}))

    def reason(self, reason: str) -> str:
        """Why a game ended."""
        for pattern, key in REASONS:
            match = pattern.fullmatch(reason)
            if match:
                return self(key, **match.groupdict())
        return reason

    def outcome(self, game: Game, outcome: Outcome) -> str:
        """How a game ended, in a sentence."""
        reason = self.reason(outcome.reason)
        if outcome.winner is None:
            return self("outcome.draw", reason=reason)
        return self("outcome.win", player=self.player(game, outcome.winner), reason=reason)

    def score(self, game: Game, score: Score | None) -> str:
        """A score from the side of the player to move, as :meth:`Score.text` says it in English."""
        if score is None:
            return "–"
        bound = {"lower": "≥ ", "upper": "≤ "}.get(score.kind, "")
        if score.unit == "return" and (score.is_exact or score.plies is not None or bound):
            words = self._result(score, margin=game.facts.max_return != 1)
        elif score.unit == "points":
            words = self("score.points", value=_signed(f"{score.value:+.0f}"))
        else:
            words = _signed(f"{score.value:+.2f}")
        if bound or score.is_exact:
            return bound + words
        return self("score.estimate" if score.plies is None else "score.seen", value=words)

    def _result(self, score: Score, margin: bool) -> str:
        if score.value == 0:
            return self("score.draw")
        words = self("score.wins" if score.value > 0 else "score.loses")
        if margin:
            words = self("score.by", result=words, margin=f"{abs(score.value):g}")
        return words if score.plies is None else self("score.in", result=words, plies=score.plies)

    def for_browser(self) -> str:
        """The messages that pages show as JSON that can stand inside an element ``script``."""
        shown = {key: text for key, text in self.messages.items() if not key.startswith(ANSWERS)}
        return json.dumps(shown, ensure_ascii=False).replace("<", "\\u003c")


@functools.cache
def _messages(language: str) -> Mapping[str, str]:
    text = (FOLDER / f"{language}.json").read_text(encoding="utf-8")
    messages: dict[str, str] = json.loads(text)
    return messages


@functools.cache
def words_of(language: str) -> Words:
    """The messages of a language that exists."""
    return Words(language)


def chosen_language(asked: str | None, remembered: str | None, accepted: str | None) -> str:
    """The language of a page: that of the link, the one chosen before, or the browser's."""
    for language in (asked, remembered):
        if language in LANGUAGES:
            return language
    weighted = []
    for place, item in enumerate((accepted or "").split(",")[:20]):
        tag, _, weight = item.strip().partition(";q=")
        primary = tag.strip().lower().partition("-")[0]
        if primary in LANGUAGES:
            weighted.append((-_number(weight), place, primary))
    return min(weighted)[2] if weighted else "en"


def words_asked(asked: str | None, remembered: str | None, accepted: str | None) -> Words:
    """The messages for a request: see :func:`chosen_language`."""
    return words_of(chosen_language(asked, remembered, accepted))


def _signed(text: str) -> str:
    """A number with a minus sign instead of a hyphen."""
    return text.replace("-", "−")


def _number(text: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0.0
