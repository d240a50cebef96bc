"""Benchmarks of learning, and the script that makes the zoo; each takes minutes to hours."""
