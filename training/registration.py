"""The ids of the environments for learners in Gymnasium's registry.

The environments themselves are imported when one of them is made.
"""

from __future__ import annotations

from typing import Any

import gymnasium

from ..envs.registry import BUILT_IN
from ..envs.single_agent import environment_id


def register_environment(rules_type: Any) -> str:
    """Make the environments of a game known to Gymnasium; returns their id."""
    name = environment_id(rules_type.declaration)
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point=f"{__package__}.environments:make_env",
            vector_entry_point=f"{__package__}.environments:make_vector_env",
            kwargs={"game": rules_type.declaration.name},
        )
    return name


def register_environments() -> None:
    """Register the environments of all games that come with plyground."""
    for rules_type in BUILT_IN:
        register_environment(rules_type)
