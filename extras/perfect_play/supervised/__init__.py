"""Supervised learning from perfect play: what a network of a size can know at all."""
