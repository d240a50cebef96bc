"""What comes before any game is loaded: ids, the version, handling of Ctrl-C."""
