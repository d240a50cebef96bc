"""Compilation of rules: kernels and their cache, dispatch, bits, randomness, for any game."""
