"""The message files say the same, in every language, and nothing else is asked of them."""

from __future__ import annotations

import json
import re

import pytest
from helpers import ROOT
from plyground.extras.web.app import REFUSALS
from plyground.extras.web.errors import CODE
from plyground.extras.web.wording.words import LANGUAGES, preferred_language

WEB = ROOT / "extras" / "web"
MESSAGES = {
    language: json.loads((WEB / "messages" / f"{language}.json").read_text(encoding="utf-8"))
    for language in LANGUAGES
}
SOURCES = [
    ROOT / "evaluation" / "replay.py",
    *WEB.rglob("*.py"),
    *(WEB / "static").glob("*.js"),
    *(WEB / "templates").glob("*.html"),
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_messages(language):
    assert list(MESSAGES[language]) == list(MESSAGES["en"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_name_the_same_values(language):
    for key, text in MESSAGES[language].items():
        assert set(re.findall(r"\{(\w+)\}", text)) == set(
            re.findall(r"\{(\w+)\}", MESSAGES["en"][key])
        ), key
        assert text.strip()


def test_every_message_that_is_asked_for_exists():
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        for key in re.findall(r"""\b(?:t|words|self)\(["']([a-z]+\.[a-z_]+)["'][,)]""", text):
            assert key in MESSAGES["en"], f"{source.name} asks for {key}"


def test_every_refusal_has_a_message_and_every_such_message_a_refusal():
    text = "".join(source.read_text(encoding="utf-8") for source in WEB.rglob("*.py"))
    codes = set(re.findall(r"""Refusal\(\s*"(\w+)\"""", text)) | {*REFUSALS.values(), "other"}
    assert codes == {key.removeprefix(CODE) for key in MESSAGES["en"] if key.startswith(CODE)}


def test_no_message_is_without_use():
    text = "".join(source.read_text(encoding="utf-8") for source in SOURCES)
    unused = [
        key
        for key in MESSAGES["en"]
        if f'"{key}"' not in text and f'"{key.partition(".")[0]}.' not in text
        and f"`{key.partition('.')[0]}." not in text
    ]  # fmt: skip
    assert unused == []


@pytest.mark.parametrize(
    ("link", "cookie", "header", "language"),
    [
        ("vi", "en", "en", "vi"),
        (None, "vi", "en", "vi"),
        (None, None, "vi-VN,en;q=0.8", "vi"),
        (None, None, "fr,en;q=0.5,vi;q=0.9", "vi"),
        ("xx", "../en", "de", "en"),
        (None, None, "vi;q=x,en;q=0.1", "en"),
        (None, None, None, "en"),
    ],
)
def test_the_language_is_that_of_the_link_the_memory_or_the_browser(link, cookie, header, language):
    assert preferred_language(link, cookie, header) == language
