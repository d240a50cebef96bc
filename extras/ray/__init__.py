"""Work on other machines: a Ray cluster as a place of jobs (``--runner ray``)."""
