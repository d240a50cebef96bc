"""A page for every game, from what its rules declare: picture, rules, parameters, planes."""

from __future__ import annotations

import inspect
import re
import sys

import numpy as np
from plyground import Game, Position, make_agent, make_game
from plyground.envs.loading.ids import gymnasium_id
from plyground.envs.registry import game_names

from docstrings import plain
from tables import parameter_table, render

PLIES = 24  # at most, to the position that is shown: a board with something on it
SIDE = 14  # pixels of a cell of an observation plane
SECTION = re.compile(r"^([A-Z][a-z]+)\. ", re.MULTILINE)


def game_pages() -> dict[str, str]:
    """Contents of the pages and pictures of all games, by their places in the site."""
    games = [make_game(name) for name in game_names()]
    examples = {game.name: shown_position(game) for game in games}
    pages = {f"games/{game.name}.md": page(game, examples[game.name][0]) for game in games}
    pictures = {
        f"games/{name}.svg": position.to_svg(last) for name, (position, last) in examples.items()
    }
    return {"games/index.md": render("games.md", games=games)} | pages | pictures


def shown_position(game: Game) -> tuple[Position, int | None]:
    """A position of a game between greedy players after a random move, and its last action."""
    position, last = game.initial_position(), None
    players = [make_agent("random", seed=1), make_agent("greedy", seed=1)]
    for ply in range(min(PLIES, game.facts.longest_game // 2)):
        action = players[min(ply, 1)].act(position)
        after = position.after(action)
        if after.is_over:
            break
        position, last = after, action
    return position, last


def page(game: Game, position: Position) -> str:
    """The page of one game."""
    declaration, facts = game.declaration, game.facts
    documentation = inspect.cleandoc(sys.modules[type(game.rules).__module__].__doc__ or "")
    summary, _, text = documentation.partition("\n\n")
    return render(
        "game.md",
        game=game,
        gymnasium_id=gymnasium_id(game.name, declaration.version),
        summary=plain(summary),
        sections=sections(text),
        example=example(game),
        parameters=parameter_table(declaration.parameters + declaration.short_forms),
        planes=planes(position, plane_names(text, facts.observation_shape[2])),
    )


def sections(text: str) -> str:
    """Paragraphs that begin with a word and a full stop become sections of that title.

    "Position." is about the inside of the rules, and is left to their source.
    """
    paragraphs = []
    for paragraph in text.split("\n\n"):
        match = SECTION.match(paragraph)
        if match is None:
            paragraphs.append(plain(paragraph))
        elif match[1] == "Position":
            source = paragraph.partition("Source: ")[2]
            paragraphs += [f"Source: {plain(source)}"] if source else []
        else:
            paragraphs.append(f"## {match[1]}\n\n{plain(paragraph[match.end() :])}")
    return "\n\n".join(paragraphs)


def example(game: Game) -> str:
    """A specification with a parameter that is not the default."""
    parameter = (game.declaration.short_forms or game.declaration.parameters)[0]
    if parameter.kind is int:
        value = int(max(parameter.low, 4))
    else:
        value = parameter.choices[-1] if parameter.choices else "4x4"
    return f"{game.name}:{parameter.name}={value}"


def plane_names(text: str, count: int) -> list[str]:
    """The planes as the docstring lists them: "Observation. (shape): first, second × 2; …"."""
    match = re.search(r"Observation\. \([^)]*\)[^:]*: ([^;.(]+)", text)
    names = []
    for entry in " ".join(match[1].split()).split(",") if match else ():
        name, _, times = entry.strip().partition(" × ")
        names += [f"{name}: {number}" for number in range(1, int(times) + 1)] if times else [name]
    if len(names) != count:
        raise ValueError(f"the docstring names the planes {names}, but there are {count}")
    return names


def planes(position: Position, names: list[str]) -> str:
    """The planes of a position, drawn."""
    observation = position.observation()
    drawn = [
        f"<figure>{grid(observation[:, :, plane])}<figcaption>{name}</figcaption></figure>"
        for plane, name in enumerate(names)
    ]
    return '<div class="planes">' + "".join(drawn) + "</div>"


def grid(plane: np.ndarray) -> str:
    """One plane as SVG, in the colours of the text around it."""
    rows, cols = plane.shape
    cells = "".join(
        f'<rect x="{column * SIDE + 1}" y="{row * SIDE + 1}" width="{SIDE - 2}" '
        f'height="{SIDE - 2}" class="{"one" if plane[row, column] else "zero"}"/>'
        for row in range(rows)
        for column in range(cols)
    )
    size = f'width="{cols * SIDE}" height="{rows * SIDE}"'
    box = f'viewBox="0 0 {cols * SIDE} {rows * SIDE}"'
    return f'<svg {size} {box} aria-hidden="true">{cells}</svg>'
