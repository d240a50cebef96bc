"""Tree searches: alpha-beta, Monte Carlo tree search, search guided by a network."""
