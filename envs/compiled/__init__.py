"""What makes rules fast: kernels and their cache, dispatch, bits, randomness. It knows no game."""
