"""Making an opening book: an agent analyses every position of the first plies."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..envs.canonical import opening_positions
from ..envs.files import written_whole
from ..envs.game import Game
from ..envs.specification import SpecificationError
from ..envs.version import __version__
from .agent import Agent, Decision
from .book import FORMAT, FORMAT_VERSION

Progress = Callable[[int, int], None]  # positions done, positions in all


def write_book(
    path: str | Path,
    game: Game,
    agent: Agent,
    plies: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> int:
    """Let an agent analyse every position of the first ``plies`` plies and write the book; returns
    the number of positions.

    The agent is reset before every position, so that no entry depends on the others. The file
    appears when it is complete.

    Raises:
        SpecificationError: the agent cannot play the game, or the file cannot be written.
    """
    target = Path(path)
    if target.is_dir() or not target.parent.is_dir() or not os.access(target.parent, os.W_OK):
        raise SpecificationError(
            f"the opening book {path} cannot be written: {target.parent} is no folder that can be "
            f"written to, or {path} is one"
        )
    agent.get_ready(game)
    listed = list(opening_positions(game, plies))
    lines, scales = [], set()
    for done, actions in enumerate(listed):
        agent.reset(seed)
        decision = agent.analyse(game.position(actions))
        lines.append(_entry(game, actions, decision))
        scales.add(decision.scale)
        if progress is not None:
            progress(done + 1, len(listed))
    if len(scales) > 1:
        raise SpecificationError(
            f"{agent.spec} values some positions in points and others as returns; a book holds one "
            f"kind of values"
        )
    body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "game": game.spec,
        "rules": game.declaration.game_id,
        "agent": agent.spec,
    }
    header |= {
        "plyground": __version__,
        "plies": plies,
        "scale": scales.pop(),
        "positions": len(lines),
    }
    header["sha256"] = hashlib.sha256(body).hexdigest()
    try:
        with written_whole(target) as file:
            file.write(json.dumps(header, ensure_ascii=False).encode() + b"\n" + body)
    except OSError as error:
        raise SpecificationError(
            f"the opening book {path} cannot be written: {error.strerror}"
        ) from None
    return len(lines)


def _entry(game: Game, actions: tuple[int, ...], decision: Decision) -> dict[str, Any]:
    """One line of a book: the action chosen first, then those of the same value, where values are
    not mere samples.
    """
    best: dict[int, float | None] = {int(decision.action): decision.value}
    if decision.values is not None and decision.errors is None:
        best |= {
            action: value for action, value in decision.values.items() if value == decision.value
        }
    name = game.action_to_text
    return {
        "moves": ",".join(map(name, actions)),
        "best": {name(action): value for action, value in best.items()},
        "exact": decision.exact,
    }
