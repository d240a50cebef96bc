"""Trackers: what training runs log, kept by other libraries."""
