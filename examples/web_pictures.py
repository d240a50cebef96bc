"""Pictures of the pages for docs/extras/web.md, taken in Chromium: python examples/web_pictures.py.

With --check nothing is written: it says which pictures no longer look like their pages.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops
from playwright.sync_api import Browser, sync_playwright

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "extras" / "web"
CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
PLYGROUND = [sys.executable, "-m", "plyground.cli"]
# The games of the pages that show a store.
GAMES = ["tournament", "connect_four", "random", "greedy", "alphabeta:depth=2", "--pairs", "6"]
CARO = "h8,i9,h9,h10,i8,g8,j8,k8,g11,h7,f10,i10,g10,f8,h6"
DOTS = "h 0 1,v 0 1,h 2 2,v 1 1,h 3 0,v 3 3,h 1 1,v 0 2,h 2 1,v 1 2,h 4 0,v 2 4,h 0 3"
LATE, LOST, OPENED = "ccddcdcdfaae", "ccbdbdadb", "ddeecfdcb"
PHONE, TABLET, DESK, LYING = (360, 740), (768, 1000), (1280, 860), (740, 360)
BLOCK, DIFFERENT, MOST_DIFFERENT = 8, 16, 0.01  # pixels, levels of grey, share of the blocks


class Scene(NamedTuple):
    """A page as it is photographed: its address, size and colours, and what is clicked first."""

    path: str
    size: tuple[int, int] = DESK
    colours: str = "light"
    click: str = ""


# Pictures: the pages side by side in each. Agents have no time, so that they always say the same.
PICTURES = {
    "home": [Scene("/")],
    "play": [Scene(f"/play?game=gomoku&opponent=human&moves={CARO}")],
    "rules": [
        Scene(
            "/play?game=hex:size=9,swap=yes&opponent=human",
            colours="dark",
            click="[data-opens=how]",
        )
    ],
    "agent": [Scene(f"/play?game=connect_four&opponent=human&moves={OPENED}", click="other agent")],
    "analyse": [
        Scene(
            f"/analyse?game=connect_four:rows=5,cols=6&moves={LATE}"
            "&agent=alphabeta:depth=6,values=yes"
        )
    ],
    "editor": [Scene("/analyse?game=othello&moves=d3,c3,c4&agent=greedy", click="#edit")],
    "watch": [
        Scene(
            "/watch?game=connect_four&first=zoo:connect_four&second=alphabeta:depth=4&moves=ddeecf"
        )
    ],
    "review": [Scene(f"/review?game=connect_four:rows=4,cols=5&moves={LOST}", colours="dark")],
    "store": [Scene("/games", TABLET), Scene("/ratings", TABLET, "dark")],
    "tablet": [
        Scene("/", TABLET),
        Scene("/play?game=othello&opponent=human&moves=d3,c3,c4,e3,d2,c5,f3,c2", TABLET, "dark"),
    ],
    "phone": [
        Scene(f"/play?game=connect_four&opponent=human&moves={OPENED}", PHONE, "dark"),
        Scene(f"/play?game=dots_and_boxes&opponent=human&moves={DOTS}&lang=vi", PHONE),
        Scene("/play?game=othello&opponent=human&moves=d3,c3,c4,e3", LYING),
    ],
}


def taken(browser: Browser, address: str, scene: Scene) -> Image.Image:
    context = browser.new_context(
        viewport=dict(zip(("width", "height"), scene.size)),
        color_scheme=scene.colours,
        reduced_motion="reduce",  # the agents on the first page wait
    )
    page = context.new_page()
    page.goto(address + scene.path)
    page.wait_for_load_state("networkidle", timeout=240_000)  # until the searches have ended
    if scene.click == "other agent":
        page.select_option("#level", "")
    elif scene.click:
        page.click(scene.click)
    page.wait_for_load_state("networkidle", timeout=240_000)
    page.wait_for_timeout(600)  # until what moves has come to rest
    image = Image.open(BytesIO(page.screenshot()))
    context.close()
    return image


def side_by_side(images: list[Image.Image], gap: int = 24) -> Image.Image:
    width = sum(image.width for image in images) + gap * (len(images) - 1)
    whole = Image.new("RGB", (width, max(image.height for image in images)), "#8a8d93")
    left = 0
    for image in images:
        whole.paste(image, (left, 0))
        left += image.width + gap
    return whole.quantize(256, Image.Quantize.FASTOCTREE)


def pictures(browser: Browser, address: str) -> Iterator[tuple[str, Image.Image]]:
    """All pictures by name."""
    for name, scenes in PICTURES.items():
        yield name, side_by_side([taken(browser, address, scene) for scene in scenes])


def differ(one: Image.Image, two: Image.Image) -> bool:
    """Whether two pictures show different pages: letters may be drawn a little otherwise."""
    if one.size != two.size:
        return True
    size = tuple(max(1, side // BLOCK) for side in one.size)
    grey = (image.convert("L").resize(size, Image.Resampling.BOX) for image in (one, two))
    changed = ImageChops.difference(*grey).point(lambda level: 255 * (level > DIFFERENT))
    return changed.histogram()[255] > MOST_DIFFERENT * size[0] * size[1]


def stale(browser: Browser, address: str) -> list[str]:
    """The pictures in the docs that are missing or no longer look like their pages."""
    return [
        name
        for name, image in pictures(browser, address)
        if not (file := FOLDER / f"{name}.png").exists() or differ(image, Image.open(file))
    ]


@contextlib.contextmanager
def served() -> Iterator[str]:
    """The address of a server with the games of a small tournament."""
    with tempfile.TemporaryDirectory() as folder:
        store = ["--store", str(Path(folder) / "games.db")]
        subprocess.run([*PLYGROUND, *GAMES, *store], check=True, capture_output=True)
        words = [*PLYGROUND, "web", "--port", "0", "--no-warm-up", *store]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
            try:
                yield re.search(r"http://[\w.:]+", server.stdout.readline())[0]
            finally:
                server.terminate()


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=list(CHROMIUM)
        )
        if "--check" in sys.argv:
            if names := stale(browser, address):
                sys.exit(f"no longer as their pages: {', '.join(names)}; take them anew")
        else:
            for name, image in pictures(browser, address):
                image.save(FOLDER / f"{name}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
