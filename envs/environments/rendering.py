"""Rendering, shared by the environments that show one board: text, pixels, or a window."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from .. import rules as r
from ..game import Game, Position
from ..pictures.tables import html_table

RENDER_MODES = ("human", "rgb_array", "ansi")


def check_render_mode(
    mode: str | None, modes: tuple[str, ...] = RENDER_MODES, where: str = ""
) -> str | None:
    """The render mode; ValueError if the environment does not have it."""
    if mode not in (*modes, None):
        raise ValueError(
            f"render_mode={mode!r} is not possible{where}; it is one of {', '.join(modes)} or None"
        )
    return mode


class RenderedBoard:
    """Mixin: ``render()`` and ``close()`` for every render mode.

    ``_last_move`` is the marked action and its player. The environment sets ``_window`` to None
    when it is made and copied: a copy opens its own window on its first render.
    """

    game: Game
    metadata: dict[str, Any]
    render_mode: str | None
    _last_move: tuple[int, int] | None
    _window: Any

    def _repr_html_(self) -> str:
        """Notebooks show the current board, and a line about the environment."""
        position = getattr(self, "position", None) or self.game.initial_position()
        state = str(position.outcome) if position.is_over else f"{position.mover_name} to move"
        rows = [("state", state), ("actions", self.game.facts.num_actions)]
        return html_table(rows, caption=str(self), picture=position.to_svg())

    def _render_board(self, position: Position) -> np.ndarray | str | None:
        """Render the board as text or pixels; None after showing it in the window."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                f"render() shows nothing without a render mode; make the environment with one of "
                f"{', '.join(RENDER_MODES)}"
            )
            return None
        if self.render_mode == "ansi":
            return str(position)
        from ..pictures.drawing import to_array

        rules = self.game.rules
        last = self._last_move and r.board(rules).area_number(*self._last_move)
        pixels = to_array(r.picture(rules, position.record, last))
        if self.render_mode == "rgb_array":
            return pixels
        if self._window is None:
            from ..pictures.window import BoardWindow

            self._window = BoardWindow(self.game.declaration.title)
        self._window.show(pixels, self.metadata["render_fps"])
        return None

    def _close_window(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
