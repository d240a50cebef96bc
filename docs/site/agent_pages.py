"""The page of all agents with their options, from the registry."""

from __future__ import annotations

import inspect
import re

from docstrings import plain
from plyground.agents.registry import agent_classes, agent_presets
from tables import escape, parameter_table

ABOUT_ATTRIBUTES = re.compile(r"\n\n(?:Attributes|Args|Raises):.*", re.DOTALL)


def agent_pages() -> dict[str, str]:
    """Contents of the page, by its place in the site."""
    classes = dict(sorted(agent_classes().items()))
    summary = "\n".join(
        f"| [`{name}`](#{name}) | {escape(agent_class.summary)} |"
        for name, agent_class in classes.items()
    )
    presets = "\n".join(
        f"| `{name}` | `{spec}` | {escape(text)} |"
        for name, (spec, text) in agent_presets().items()
    )
    sections = "\n\n".join(section(name, agent_class) for name, agent_class in classes.items())
    return {
        "agents.md": f"""# Agents and their options

An agent is written `NAME` or `NAME:OPTION=VALUE,OPTION=VALUE`, such as `alphabeta:depth=6`, in
Python and on the command line alike. [Choosing an agent](guide/agents.md) says when to use which.

| name | plays |
|---|---|
{summary}

## Short names

| name | stands for | plays |
|---|---|---|
{presets}

{sections}
"""
    }


def section(name: str, agent: type) -> str:
    """One agent: what its class says of itself, and its options."""
    text = ABOUT_ATTRIBUTES.sub("", inspect.cleandoc(agent.__doc__ or ""))
    options = parameter_table(agent.parameters) if agent.parameters else "It has no options."
    return f"## {name}\n\n{plain(text)}\n\n{options}"
