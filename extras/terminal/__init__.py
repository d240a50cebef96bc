"""Games at the terminal: ``play``, ``watch`` and ``replay``."""
