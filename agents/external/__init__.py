"""Engines and bots of others as agents."""
