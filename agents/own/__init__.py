"""User-defined functions in searches: their registry, and how kernels call them."""
