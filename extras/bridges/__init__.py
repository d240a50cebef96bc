"""Engines, bots and functions of others as agents."""
