"""The version of plyground, where every layer can read it; pyproject.toml says the same."""

__version__ = "0.2.0"
