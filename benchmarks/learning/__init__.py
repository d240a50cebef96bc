"""Measurements of learning and the making of the zoo; they take minutes to hours each."""
