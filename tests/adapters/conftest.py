"""Tests against the real libraries, each in an environment of its own: ``make test-adapters``.

Without the name of a library, in the environment variable ``PLYGROUND_ADAPTER``, there are none:
the libraries exclude each other, and are not installed where the other tests run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))

NAME = os.environ.get("PLYGROUND_ADAPTER", "")
collect_ignore_glob = [
    path.name for path in Path(__file__).parent.glob("test_*.py") if path.stem != f"test_{NAME}"
]
