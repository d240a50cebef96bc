"""Cases that no user would write on purpose: command lines, and damaged files."""
