"""Pictures of boards: what is drawn where, as pixels, as SVG, and in a window."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import plyground
import pytest
from helpers import GAMES, run_python
from plyground.envs import aec, tic_tac_toe_v0
from plyground.envs import rules as r
from plyground.envs.pictures import drawing

pytestmark = pytest.mark.thorough

SPECS = [
    "tic_tac_toe", "tic_tac_toe:rows=2,cols=5,connect=3", "connect_four",
    "connect_four:rows=4,cols=9", "dots_and_boxes",
    "dots_and_boxes:rows=1,cols=3,start=icelandic", "gomoku", "gomoku:size=20",
]  # fmt: skip


def picture_after(spec, actions):
    game = plyground.make_game(spec)
    position = game.position(actions)
    last = game.text_to_action(actions[-1]) if actions else None
    return r.picture(game.rules, position.record, last)


def pixel(picture, x, y, side=600):
    """The colour at (x, y), given in cells."""
    scale = side / max(picture.width, picture.height)
    return tuple(drawing.to_array(picture, side)[int(y * scale), int(x * scale)].tolist())


def rgb(colour):
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


@pytest.mark.parametrize("spec", SPECS)
def test_pixels_keep_the_boards_proportions(spec):
    game = plyground.make_game(spec)
    start = game.initial_position()
    for position in (start, start.after(start.legal_actions()[0])):
        picture = r.picture(game.rules, position.record, None)
        pixels = drawing.to_array(picture, 300)
        height, width, colours = pixels.shape
        assert (pixels.dtype, colours, max(height, width)) == (np.uint8, 3, 300)
        assert height / width == pytest.approx(picture.height / picture.width, abs=0.01)


def test_connect_four_discs_lie_where_they_fell():
    picture = picture_after("connect_four", ["a", "a", "g"])
    bottom, second = 5 + 0.46 + 0.35, 4 + 0.46 + 0.35
    assert pixel(picture, 0.85, bottom) == rgb(drawing.PLAYER_COLOURS[0])
    assert pixel(picture, 0.85, second) == rgb(drawing.PLAYER_COLOURS[1])
    assert pixel(picture, 6.85, bottom) == (255, 255, 255)  # the last disc carries a dot
    assert pixel(picture, 1.85, bottom) == rgb("#f7f4ee")  # a hole
    assert pixel(picture, 0.35, 0.35) == rgb("#2459b8")  # the panel


def test_discs_of_connect_four_stand_behind_its_panel():
    kinds = [type(shape) for shape in picture_after("connect_four", ["a", "b"]).shapes]
    assert max(i for i, kind in enumerate(kinds) if kind is drawing.Piece) < kinds.index(
        drawing.Panel
    )


@pytest.mark.parametrize("spec", [*GAMES, "gomoku:size=10"])
def test_names_of_cells_have_one_size_on_all_boards(spec):
    picture = picture_after(spec, [])
    sizes = {shape.size for shape in picture.shapes if isinstance(shape, drawing.Text)}
    assert 0.022 < min(sizes) / max(picture.width, picture.height) < 0.03


def rings(picture, stroke=None):
    """The rings of a picture, all or those of a colour."""
    found = [shape for shape in picture.shapes if isinstance(shape, drawing.Ring)]
    return [ring for ring in found if stroke in (None, ring.stroke)]


def test_the_winning_row_is_marked():
    before = picture_after("connect_four", ["a", "b", "a", "b", "a", "b"])
    after = picture_after("connect_four", ["a", "b", "a", "b", "a", "b", "a"])
    assert rings(before, stroke="#ffffff") == []
    marked = rings(after, stroke="#ffffff")
    assert [round(ring.x - 0.85) for ring in marked] == [0] * 4
    gomoku = picture_after("gomoku:size=9", ["e5", "d5", "e6", "d6", "e7", "d7", "e8", "c4", "e9"])
    assert len(rings(gomoku)) == 5
    tic_tac_toe = picture_after("tic_tac_toe", ["a3", "a2", "b3", "b2", "c3"])
    assert [getattr(shape, "fill", "") for shape in tic_tac_toe.shapes].count("#c5e5c5") == 3


@pytest.mark.parametrize(("rule", "count"), [("freestyle", 6), ("standard", 0)])
def test_gomoku_marks_a_row_only_where_it_wins(rule, count):
    six = ["a1", "a9", "b1", "b9", "c1", "c9", "e1", "e9", "f1", "f9", "d1"]
    assert len(rings(picture_after(f"gomoku:size=9,rule={rule}", six))) == count


def test_dots_and_boxes_fills_owned_boxes_and_darkens_the_last_edge():
    picture = picture_after("dots_and_boxes:rows=1,cols=1", ["h 0 0", "h 1 0", "v 0 0", "v 0 1"])
    assert pixel(picture, 0.7, 0.7) == rgb(drawing.BOX_FILLS[1])  # player_1 drew the fourth edge
    assert pixel(picture, 1.5, 1.0) == rgb("#20242b")
    assert pixel(picture, 1.0, 0.5) == rgb(drawing.PLAYER_COLOURS[1])


@pytest.mark.parametrize("spec", SPECS)
def test_the_svg_is_well_formed_and_holds_every_shape(spec):
    game = plyground.make_game(spec)
    position = game.initial_position()
    while not position.is_over:
        position.play(position.legal_actions()[-1])
    picture = r.picture(game.rules, position.record, 0)
    root = ElementTree.fromstring(position.to_svg(0))
    assert len(root) == len(picture.shapes) + 1
    shapes = {"rect", "circle", "line", "text", "polygon", "g", "path"}
    assert {element.tag.rpartition("}")[2] for element in root} <= shapes
    assert position._repr_svg_().startswith("<svg ")


def test_a_game_without_a_picture_shows_its_text():
    from broken.games import Line

    game = plyground.envs.Game(Line())
    pixels = aec.BoardEnv(game, "rgb_array")
    pixels.reset()
    before = pixels.render()
    pixels.step(2)
    assert before.shape == pixels.render().shape
    assert not np.array_equal(before, pixels.render())


def test_rendering_without_a_render_mode_warns():
    environment = tic_tac_toe_v0.env()
    environment.reset()
    with pytest.warns(
        UserWarning, match=r"make the environment with one of human, rgb_array, ansi"
    ):
        assert environment.render() is None


def test_the_window_shows_the_picture_survives_copies_and_closes():
    import copy

    import pygame

    environment = tic_tac_toe_v0.env(render_mode="human")
    environment.metadata["render_fps"] = 1000
    environment.reset()
    environment.step(4)
    window = environment._window._window
    size = window.size
    pixels = pygame.surfarray.array3d(window.get_surface()).transpose(1, 0, 2)
    picture = r.picture(environment.game.rules, environment.position.record, 4)
    assert np.array_equal(pixels, drawing.to_array(picture))
    assert size == pixels.shape[1::-1]
    duplicate = copy.deepcopy(environment)
    assert duplicate._window is None
    duplicate.step(0)
    assert duplicate._window._window is not window
    for each in (environment, duplicate, environment):
        each.close()
    assert environment._window is None
    environment.step(0)  # opens again
    environment.close()


def test_a_window_closed_by_hand_stays_closed_and_the_game_goes_on():
    import pygame

    environment = tic_tac_toe_v0.env(render_mode="human")
    environment.metadata["render_fps"] = 1000
    environment.reset()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    environment.step(4)
    assert environment._window._window is None
    environment.step(0)
    assert environment._window._window is None
    environment.close()


def test_without_pygame_the_window_says_what_to_install():
    program = """
import sys
sys.modules["pygame"] = None
from plyground.envs import tic_tac_toe_v0
environment = tic_tac_toe_v0.env(render_mode="human")
try:
    environment.reset()
except ImportError as error:
    print(error)
"""
    told = run_python("-c", program)
    assert told == 'a window needs pygame: pip install "plyground[human]"\n'
