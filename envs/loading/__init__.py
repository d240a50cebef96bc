"""What goes before any game is loaded: exports on demand, registered ids, the answer to Ctrl-C."""
