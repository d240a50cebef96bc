"""Optional declarations of a game, and their defaults."""
