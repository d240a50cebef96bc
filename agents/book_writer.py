"""Writing an opening book: an agent analyses every position of the first plies."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..envs import __version__
from ..envs.canonical import opening_positions
from ..envs.game import Game
from ..envs.loading.files import written_whole
from ..envs.loading.locks import locked
from ..envs.specification import SpecificationError, refusing
from .agent import Agent
from .book import FORMAT, FORMAT_VERSION
from .decision import Decision

Progress = Callable[[int, int], None]  # positions done, total


def write_book(
    path: str | Path,
    game: Game,
    agent: Agent,
    plies: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> int:
    """Write the book of an agent's analyses of every position of the first ``plies`` plies.

    Returns the number of positions. The agent is reset before every position, so that entries do
    not depend on each other. The file appears once it is complete.

    Raises:
        SpecificationError: the agent cannot play the game, no game is that long, or the file cannot
            be written or is being written by another process.
    """
    target, longest = Path(path), game.facts.longest_game
    if plies > longest:
        raise SpecificationError(
            f"a book of {plies} plies is not possible: no game of {game.spec} has more than "
            f"{longest}"
        )
    if target.is_dir():
        raise SpecificationError(f"the opening book {path} cannot be written: it is a folder")
    if not target.parent.is_dir() or not os.access(target.parent, os.W_OK):
        raise SpecificationError(
            f"the opening book {path} cannot be written: {target.parent} is not a writable folder"
        )
    agent.get_ready(game)
    with locked(target, "made"):
        body, count = _body(game, agent, plies, seed, progress)
        header: dict[str, Any] = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "game": game.spec,
            "rules": game.declaration.game_id,
            "agent": agent.spec,
            "plyground": __version__,
            "plies": plies,
            "positions": count,
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        cannot_write = f"the opening book {path} cannot be written"
        with refusing(OSError, cannot_write), written_whole(target) as file:
            file.write(json.dumps(header, ensure_ascii=False).encode() + b"\n" + body)
    return count


def _body(
    game: Game, agent: Agent, plies: int, seed: int, progress: Progress | None
) -> tuple[bytes, int]:
    """The lines of a book, and their number."""
    openings = list(opening_positions(game, plies))
    lines = []
    for index, actions in enumerate(openings):
        agent.reset(seed)
        decision = agent.analyse(game.position(actions))
        lines.append(_entry(game, actions, decision))
        if progress is not None:
            progress(index + 1, len(openings))
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return text.encode(), len(lines)


def _entry(game: Game, actions: tuple[int, ...], decision: Decision) -> dict[str, Any]:
    """One line of a book: the chosen action, then the other actions of the same score.

    For agents that sample, the others are left out: their values are equal only by chance. So are
    equal bounds, whose true values may differ.
    """
    chosen = int(decision.action)
    best = {chosen: decision.score}
    if decision.scores is not None and decision.errors is None:
        own = decision.scores.get(chosen, decision.score)
        best |= {
            action: score
            for action, score in decision.scores.items()
            if score == own and not score.is_bound
        }
        # a search that was cut short may choose another action than the best of its scores
        is_best = own is None or decision.score is None or own.order() >= decision.score.order()
        best[chosen] = decision.score if is_best else own
    name = game.action_to_text
    return {
        "moves": ",".join(map(name, actions)),
        "best": {
            name(action): None if score is None else score.to_json()
            for action, score in best.items()
        },
    }
