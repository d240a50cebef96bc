"""Errors of a visitor or of the server, each in one sentence."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from ...envs.specification import plain_text
from .wording.words import Words, words_of

CODE = "refused."  # prefix of the keys of the messages
LONGEST_SENTENCE = 1_000  # characters


class Refusal(Exception):
    """A request is refused.

    Args:
        code: the key of the message without ``refused.``.
        status: the HTTP status.
        values: values in the message. The key of a message is replaced by that message.
    """

    def __init__(self, code: str, status: int = 422, **values: Any) -> None:
        super().__init__(code)
        self.code: str = code
        self.status: int = status
        self.values: dict[str, Any] = values

    def sentence(self, words: Words) -> str:
        """The sentence in a language; messages of the library stay English."""
        values = {name: words.get(str(value), str(value)) for name, value in self.values.items()}
        return words(CODE + self.code, **values)

    def to_json(self, words: Words) -> dict[str, Any]:
        """The response for programs: the sentence and the code."""
        return {"error": self.sentence(words), "code": self.code}

    def __str__(self) -> str:
        return self.sentence(words_of("en"))


def sentence(message: object) -> str:
    """A message of the library as a sentence: with a capital letter and a full stop."""
    text = plain_text(str(message), LONGEST_SENTENCE)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


# Responses by status, for the API schema.
Answers = dict[int | str, dict[str, Any]]


class RefusalAnswer(BaseModel):
    """Why a request is refused: a sentence in the visitor's language, and its code."""

    error: str
    code: str


def _refusals(kind: str, schema: dict[str, Any]) -> Answers:
    return {
        status: {"content": {kind: {"schema": schema}}, "description": description}
        for status, description in (("4XX", "It is refused."), ("5XX", "It fails now."))
    }


REFUSALS_AS_JSON = _refusals("application/json", RefusalAnswer.model_json_schema())
REFUSALS_AS_PAGES = _refusals("text/html", {"type": "string"})


def files_of(*kinds: str) -> Answers:
    """Responses that are files of these types."""
    return {200: {"content": {kind: {} for kind in kinds}, "description": "The file."}}
