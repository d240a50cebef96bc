"""Ratings, intervals, cross table."""
