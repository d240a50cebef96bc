"""Bots of others as agents, environments and datasets of other libraries."""
