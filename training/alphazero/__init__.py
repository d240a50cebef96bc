"""AlphaZero: self-play by tree search, a learner, and runs that can be resumed."""
