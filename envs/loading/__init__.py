"""What goes before any game is loaded: exports on demand, ids, the version, answers to Ctrl-C."""
