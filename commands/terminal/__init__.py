"""People at the terminal: games played, watched and stepped through."""
