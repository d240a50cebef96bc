"""The exact solver of dots and boxes; importing it registers it."""

from . import solver as solver
