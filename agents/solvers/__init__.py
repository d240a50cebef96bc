"""Exact solvers, by game."""
