"""A copy of the repository with one more game, added as CONTRIBUTING says.

``python tests/moving_game/checkout.py FOLDER`` makes it by hand: a folder, a module of its
environments, a line in the registry, a reference, a perft file, a playthrough.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def make_checkout(folder: Path) -> Path:
    """Copy the repository's files into a folder and add the game to them."""
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for name in listing:
        source, copy = ROOT / name, folder / name
        if source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(source) if name.endswith(".onnx") else shutil.copy(source, copy)
    (folder / "build").mkdir(exist_ok=True)
    (folder / "build/plyground").symlink_to("..")
    add_game(folder)
    return folder


def add_game(folder: Path) -> None:
    """Breakthrough: its folder, its files of tests, and its line in the registry."""
    shutil.copytree(HERE / "breakthrough", folder / "envs/games/breakthrough")
    shutil.copy(HERE / "breakthrough_v0.py", folder / "envs")
    shutil.copy(HERE / "reference.py", folder / "tests/reference/breakthrough.py")
    shutil.copy(HERE / "perft.toml", folder / "tests/data/perft/breakthrough.toml")
    shutil.copy(HERE / "playthrough.txt", folder / "tests/data/playthroughs/breakthrough.txt")
    registry = folder / "envs/registry.py"
    text = registry.read_text()
    assert "Hex)" in text
    text = text.replace("Hex)", "Hex, Breakthrough)")
    line = "from .games.breakthrough.rules import Breakthrough\n"
    registry.write_text(text.replace("from .games.connect_four", f"{line}from .games.connect_four"))
    project = folder / "pyproject.toml"
    first = '    "plyground.envs.games.connect_four",\n'
    text = project.read_text().replace(first, first.replace("connect_four", "breakthrough") + first)
    project.write_text(text)


if __name__ == "__main__":
    make_checkout(Path(sys.argv[1]))
