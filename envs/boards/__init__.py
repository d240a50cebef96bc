"""What games share: grids of cells, boards as rows of characters, stones in a row."""
