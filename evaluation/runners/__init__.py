"""Where games are played: this process, worker processes, a Ray cluster."""
