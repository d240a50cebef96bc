"""Shared code of games: grids of cells, boards as rows of characters, stones in a row."""
