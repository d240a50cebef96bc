"""Shared code of environments: observations and rendering."""
