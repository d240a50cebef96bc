"""Benchmarks; each file is a script that prints its results."""
