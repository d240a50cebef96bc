"""Reviews of games: the quality of each move, by the exact solver or by an agent's estimate."""
