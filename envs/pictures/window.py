"""The window of render mode ``human``: shows a picture of the board with pygame."""

from __future__ import annotations

from typing import Any

import numpy as np


class BoardWindow:
    """A window on the screen, opened by the first :meth:`show`; a person may close it at any time.

    Args:
        title: the text of its title bar.

    Raises:
        ImportError: pygame is not installed; the message says how to install it.
    """

    def __init__(self, title: str) -> None:
        try:
            import pygame
        except ImportError:
            raise ImportError('a window needs pygame: pip install "plyground[human]"') from None
        self._pygame: Any = pygame
        self._title = title
        self._window: Any = None
        self._clock = pygame.time.Clock()
        self._closed_by_person = False

    def show(self, pixels: np.ndarray, frames_per_second: float) -> None:
        """Show an image (uint8, height × width × 3).

        It waits to limit the number of images per second.

        A window closed by the user stays closed, and the program continues.
        """
        if self._closed_by_person:
            return
        pygame, size = self._pygame, (pixels.shape[1], pixels.shape[0])
        if self._window is None:
            pygame.display.init()
            self._window = pygame.Window(self._title, size)
        self._window.get_surface().blit(
            pygame.image.frombuffer(np.ascontiguousarray(pixels), size, "RGB"), (0, 0)
        )
        self._window.flip()
        for event in pygame.event.get():
            if event.type == pygame.QUIT or (
                event.type == pygame.WINDOWCLOSE and getattr(event, "window", None) is self._window
            ):
                self.close()
                self._closed_by_person = True
                return
        self._clock.tick(frames_per_second)

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._window.destroy()
            self._window = None
