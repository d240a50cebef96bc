"""The version of plyground, where every folder can read it."""

__version__ = "0.2.0"  # pyproject.toml says the same
