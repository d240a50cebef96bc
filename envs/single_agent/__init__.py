"""Environments for one learner: Gymnasium, vectors of games, opponents inside a step."""
