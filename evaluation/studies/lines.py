"""The numbered experiments of the five systems that the suite implements.

D is dots and boxes, C connect four, T tic-tac-toe, G caro on 15×15, R caro on 10×10. The numbers
that are missing here are features (rules, levels, boards on a screen), not experiments.
"""

from __future__ import annotations

LINES = {
    "D2": "How large are the board and the game tree?",
    "D4": "Who wins 1,000 games of random play?",
    "D5": "Does minimax play the right move in hand-made positions?",
    "D6": "Up to which board does exact search reach?",
    "D7": "How many nodes does move ordering save?",
    "D8": "What is the best first move, up to symmetry?",
    "D9": "How does minimax do against random play in both seats?",
    "D10": "How good is the heuristic, and is there a better one?",
    "D11": "What do a depth cut-off and iterative deepening cost by board and depth?",
    "D12": "Do a greater depth and a better heuristic win?",
    "D13": "How does pure Monte Carlo do against random play and against minimax?",
    "D14": "What is the best first move on 5×5 dots?",
    "D15": "What do the improvements that were listed bring, one by one?",
    "C2": "How large are the board and the game tree?",
    "C4": "Who wins 1,000 games of random play?",
    "C6": "How much does the centre-first order save?",
    "C7": "Is the centre column the best first move?",
    "C8": "How does minimax of depth 4 do against random play on 4×4?",
    "C9": "How good is the heuristic of windows?",
    "C10": "What do depths cost by board, and does depth 4 beat depth 2?",
    "C11": "What does pure Monte Carlo believe of the first moves?",
    "T2": "How many nodes does full minimax visit on 3×3?",
    "T3": "Does alpha-beta prefer a quick win and a slow loss?",
    "T4": "How good is the heuristic of open lines?",
    "G3": "How good is the medium level's score of cells?",
    "G4": "How good is the hard level's evaluation by runs?",
    "G5": "Do the levels play the right move in the test positions?",
    "G6": "What do levels and depths cost, and how strong are the levels?",
    "G7": "What do the improvements that were listed bring, one by one?",
    "R1": "How good is the score of windows of five?",
    "R3": "What do the modes cost, and how strong are they?",
    "R5": "What do the improvements that were listed bring, one by one?",
    "X3": "How do learned agents do in the same pool as search agents?",
}
