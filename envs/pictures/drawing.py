"""Board pictures: a list of shapes in units of one cell, drawn as pixels (Pillow) or SVG."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from PIL import Image

SUPERSAMPLING = 3  # drawn this much larger, then averaged: smooth edges
TOUCHING = 1e-9  # areas with a smaller overlap only touch
SVG_UNIT = 40  # a cell in the SVG's units; renderers handle texts below one unit badly
PLAYER_COLOURS = ("#d7263d", "#f2b705")  # player_0 red, player_1 yellow
PLAYER_SHADES = ("#a81c30", "#c99700")
BOX_FILLS = ("#f6ccd2", "#fbe7ae")


class Rectangle(NamedTuple):
    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0.0


class Disc(NamedTuple):
    x: float
    y: float
    radius: float
    fill: str


class Ring(NamedTuple):
    x: float
    y: float
    radius: float
    stroke: str
    width: float


class Line(NamedTuple):
    x1: float
    y1: float
    x2: float
    y2: float
    stroke: str
    width: float


class Text(NamedTuple):
    """Text centred on (x, y); ``size`` is its height in cells."""

    x: float
    y: float
    text: str
    fill: str
    size: float


class Polygon(NamedTuple):
    """A filled polygon, given by its corners in order."""

    points: tuple[tuple[float, float], ...]
    fill: str


class Panel(NamedTuple):
    """A rectangle with round holes, each a tuple of its centre and its radius."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float
    holes: tuple[tuple[float, float, float], ...]


Shape = Rectangle | Disc | Ring | Line | Text | Polygon | Panel


class Piece(NamedTuple):
    """Shapes on a place of the board that move together in animations.

    Pieces of one kind are interchangeable: if one disappears and another appears, it has moved. If
        the kind on a place has changed, the piece was flipped.

    Attributes:
        place: the name of the place in the picture.
        kind: the kind of piece, such as a player's disc.
        shapes: from back to front.
        enters: how it comes onto the board: ``"drops"`` from above, ``"runs"`` from its left or
            upper end to the other; otherwise it appears.
        step: the place's number along the path of sowing.
    """

    place: str
    kind: str
    shapes: tuple[Shape, ...]
    enters: str = ""
    step: int = 0


class Picture(NamedTuple):
    """A drawing of ``width`` by ``height`` cells: shapes from back to front, y pointing down."""

    width: float
    height: float
    shapes: Sequence[Shape | Piece]
    background: str = "#f7f4ee"


class Area(NamedTuple):
    """A convex polygon in a picture, the click area of an action: its corners in order."""

    points: tuple[tuple[float, float], ...]

    @property
    def centre(self) -> tuple[float, float]:
        """The mean of the corners."""
        xs, ys = zip(*self.points)
        return sum(xs) / len(xs), sum(ys) / len(ys)

    def contains(self, x: float, y: float) -> bool:
        """Whether a point lies inside, not on an edge."""
        sides = set()
        for (x1, y1), (x2, y2) in zip(self.points, self.points[1:] + self.points[:1]):
            turn = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
            sides.add(0 if abs(turn) < TOUCHING else 1 if turn > 0 else -1)
        return len(sides) == 1 and 0 not in sides


def name_size(width: float, height: float) -> float:
    """The size of cells' names in a picture of this size: on pages one size for all boards."""
    return min(0.4, 0.028 * max(width, height))


def rectangle_area(x: float, y: float, width: float, height: float) -> Area:
    """The area of a rectangle, given by its upper left corner."""
    return Area(((x, y), (x + width, y), (x + width, y + height), (x, y + height)))


def text_picture(text: str) -> Picture:
    """A picture of a board's text, character by character, for games without a picture."""
    lines = text.splitlines() or [""]
    columns, line_height, margin = max(map(len, lines)), 1.8, 1.0
    shapes = [
        Text(margin + column + 0.5, margin + (row + 0.5) * line_height, character, "#20242b", 1.5)
        for row, line in enumerate(lines)
        for column, character in enumerate(line)
        if not character.isspace()
    ]
    return Picture(columns + 2 * margin, len(lines) * line_height + 2 * margin, shapes)


def to_image(picture: Picture, longest_side: int = 600) -> Image.Image:
    """Draw the picture with Pillow; the longer side has ``longest_side`` pixels."""
    from PIL import Image, ImageDraw, ImageFont

    scale = longest_side * SUPERSAMPLING / max(picture.width, picture.height)
    size = (round(picture.width * scale), round(picture.height * scale))
    image = Image.new("RGB", size, picture.background)
    draw = ImageDraw.Draw(image)
    for shape in map(_scaled_by(scale), _flat(picture.shapes)):
        match shape:
            case Rectangle(x, y, width, height, fill, radius):
                draw.rounded_rectangle((x, y, x + width, y + height), radius, fill=fill)
            case Disc(x, y, radius, fill):
                draw.circle((x, y), radius, fill=fill)
            case Ring(x, y, radius, stroke, width):
                outer, line = radius + width / 2, max(1, round(width))
                draw.circle((x, y), outer, outline=stroke, width=line)
            case Line(x1, y1, x2, y2, stroke, width):
                ends = (x1, y1), (x2, y2)
                draw.line(ends, fill=stroke, width=max(1, round(width)))
                for cap in ends:
                    draw.circle(cap, width / 2, fill=stroke)
            case Text(x, y, text, fill, height):
                font = ImageFont.load_default(max(6.0, height))
                draw.text((x, y), text, fill=fill, font=font, anchor="mm")
            case Polygon(points, fill):
                draw.polygon(points, fill=fill)
            case Panel(x, y, width, height, fill, radius, holes):
                mask = Image.new("L", size)
                cut = ImageDraw.Draw(mask)
                cut.rounded_rectangle((x, y, x + width, y + height), radius, fill=255)
                for *hole, hole_radius in holes:
                    cut.circle(hole, hole_radius, fill=0)
                image.paste(fill, None, mask)
    return image.resize((size[0] // SUPERSAMPLING, size[1] // SUPERSAMPLING), Image.Resampling.BOX)


def to_array(picture: Picture, longest_side: int = 600) -> np.ndarray:
    """The picture as pixels: uint8 of shape (height, width, 3)."""
    return np.asarray(to_image(picture, longest_side)).copy()


def to_svg(picture: Picture) -> str:
    """The picture as one ``<svg>`` element that scales to its container."""
    width, height = picture.width * SVG_UNIT, picture.height * SVG_UNIT
    body = "".join(map(_svg_of, picture.shapes))
    ground = f'<rect width="{width:g}" height="{height:g}" fill="{picture.background}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">'
        f"{ground}{body}</svg>"
    )


def _flat(shapes: Sequence[Shape | Piece]) -> Iterator[Shape]:
    """The shapes, including those of pieces."""
    for shape in shapes:
        if isinstance(shape, Piece):
            yield from shape.shapes
        else:
            yield shape


def _scaled_by(scale: float) -> Callable[[Shape], Shape]:
    """A function that scales the numbers of a shape."""

    def scaled(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(scaled, value))
        return value * scale if isinstance(value, (int, float, np.number)) else value

    return lambda shape: type(shape)(*map(scaled, shape))


def _svg_of(shape: Shape | Piece) -> str:
    if not isinstance(shape, Piece):
        return _svg_element(_scaled_by(SVG_UNIT)(shape))
    body = "".join(map(_svg_of, shape.shapes))
    data = {key: value for key, value in shape._asdict().items() if value and key != "shapes"}
    marks = "".join(f' data-{key}="{html.escape(str(value))}"' for key, value in data.items())
    return f"<g{marks}>{body}</g>"


def _svg_element(shape: Shape) -> str:
    match shape:
        case Rectangle(x, y, width, height, fill, radius):
            return (
                f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                f'rx="{radius:g}" fill="{fill}"/>'
            )
        case Disc(x, y, radius, fill):
            return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"/>'
        case Ring(x, y, radius, stroke, width):
            return (
                f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="none" '
                f'stroke="{stroke}" stroke-width="{width:g}"/>'
            )
        case Line(x1, y1, x2, y2, stroke, width):
            return (
                f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" '
                f'stroke="{stroke}" stroke-width="{width:g}" stroke-linecap="round"/>'
            )
        case Text(x, y, text, fill, size):
            style = (
                f'font-family="sans-serif" font-size="{size:g}" '
                'text-anchor="middle" dominant-baseline="central"'
            )
            return f'<text x="{x:g}" y="{y:g}" fill="{fill}" {style}>{html.escape(text)}</text>'
        case Polygon(points, fill):
            corners = " ".join(f"{x:g},{y:g}" for x, y in points)
            return f'<polygon points="{corners}" fill="{fill}"/>'
        case Panel(x, y, width, height, fill, radius, holes):
            across, down = width - 2 * radius, height - 2 * radius
            turns = (f"a{radius:g},{radius:g} 0 0 1 {dx * radius:g},{dy * radius:g}"
                     for dx, dy in ((1, 1), (-1, 1), (-1, -1), (1, -1)))  # fmt: skip
            sides = (f"h{across:g}", f"v{down:g}", f"h{-across:g}", f"v{-down:g}")
            outline = "".join(map("".join, zip(sides, turns)))
            cuts = "".join(
                f"M{x - r:g},{y:g}a{r:g},{r:g} 0 1 0 {2 * r:g},0a{r:g},{r:g} 0 1 0 {-2 * r:g},0"
                for x, y, r in holes
            )
            path = f"M{x + radius:g},{y:g}{outline}z{cuts}"
            return f'<path d="{path}" fill="{fill}" fill-rule="evenodd"/>'
