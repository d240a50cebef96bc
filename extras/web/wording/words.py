"""The languages of the pages: one file of messages for each."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....envs import rules as r
from ....envs.game import Game, Position
from ....envs.profile import Ending, Example
from ....envs.registry import make_game
from ....envs.rules_types import parameter_values
from ....envs.specification import Parameter

FOLDER = Path(__file__).resolve().parent.parent / "messages"
ANSWERS = ("refused.", "invalid.")  # prefixes of the keys of the server's responses
LANGUAGE_COOKIE = "language"  # stores the chosen language
MOST_RULES = 5  # lines
LANGUAGES = {"en": "English", "vi": "Tiếng Việt"}


class Words:
    """The messages of a language; call it with a key."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.messages: Mapping[str, str] = _messages(language)

    def __call__(self, key: str, **values: Any) -> str:
        """The message of a key, with ``{name}`` replaced by the value of that name."""
        return self.messages[key].format(**values)

    def get(self, key: str, default: str) -> str:
        """The message of a key that may be missing, for example of a user's game."""
        return self.messages.get(key, default)

    def of_game(self, game: Game, key: str, default: str) -> str:
        """A word of a game; the default if it has none, for example a user's game."""
        return game.profile.words_in(self.language).get(key, default)

    def player(self, game: Game, player: int) -> str:
        """The name of a player."""
        return game.declaration.player_names(self.language)[player]

    def title(self, game: Game) -> str:
        """The name of a game."""
        return self.of_game(game, "title", game.declaration.title)

    def example(self, example: Example) -> str:
        """The name of a board that is offered by name: the game's, and its size if needed."""
        game = make_game(example.game)
        return self.of_game(game, f"example.{example.key}", self.title(game))

    def board(self, game: Game) -> str:
        """The name under which a board is offered, or its game's name and non-default values."""
        name, usual = self.title(game), make_game(game.name)
        for example in game.profile.examples:
            if game in map(make_game, (example.game, *example.also)):
                name, usual = self.example(example), make_game(example.game)
        values, usual_values = parameter_values(game.rules), parameter_values(usual.rules)
        unusual = [
            f"{self.parameter(game, each).lower()} {self.value(game, each.name, values[each.name])}"
            for each in game.declaration.parameters
            if values[each.name] != usual_values[each.name]
        ]
        return ", ".join([name, *unusual])

    def rule(self, game: Game | str) -> str:
        """One or two sentences on how a game is won; empty if its words have none."""
        made = make_game(game)
        values = parameter_values(made.rules)
        keys = ["rule", *(f"rule.{value}" for value in values.values() if isinstance(value, str))]
        texts = (self.of_game(made, key, "") for key in keys)
        return " ".join(text.format_map(values) for text in texts if text)

    def short(self, game: Game | str) -> str:
        """How a game is won in at most twelve words; its rule if its words have no such text."""
        made = make_game(game)
        return self.of_game(made, "short", self.rule(made)).format_map(parameter_values(made.rules))

    def how_to_play(self, game: Game) -> list[str]:
        """The rules in a few lines, the win condition first; empty if there are none."""
        values = parameter_values(game.rules)
        texts = (self.of_game(game, f"how.{number}", "") for number in range(1, MOST_RULES))
        return [
            line for line in (self.rule(game), *(text.format_map(values) for text in texts)) if line
        ]

    def parameter(self, game: Game, parameter: Parameter) -> str:
        """The display name of a game's parameter."""
        return self.of_game(game, f"parameter.{parameter.name}", parameter.help or parameter.name)

    def value(self, game: Game, name: str, value: Any) -> str:
        """The display text of a parameter's value."""
        return self.of_game(game, f"parameter.{name}.{value}", str(value))

    def action(self, game: Game, name: str, kinds: Sequence[str] = ("action",)) -> str:
        """The screen reader text of an action, given by its name.

        The game's words have a text for all actions (``action``) or for actions with a prefix
        (``action.pass``; ``{0}`` is the next word of the name).
        """
        first, *values = name.split()
        for key in (key for kind in kinds for key in (f"{kind}.{first}", kind)):
            text = self.of_game(game, key, "")
            if text:
                return text.format(*values, name=name)
        return name

    def place(self, game: Game, name: str) -> str:
        """The screen reader text of a place on the board, given by its name."""
        return self.action(game, name, ("place", "action"))

    def invalid(self, fault: Mapping[str, Any]) -> str:
        """The message about an invalid value, for an error of pydantic."""
        message = self.messages.get(f"invalid.{fault['type']}")
        return fault["msg"] if message is None else message.format(**fault.get("ctx", {}))

    def ending(self, game: Game, ending: Ending | str) -> str:
        """Why a game ended: by its rules, or by the message ``reason.…`` or ``fault.…``."""
        if isinstance(ending, str) or not ending.key.startswith(("reason.", "fault.")):
            return game.profile.ending_text(ending, self.language)
        values = dict(ending.values)
        if "player" in values:
            values["player"] = self.player(game, values["player"])
        return self.get(ending.key, "{reason}").format_map(values)

    def outcome(self, position: Position) -> str:
        """A sentence on how a game ended."""
        game, outcome = position.game, position.outcome
        assert outcome is not None
        reason = self.ending(game, r.outcome_reason(game.rules, position.record))
        if outcome.winner is None:
            return self("outcome.draw", reason=reason)
        return self("outcome.win", player=self.player(game, outcome.winner), reason=reason)

    def for_browser(self) -> str:
        """The messages of the pages as JSON that is safe in a ``script`` element."""
        texts = {key: text for key, text in self.messages.items() if not key.startswith(ANSWERS)}
        return json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c")


@functools.cache
def _messages(language: str) -> Mapping[str, str]:
    text = (FOLDER / f"{language}.json").read_text(encoding="utf-8")
    messages: dict[str, str] = json.loads(text)
    return messages


@functools.cache
def words_of(language: str) -> Words:
    """The messages of an existing language."""
    return Words(language)


def preferred_language(link: str | None, cookie: str | None, header: str | None) -> str:
    """The language of a page: from the link, chosen before, or the browser's."""
    for language in (link, cookie):
        if language in LANGUAGES:
            return language
    weights = []
    for place, item in enumerate((header or "").split(",")[:20]):
        tag, _, weight = item.strip().partition(";q=")
        primary = tag.strip().lower().partition("-")[0]
        if primary in LANGUAGES:
            weights.append((-_number(weight), place, primary))
    return min(weights)[2] if weights else "en"


def _number(text: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0.0
