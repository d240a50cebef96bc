"""The exact solver of every game that has none of its own: it knows the rule functions only."""

from . import solver as solver
