"""Studies: the experiments of the systems that the suite implements, declared as data."""
