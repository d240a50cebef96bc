"""The page of all agents with their options, from the registry."""

from __future__ import annotations

import inspect
import re

from plyground.agents.registry import agent_classes, agent_presets

from docstrings import plain
from tables import render

ABOUT_ATTRIBUTES = re.compile(r"\n\n(?:Attributes|Args|Raises):.*", re.DOTALL)


def agent_pages() -> dict[str, str]:
    """Contents of the page, by its place in the site."""
    agents = sorted(agent_classes().items())
    return {
        "agents.md": render(
            "agents.md", agents=agents, presets=agent_presets(), description=description
        )
    }


def description(agent: type) -> str:
    """What a class of agents says of itself."""
    return plain(ABOUT_ATTRIBUTES.sub("", inspect.cleandoc(agent.__doc__ or "")))
