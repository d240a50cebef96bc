"""Texts of the pages about agents and values."""
