"""The API reference: which modules it shows, on which pages."""

from __future__ import annotations

import inspect
from typing import Any

import plyground
from docstrings import plain

# Page, title, what it is about, modules. Only what programs outside of the package are meant to
# import stands here.
PAGES = (
    (
        "games",
        "Games and positions",
        "Rules in Python, and what a game of one's own declares.",
        (
            "plyground.envs.game",
            "plyground.envs.registry",
            "plyground.envs.declaration",
            "plyground.envs.specification",
            "plyground.envs.rules",
        ),
    ),
    (
        "environments",
        "Environments",
        "PettingZoo, Gymnasium, many games at once, wrappers, adapters, checks.",
        (
            "plyground.envs.aec",
            "plyground.training.environments",
            "plyground.envs.single_agent.wrappers",
            "plyground.envs.conformance.env_checks",
            "plyground.envs.conformance.game_checks",
            "plyground.envs.conformance.ledger",
            "plyground.envs.adapters.openspiel",
            "plyground.envs.adapters.openenv",
            "plyground.envs.adapters.rllib",
            "plyground.envs.adapters.tianshou",
            "plyground.envs.adapters.torchrl",
        ),
    ),
    (
        "agents",
        "Agents",
        "What all agents have, how they are made and registered, solvers, policy files.",
        (
            "plyground.agents.agent",
            "plyground.agents.score",
            "plyground.agents.registry",
            "plyground.agents.book",
            "plyground.agents.solvers.solver",
            "plyground.agents.policies.policy_file",
            "plyground.agents.policies.zoo",
        ),
    ),
    (
        "training",
        "Training",
        "Runs, self-play, policy files, datasets.",
        (
            "plyground.training.api",
            "plyground.training.league",
            "plyground.training.sb3",
            "plyground.training.sb3_callbacks",
            "plyground.training.export",
            "plyground.training.datasets",
        ),
    ),
    (
        "evaluation",
        "Evaluation",
        "Matches, tournaments, tests, move quality, reviews.",
        (
            "plyground.evaluation.api",
            "plyground.evaluation.match",
            "plyground.evaluation.openings",
            "plyground.evaluation.tournament",
            "plyground.evaluation.sequential_test",
            "plyground.evaluation.move_quality",
            "plyground.evaluation.review",
            "plyground.evaluation.grades",
            "plyground.evaluation.gauntlet",
            "plyground.evaluation.ladder",
            "plyground.evaluation.runners.contest",
            "plyground.evaluation.runners.processes",
            "plyground.evaluation.runners.ray_cluster",
        ),
    ),
    (
        "results",
        "Results",
        "The store, ratings, cross tables, reports, studies.",
        (
            "plyground.evaluation.store.store",
            "plyground.evaluation.store.export",
            "plyground.evaluation.statistics.ratings",
            "plyground.evaluation.statistics.intervals",
            "plyground.evaluation.statistics.cross_table",
            "plyground.evaluation.report.report",
            "plyground.evaluation.notebook",
            "plyground.evaluation.studies.declaration",
        ),
    ),
)


def api_pages() -> dict[str, str]:
    """Contents of the pages, by their places in the site."""
    pages = {
        f"api/{name}.md": "\n\n".join(
            [f"# {title}", about, *(f"::: {module}" for module in modules)]
        )
        for name, title, about, modules in PAGES
    }
    entries = "\n".join(f"- [{title}]({name}.md): {about}" for name, title, about, _ in PAGES)
    return {
        "api/index.md": f"""# API reference

{entries}

## What `import plyground` holds

{public_names()}
"""
    } | pages


def public_names() -> str:
    """The names of the package's public face, each with a link to its description."""
    lines = []
    for name in sorted(plyground.__all__):
        thing = getattr(plyground, name)
        if inspect.ismodule(thing) or inspect.isclass(thing) or inspect.isfunction(thing):
            summary = inspect.cleandoc(thing.__doc__ or "").partition("\n")[0]
            lines.append(f"- [`{name}`][{address(name, thing)}]: {plain(summary)}")
    return "\n".join(lines)


def address(name: str, thing: Any) -> str:
    """The full name under which the reference describes it."""
    if inspect.ismodule(thing):
        return thing.__name__
    if name == "show":  # imported when it is called
        return "plyground.evaluation.notebook.show"
    return f"{thing.__module__}.{thing.__name__}"
