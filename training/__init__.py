"""Training: ``train`` begins or resumes a run; sub-folders hold the algorithms."""

from ..envs.loading.moved import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
