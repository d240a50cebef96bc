"""The pages to play, analyse, watch and review games in a browser: ``plyground web``.

The server is stateless. A page's URL contains the game, its moves, the opponent and the seat; every
request carries the game and its moves, and the response is a view of the position. The browser has
no rules: a view defines what to draw, where to click, and the texts.
"""
