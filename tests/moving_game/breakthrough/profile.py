"""What other folders know about Breakthrough."""

from pathlib import Path

from ...profile import Profile

PROFILE = Profile(words=Path(__file__).parent / "words")
