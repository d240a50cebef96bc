"""The ids of the environments for learners in Gymnasium's registry.

The environments themselves are imported when one of them is made.
"""

from __future__ import annotations

from typing import Any

from ..envs.loading.ids import register_with_gymnasium


def register_environment(rules_type: Any) -> str:
    """Make the environments of a game known to Gymnasium; returns their id."""
    declaration = rules_type.declaration
    functions = f"{__package__}.environments"
    return register_with_gymnasium(declaration.name, declaration.version, functions)
