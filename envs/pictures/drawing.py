"""Board pictures: a list of shapes in units of one cell, drawn as pixels (Pillow) or SVG."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from PIL import Image

SUPERSAMPLING = 3  # drawn this much larger, then averaged down: smooth edges
TOUCHING = 1e-9  # areas that overlap by less only touch
SVG_UNIT = 40  # a cell in the SVG's units; renderers dislike texts of less than one unit
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


Shape = Rectangle | Disc | Ring | Line | Text


class Picture(NamedTuple):
    """A drawing of ``width`` by ``height`` cells: shapes from back to front, y pointing down."""

    width: float
    height: float
    shapes: Sequence[Shape]
    background: str = "#f7f4ee"


class Area(NamedTuple):
    """A convex polygon on a picture, where an action is clicked: its corners in order."""

    points: tuple[tuple[float, float], ...]

    @property
    def centre(self) -> tuple[float, float]:
        """The mean of the corners."""
        xs, ys = zip(*self.points)
        return sum(xs) / len(xs), sum(ys) / len(ys)

    def contains(self, x: float, y: float) -> bool:
        """Whether a point lies inside, the edges left out."""
        sides = set()
        for (x1, y1), (x2, y2) in zip(self.points, self.points[1:] + self.points[:1]):
            turn = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
            sides.add(0 if abs(turn) < TOUCHING else 1 if turn > 0 else -1)
        return len(sides) == 1 and 0 not in sides


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
    for shape in picture.shapes:
        x, y = shape[0] * scale, shape[1] * scale
        match shape:
            case Rectangle():
                box = (x, y, x + shape.width * scale, y + shape.height * scale)
                draw.rounded_rectangle(box, shape.radius * scale, fill=shape.fill)
            case Disc():
                draw.circle((x, y), shape.radius * scale, fill=shape.fill)
            case Ring():
                draw.circle(
                    (x, y),
                    (shape.radius + shape.width / 2) * scale,
                    outline=shape.stroke,
                    width=max(1, round(shape.width * scale)),
                )
            case Line():
                end, half = (shape.x2 * scale, shape.y2 * scale), shape.width * scale / 2
                draw.line(((x, y), end), fill=shape.stroke, width=max(1, round(2 * half)))
                for cap in ((x, y), end):
                    draw.circle(cap, half, fill=shape.stroke)
            case Text():
                font = ImageFont.load_default(max(6.0, shape.size * scale))
                draw.text((x, y), shape.text, fill=shape.fill, font=font, anchor="mm")
    return image.resize((size[0] // SUPERSAMPLING, size[1] // SUPERSAMPLING), Image.Resampling.BOX)


def to_array(picture: Picture, longest_side: int = 600) -> np.ndarray:
    """The picture as pixels: uint8 of shape (height, width, 3)."""
    return np.asarray(to_image(picture, longest_side)).copy()


def to_svg(picture: Picture) -> str:
    """The picture as one ``<svg>`` element that scales to its container."""
    width, height = picture.width * SVG_UNIT, picture.height * SVG_UNIT
    body = "".join(_svg_element(_scale(shape)) for shape in picture.shapes)
    ground = f'<rect width="{width:g}" height="{height:g}" fill="{picture.background}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">'
        f"{ground}{body}</svg>"
    )


def _scale(shape: Shape) -> Shape:
    """The shape in units of the SVG, its numbers multiplied."""
    numbers = {
        name: value * SVG_UNIT
        for name, value in shape._asdict().items()
        if isinstance(value, (int, float, np.number))
    }
    return shape._replace(**numbers)  # type: ignore[arg-type]


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
