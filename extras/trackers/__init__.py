"""Trackers: other libraries that store the logs of training runs."""
