"""The time from a move to the first number of the analysis, in every game, on a warm server.

    python benchmarks/extras/web/first_number.py --clicks 10

A page of Chromium plays random legal moves. The time is measured from the click to the first number
on the board, in milliseconds; the script prints the median and the maximum of each game. The first
visit of each game warms up and is not counted.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys

from playwright.sync_api import Page, sync_playwright
from plyground.envs.registry import game_names

# Plays a move; returns the milliseconds until new numbers replace the old ones.
CLICK = """() => new Promise((done, fail) => {
  setTimeout(() => fail(new Error("no number after 30 s")), 30000);
  const any = (selector) => {
    const all = [...document.querySelectorAll(selector)];
    return all[Math.floor(all.length * Math.random())];
  };
  const click = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const piece = any(".area[data-piece]");
  if (piece) click(piece);
  const began = performance.now();
  const marks = document.querySelector(".marks");
  let empty = false;
  const watch = new MutationObserver(() => {
    const shown = Boolean(marks.querySelector(".label"));
    empty ||= !shown && performance.now() > began;
    if (!shown || !empty) return;
    watch.disconnect();
    done(performance.now() - began);
  });
  watch.observe(marks, { childList: true });
  click(any(".area[data-action]"));
})"""
PAUSE_MS = 2000  # the agent continues to think, and a solver if it can solve the position


def times_of(page: Page, address: str, clicks: int) -> list[float]:
    """The milliseconds of some moves; a new game begins when one is over."""
    times: list[float] = []
    while len(times) < clicks + 1:
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        page.wait_for_selector(".marks .label", state="attached")
        page.wait_for_timeout(PAUSE_MS)
        for _ in range(min(4, clicks + 1 - len(times))):
            times.append(page.evaluate(CLICK))
            page.wait_for_timeout(PAUSE_MS)
    return times[1:]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clicks", type=int, default=10)
    args = parser.parse_args()
    command = [sys.executable, "-m", "plyground.cli", "web", "--port", "0", "--no-warm-up"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+:\d+", server.stdout.readline())
        assert found is not None
        with sync_playwright() as playwright:
            executable = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
            browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
            page = browser.new_page()
            page.set_default_timeout(180_000)
            for name in game_names():
                times = times_of(page, f"{found[0]}/analyse?game={name}", args.clicks)
                print(f"{name:<22} {statistics.median(times):5.0f} ms, at most {max(times):5.0f}")
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
