"""What goes before any game is loaded: ids, the version, answers to Ctrl-C."""
