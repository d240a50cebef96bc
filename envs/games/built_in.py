"""The games of the core: a new one is a folder here, and its rules type in the list."""

from __future__ import annotations

CORE = {
    "tic_tac_toe": "TicTacToe",
    "connect_four": "ConnectFour",
    "dots_and_boxes": "DotsAndBoxes",
    "gomoku": "Gomoku",
}
