"""Tests with the packages of CUDA, of 700 MB: ``make test-gpu``.

Without the environment variable ``PLYGROUND_GPU`` there are none: the packages are not installed
where the other tests run. No GPU is needed.
"""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("PLYGROUND_GPU") else ["test_*.py"]
