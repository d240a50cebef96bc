"""What other folders know about Breakthrough: nothing that they must know."""

from ...profile import Profile

PROFILE = Profile()
