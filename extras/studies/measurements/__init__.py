"""The kinds of measurements, one file a kind."""
