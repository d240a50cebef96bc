"""The games of the core: a new one is a folder here, and its rules type in the list."""

from __future__ import annotations

from .connect_four.rules import ConnectFour
from .dots_and_boxes.rules import DotsAndBoxes
from .gomoku.rules import Gomoku
from .tic_tac_toe.rules import TicTacToe

CORE: tuple[type, ...] = (TicTacToe, ConnectFour, DotsAndBoxes, Gomoku)
