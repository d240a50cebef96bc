"""Help for tests of runs that are measured by a process of its own."""
