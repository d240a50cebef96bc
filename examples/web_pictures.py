"""Pictures of the pages for docs/web.md, taken in Chromium: python examples/web_pictures.py."""

from __future__ import annotations

import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "web"
CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
CARO = "h8,i9,h9,h10,i8,g8,j8,k8,g11,h7,f10,i10,g10,f8,h6"
DOTS = "h 0 1,v 0 1,h 2 2,v 1 1,h 3 0,v 3 3,h 1 1,v 0 2,h 2 1,v 1 2,h 4 0,v 2 4,h 0 3"
LATE, LOST = "ccddcdcdfaae", "ccbdbdadb"
PHONE, TABLET, DESK = (360, 740), (768, 1000), (1280, 860)
# Pictures: the pages side by side in each, with their sizes and colours.
PICTURES = {
    "home": [("/", DESK, "light")],
    "play": [(f"/play?game=gomoku&opponent=human&moves={CARO}", DESK, "light")],
    "analyse": [(f"/analyse?game=connect_four:rows=5,cols=6&moves={LATE}", DESK, "light")],
    "review": [(f"/review?game=connect_four:rows=4,cols=5&moves={LOST}", DESK, "dark")],
    "tablet": [
        ("/", TABLET, "light"),
        ("/play?game=othello&opponent=human&moves=d3,c3,c4,e3,d2,c5,f3,c2", TABLET, "dark"),
    ],
    "phone": [
        ("/play?game=connect_four&opponent=human&moves=ddeecfdcb", PHONE, "dark"),
        (f"/play?game=dots_and_boxes&opponent=human&moves={DOTS}&lang=vi", PHONE, "light"),
        ("/", PHONE, "dark"),
    ],
}


def pictures_of(browser: Browser, address: str, scenes: list[tuple]) -> list[Image.Image]:
    images = []
    for path, (width, height), scheme in scenes:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        page = context.new_page()
        page.goto(address + path)
        page.wait_for_load_state("networkidle", timeout=120_000)  # until the searches have ended
        page.wait_for_timeout(300)
        images.append(Image.open(BytesIO(page.screenshot())))
        context.close()
    return images


def side_by_side(images: list[Image.Image], gap: int = 24) -> Image.Image:
    width = sum(image.width for image in images) + gap * (len(images) - 1)
    whole = Image.new("RGB", (width, max(image.height for image in images)), "#8a8d93")
    left = 0
    for image in images:
        whole.paste(image, (left, 0))
        left += image.width + gap
    return whole


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    words = [sys.executable, "-m", "plyground.cli", "web", "--port", "0", *sys.argv[1:]]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        address = re.search(r"http://[\w.:]+", server.stdout.readline())[0]
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=list(CHROMIUM)
            )
            for name, scenes in PICTURES.items():
                image = side_by_side(pictures_of(chromium, address, scenes))
                image.quantize(256, Image.Quantize.FASTOCTREE).save(
                    FOLDER / f"{name}.png", optimize=True
                )
            chromium.close()
        server.terminate()


if __name__ == "__main__":
    main()
