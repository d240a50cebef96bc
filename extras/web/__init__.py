"""The pages to play, analyse, watch and review games in a browser: ``plyground web``.

The server keeps no games. A page's address holds the game, its moves, the opponent and the seat;
every request carries the game and its moves, and is answered by a view of the position. The browser
knows no rules: a view says what to draw, where to click, and what may be said about it.
"""
