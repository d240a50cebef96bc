"""Where games are played: this process, worker processes, other machines."""
