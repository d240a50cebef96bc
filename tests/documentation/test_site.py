"""The site that ``make docs`` builds: it opens from the file system, its links lead somewhere, and
it asks no server for anything.
"""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from helpers import ROOT
from pages import CONTRASTS

pytestmark = pytest.mark.thorough
PAGES_TO_LOOK_AT = (
    "index",
    "games/connect_four",
    "agents",
    "api/agents",
    "commands/start_here",
    "notebooks/first_agent",
    "guide/install",
    "zoo",
    "zoo/connect_four",
    "extras/studies/connect_four",
    "tutorials/self_play",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder that PLYGROUND_SITE names (.ci/run has built it), else built here."""
    if folder := os.environ.get("PLYGROUND_SITE"):
        return Path(folder).resolve()
    folder = tmp_path_factory.mktemp("site")
    process = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return folder


class Links(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places |= {values[key] for key in ("id", "name") if values.get(key)}
        self.targets += [values[key] for key in ("href", "src") if values.get(key)]


def test_every_link_leads_to_a_file_and_a_place_in_it(site):
    pages = {page.resolve(): Links(page) for page in site.rglob("*.html")}
    dead = []
    for page, links in pages.items():
        if page.name == "404.html":
            continue  # its links begin at the root of a server
        for target in links.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            place = unquote(parts.fragment)
            if not file.exists() or (place and file in pages and place not in pages[file].places):
                dead.append(f"{page.relative_to(site.resolve())}: {target}")
    assert len(pages) > 40
    assert dead == []


@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_open_from_the_file_system_without_a_request(site, browser, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name in PAGES_TO_LOOK_AT:
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert (
            page.evaluate("document.body.dataset.mdColorScheme")
            == {"light": "default", "dark": "slate"}[scheme]
        )
    assert [url for url in requests if not url.startswith(("file:", "data:", "about:"))] == []
    assert errors == []
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_readable_in_both_colour_schemes(site, browser, scheme):
    page = browser.new_page(color_scheme=scheme)
    page.goto((site / "api/agents.html").as_uri())
    unseen = ("¶", "Skip to content", "Back to top")  # until they are pointed at
    weak = [element for element in page.evaluate(CONTRASTS) if element[0] < 4.5]
    assert [element for element in weak if element[1] not in unseen] == []
    page.close()


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("glossary", "Glossary"),
        ("install", "Install"),
        ("self-play pettingzoo", "Self-play in PettingZoo and SB3, done right"),
        ("sprt", "Is my agent better? Pairs, intervals, SPRT"),
    ],
)
def test_the_search_finds_guides_first_without_a_server(site, browser, words, title):
    page = browser.new_page()
    page.goto((site / "games/hex.html").as_uri())
    page.click(".md-search__input")
    page.keyboard.type(words)
    page.wait_for_selector(".md-search-result__item")
    assert page.inner_text(".md-search-result__item h1 >> nth=0") == title
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(site, browser, scheme):
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    faults = []
    for name in PAGES_TO_LOOK_AT:
        page.goto((site / f"{name}.html").as_uri())
        violations = Axe().run(page).response["violations"]
        faults += [(name, fault["id"], fault["nodes"][0]["html"]) for fault in violations]
    context.close()
    assert faults == []


def test_commands_are_copied_without_prompt_and_output(site, browser):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(
        "document.execCommand = () => (window.copied = String(document.activeElement.value), true)"
    )
    page.goto((site / "extras/quality.html").as_uri())
    block = page.locator(".highlight").first
    block.hover()
    block.locator("[data-md-type=copy]").click()
    copied = page.evaluate("window.copied")
    assert copied.startswith("plyground quality connect_four random greedy")
    assert copied.endswith("--from-ply 12")
    context.close()


def test_every_game_and_agent_has_its_section(site):
    from plyground.agents.registry import agent_classes
    from plyground.envs.registry import game_names

    assert {path.stem for path in (site / "games").glob("*.html")} == {"index", *game_names()}
    assert set(agent_classes()) <= Links(site / "agents.html").places
