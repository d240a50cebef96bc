"""Work outside of this process: worker processes, other machines, lists of independent jobs."""
