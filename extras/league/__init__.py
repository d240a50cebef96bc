"""Leagues: past versions of a learner as its opponents, and training of a whole league (PSRO)."""
