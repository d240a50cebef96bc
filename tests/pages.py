"""What tests of HTML pages share: how browsers are started, and a measurement."""

from __future__ import annotations

import contextlib
import os
import shutil

import pytest
from plyground.agents import solve

CHROMIUM = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)

# The contrast of every text with what lies behind it, smallest first (WCAG 2.2, relative
# luminance); colours are resolved by painting them.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, below) => {
    const a = top[3] / 255;
    return [0, 1, 2].map((i) => a * top[i] + (1 - a) * below[i]).concat(255);
  };
  const behind = (node) => {
    if (!node) return [255, 255, 255, 255];
    const own = rgba(getComputedStyle(node).backgroundColor);
    return own[3] === 255 ? own : over(own, behind(node.parentElement));
  };
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => {
    const v = c[i] / 255;
    return sum + w * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); }, 0);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node.parentElement;
    const left_out = "svg, script, style, button:disabled, .skip";
    if (!node.data.trim() || !holder.getClientRects().length || holder.closest(left_out)) continue;
    const style = getComputedStyle(holder);
    const ground = behind(holder);
    const ink = rgba(style.color);
    ink[3] *= Number(style.opacity);
    const [a, b] = [light(over(ink, ground)), light(ground)].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), node.data.trim().slice(0, 40)]);
  }
  return found.sort((x, y) => x[0] - y[0]);
}"""


@contextlib.contextmanager
def chromium():
    """A browser; where there is none, only continuous integration fails."""
    executable = installed("Chromium", "chromium", "chromium-browser", "google-chrome")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM))
        yield browser
        browser.close()


@contextlib.contextmanager
def firefox(scheme: str):
    """The other engine, in a colour scheme: Playwright sets that one in Chromium only."""
    executable = installed("Firefox", "firefox-esr", "firefox")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.firefox.launch(
            channel="moz-firefox",  # an unpatched Firefox, over WebDriver BiDi
            executable_path=executable,
            firefox_user_prefs={
                "layout.css.prefers-color-scheme.content-override": int(scheme == "light")
            },
        )
        yield browser
        browser.close()


def installed(title: str, *commands: str) -> str | None:
    """Where a browser is; without one the test is skipped, but fails in continuous integration."""
    executable = next(filter(None, map(shutil.which, commands)), None)
    if executable is None and "CI" not in os.environ:
        pytest.skip(f"there is no {title} on this machine")
    return executable


def proved_labels(page) -> list[str]:
    """What stands on the actions whose values are proved."""
    return [
        " ".join(line.text_content() for line in label.locator("text").all())
        for label in page.locator(".marks .label:not(.guess)").all()
    ]


def in_words(child, value: int) -> str:
    """A result as it stands on the board, the plies counted along a line of best play."""
    if value == 0:
        return "draw"
    plies = 1
    while not child.is_over:
        child.play(solve(child).best_action)
        plies += 1
    return f"{'win' if value > 0 else 'loss'} in {plies}"
