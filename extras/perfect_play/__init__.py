"""Datasets of positions with exact values, and learning from them."""
