"""Training: ``train`` begins or resumes a run; sub-folders hold the algorithms."""

from .api import train as train
