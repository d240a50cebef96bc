"""Functions of a user's own within searches: their registry, and how kernels call them."""
