"""Agents' moves against perfect play."""
