"""Supervised learning from perfect play: the limit of what a network of a size can learn."""
