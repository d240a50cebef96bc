"""Games as files: the picture of a position, an animation, a page that needs no server."""

from __future__ import annotations

import io
import json
import re
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from ..envs.game import Game
from ..evaluation.report.replays import Frames
from .errors import Refused
from .pages import STATIC, MovesQuery, SpecQuery, templates
from .positions import Line, read_actions, read_game, split_moves
from .state import of

router = APIRouter(prefix="/export")

SIDE = 480  # pixels of the longer side
MOST_FRAMES = 240
FRAME_MS, LAST_FRAME_MS = 700, 3000


def _line(game: str, moves: str) -> Line:
    chosen = read_game(game)
    return Line(chosen, read_actions(chosen, split_moves(chosen, moves)))


def _file(content: bytes | str, kind: str, line: Line, ending: str) -> Response:
    """A file to be kept; its name is made of the game's."""
    name = f"{line.game.name}-{len(line.actions)}.{ending}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)


@router.get("/board.{ending}")
def board(ending: Literal["svg", "png"], game: SpecQuery, moves: MovesQuery = "") -> Response:
    """The picture of the position after the moves."""
    line = _line(game, moves)
    last = line.actions[-1] if line.actions else None
    if ending == "svg":
        return _file(line.position.to_svg(last), "image/svg+xml", line, "svg")
    content = io.BytesIO()
    line.position.to_image(last, 2 * SIDE).save(content, "PNG", optimize=True)
    return _file(content.getvalue(), "image/png", line, "png")


@router.get("/game.gif")
def animation(
    game: SpecQuery,
    moves: MovesQuery = "",
    side: Annotated[int, Query(ge=120, le=SIDE)] = SIDE,
) -> Response:
    """The game move by move, as an animated picture."""
    line = _line(game, moves)
    if len(line.actions) >= MOST_FRAMES:
        raise Refused(f"An animation shows at most {MOST_FRAMES - 1} moves.")
    images, position = [], line.game.initial_position()
    images.append(position.to_image(None, side))
    for action in line.actions:
        images.append(position.play(action).to_image(action, side))
    small = [image.quantize(64) for image in images]
    content = io.BytesIO()
    durations = [FRAME_MS] * (len(small) - 1) + [LAST_FRAME_MS]
    small[0].save(
        content, "GIF", save_all=True, append_images=small[1:], duration=durations, loop=0
    )
    return _file(content.getvalue(), "image/gif", line, "gif")


@router.get("/game.html")
def page(request: Request, game: SpecQuery, moves: MovesQuery = "") -> Response:
    """The game as one page to step through, which needs neither server nor network."""
    line, words = _line(game, moves), of(request).words(request)
    text = templates.get_template("offline.html").render(
        t=words,
        title=words.title(line.game),
        ending=line.view(words)["status"],
        data=json.dumps(_frames(line.game, line)).replace("<", "\\u003c"),
        style=STATIC["offline.css"].content.decode(),
        script=STATIC["offline.js"].content.decode(),
    )
    return _file(text, "text/html", line, "html")


def _frames(game: Game, line: Line) -> dict[str, object]:
    """Every position as the numbers of its shapes, from back to front."""
    frames = Frames(game)
    shown = [frames.start]
    for deleted, inserted in frames.of(line.actions)[0]:
        shapes = [each for place, each in enumerate(shown[-1]) if place not in set(deleted)]
        for place, number in zip(inserted[::2], inserted[1::2]):
            shapes.insert(place, number)
        shown.append(shapes)
    return {
        "size": frames.size,
        "background": frames.background,
        "shapes": [re.sub(r"\s+", " ", shape) for shape in frames.shapes],
        "frames": shown,
        "moves": line.names,
    }
