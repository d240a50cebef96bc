"""The games: one file each, with its heuristics and board helpers beside it."""
