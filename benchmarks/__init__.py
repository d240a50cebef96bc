"""Measurements of speed; each file is a script that prints what it measured."""
