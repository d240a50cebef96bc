"""Self-play in tests: a forest by itself, and short runs of AlphaZero."""
