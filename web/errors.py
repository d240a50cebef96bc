"""What a visitor did wrong, or what the server cannot do now, in one sentence."""

from __future__ import annotations


class Refused(Exception):
    """A request is refused.

    Args:
        sentence: what was wrong, and what is allowed.
        status: the status of the answer.
    """

    def __init__(self, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.status = status


def sentence(text: str) -> str:
    """A message as a sentence: with a capital letter and a full stop."""
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
