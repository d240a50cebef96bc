"""plyground: adversarial board games as reinforcement-learning environments.

With search agents, training, and an evaluation harness. What ten lines of a notebook need stands
in ``__init__.pyi``; ``plyground.envs``, ``.agents``, ``.training`` and ``.evaluation`` export the
rest.
"""

import lazy_loader

from . import envs
from .envs.loading.ids import register_ids

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register_ids(envs.__name__, envs.__path__[0])
