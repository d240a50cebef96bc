"""Reviews of games: how good each move was, by the exact solver or as an agent sees it."""
