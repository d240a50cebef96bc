"""The study of kinds of games: which search suits which, at equal processor time."""

from __future__ import annotations

from typing import NamedTuple

from ..declaration import Blank, Claim, Experiment, Figure, Sentence, Study
from ..measurements.games import COUNT_BLANK, Strength
from ..measurements.measurement import ALL
from .searches import named_pool

# names of searches on the page, specifications, and counts of the quick run
_SEARCHES = (
    ("alpha-beta", "alphabeta:nodes={count}", 1000),
    ("pure Monte Carlo", "montecarlo:simulations={count}", 20),
    ("MCTS", "mcts:simulations={count}", 200),
    ("MCTS by a network", "mcts:simulations={count},network=zoo:{zoo}", 20),
)
_ZOO = "{zoo}"  # in a specification: the name of a network
_SECONDS = 0.02  # processor time per move
_PAIRS, _QUICK_PAIRS = 20, 3


class _GameBoard(NamedTuple):
    """A game on one of its boards.

    Attributes:
        game: its specification.
        opening: where openings come from.
        network: the network of the zoo that guides a search of it, if there is one.
    """

    game: str
    opening: str
    network: str = ""

    def pool(self, quick: bool) -> Strength:
        """The searches against each other; if quick, with counts that are the same everywhere."""
        searches = []
        for name, blanks, count in _SEARCHES:
            if self.network or _ZOO not in blanks:
                spec = blanks.replace(_ZOO, self.network)
                searches.append((name, spec.replace(COUNT_BLANK, str(count)) if quick else spec))
        pairs = _QUICK_PAIRS if quick else _PAIRS
        return named_pool(self.game, tuple(searches), pairs, self.opening, seconds=_SECONDS)


# The kinds: rows of stones, counted boxes and seeds, turning discs, connected sides, moving pieces,
# boards within a board. A game is one line.
_BOARDS = (
    _GameBoard("tic_tac_toe:size=4", "random:2", "tic_tac_toe"),
    _GameBoard("connect_four", "random:4", "connect_four"),
    _GameBoard("gomoku:size=9", "random:4", "gomoku"),
    _GameBoard("dots_and_boxes", "random:4", "dots_and_boxes"),
    _GameBoard("kalah", "random:4"),  # with fewer seeds searches prove the result early
    _GameBoard("othello", "random:4"),
    _GameBoard("hex:size=7", "random:2", "hex"),
    _GameBoard("breakthrough:size=6", "random:4", "breakthrough"),
    _GameBoard("ultimate_tic_tac_toe", "random:4", "ultimate_tic_tac_toe"),
)


def _scores(search: str, text: str, *games: str) -> Sentence:
    """A sentence about the scores of a search in the pools of some games."""
    wheres = ((("game", game), ("agent", search), ("opponent", ALL)) for game in games)
    return Sentence(text, tuple(Blank("score", where, measurement=None) for where in wheres))


STUDY = Study(
    "kinds_of_games",
    "Searches and kinds of games",
    "Alpha-beta, pure Monte Carlo and tree search, with a network where there is one, against each "
    "other on a board of every game.",
    (
        Experiment(
            ("X1",),
            "Which search suits which game",
            "At equal processor time a move: who wins at which kind of game?",
            tuple(board.pool(quick=False) for board in _BOARDS),
            tuple(board.pool(quick=True) for board in _BOARDS),
            tuple(
                Claim(f"A move of each costs the same processor time, within 10 % ({board.game})",
                      "cost", 0.9, 1.1, measurement=number)
                for number, board in enumerate(_BOARDS)
            ),
            (Figure("bars", "game", "score", "Score in the pool of each game", "agent",
                    (("opponent", ALL),), measurement=None, lead=True),),
            (Sentence("Every search has as many nodes or simulations as take about the same "
                      "processor time a move.", quick=False),
             _scores("alpha-beta", "Against the others, alpha-beta scores {} at Othello, {} at "
                     "breakthrough and {} at Hex.", "othello", "breakthrough:size=6", "hex:size=7"),
             _scores("MCTS by a network", "Tree search by a network scores {} at connect four, {} "
                     "at gomoku and {} at Hex.", "connect_four", "gomoku:size=9", "hex:size=7")),
        ),
    ),
)  # fmt: skip
