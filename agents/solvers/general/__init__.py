"""The exact solver of games without a special one: it uses only the rule functions."""

from . import solver as solver
