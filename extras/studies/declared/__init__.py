"""One file a study, which holds declarations and nothing else."""
