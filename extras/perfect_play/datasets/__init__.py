"""Perfect-play datasets: positions with the exact value of every legal action."""

from .file import Dataset, load

__all__ = ["Dataset", "load"]
