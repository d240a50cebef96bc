"""The exact solver of m,n,k games; importing it registers it."""

from . import solver as solver
