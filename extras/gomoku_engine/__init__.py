"""Search forms of gomoku: line patterns and scores kept up to date move by move."""
