"""The exact solver of connect four; importing it registers it."""

from . import solver as solver
