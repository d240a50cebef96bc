"""The results of ``make test-adapters`` as the table of docs/extras/adapters.md."""

from __future__ import annotations

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "build" / "adapters"


def percent(score: float) -> str:
    return f"{100 * score:.1f}"


def main() -> None:
    print(
        "| library | own lines | against `random`, first / second seat | steps/s | on PettingZoo |"
    )
    print("|---|---:|---:|---:|---:|")
    for path in sorted(FOLDER.glob("*.json")):
        rows = json.loads(path.read_text())
        scores = " / ".join(percent(score) for score in rows.get("scores", ())) or "–"
        steps, others = rows.get("steps"), rows.get("pettingzoo")
        speed = "–" if steps is None else f"{steps:,.0f}"
        other = "–" if others is None else f"{others:,.0f} ({steps / others:.1f} times)"
        print(f"| {rows['library']} | {rows.get('lines', '–')} | {scores} | {speed} | {other} |")


if __name__ == "__main__":
    main()
