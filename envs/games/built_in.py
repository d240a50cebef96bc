"""The games of the package: a new one is a folder here, and its rules type in the list."""

from __future__ import annotations

from .breakthrough.rules import Breakthrough
from .connect_four.rules import ConnectFour
from .dots_and_boxes.rules import DotsAndBoxes
from .gomoku.rules import Gomoku
from .hex.rules import Hex
from .kalah.rules import Kalah
from .othello.rules import Othello
from .tic_tac_toe.rules import TicTacToe
from .ultimate_tic_tac_toe.rules import UltimateTicTacToe

BUILT_IN: tuple[type, ...] = (
    TicTacToe,
    ConnectFour,
    DotsAndBoxes,
    Gomoku,
    Othello,
    Hex,
    Breakthrough,
    Kalah,
    UltimateTicTacToe,
)
