"""Jobs on other machines: a Ray cluster as a runner (``--runner ray``)."""
