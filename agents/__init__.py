"""Agents: search, learned policies, external engines; all made by :func:`make_agent`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
