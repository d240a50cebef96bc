"""Evaluation: games, tournaments, ratings, tests and move quality of agents.

What ``__init__.pyi`` lists is public, and so are the modules that the reference lists.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
