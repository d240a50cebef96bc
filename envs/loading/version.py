"""The version of plyground, where every folder can read it."""

__version__ = "1.0.0"  # pyproject.toml says the same
RELEASED = "2026-11-25"  # CITATION.cff says the same
