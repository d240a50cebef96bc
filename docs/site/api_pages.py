"""The API reference: which modules it shows, on which pages."""

from __future__ import annotations

import importlib
import inspect

from docstrings import plain
from public_surface import PACKAGES

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
            "plyground.envs.rules_types",
            "plyground.envs.specification",
            "plyground.envs.rules",
            "plyground.envs.optional.rules",
            "plyground.envs.optional.complexity",
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
            "plyground.extras.bridges.adapters.openspiel",
            "plyground.extras.bridges.adapters.openenv",
            "plyground.extras.bridges.adapters.rllib",
            "plyground.extras.bridges.adapters.tianshou",
            "plyground.extras.bridges.adapters.torchrl",
        ),
    ),
    (
        "agents",
        "Agents",
        "What all agents have, how they are made and registered, solvers, policy files.",
        (
            "plyground.agents.agent",
            "plyground.agents.decision",
            "plyground.agents.registry",
            "plyground.agents.own.functions",
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
            "plyground.extras.league.league",
            "plyground.extras.league.psro",
            "plyground.training.sb3",
            "plyground.training.sb3_callbacks",
            "plyground.training.export",
            "plyground.extras.perfect_play.datasets",
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
            "plyground.evaluation.move_quality.judge",
            "plyground.evaluation.move_quality.positions",
            "plyground.evaluation.move_quality.qualities",
            "plyground.extras.perfect_play.reviews.reviewer",
            "plyground.evaluation.played_game",
            "plyground.extras.perfect_play.reviews.review",
            "plyground.extras.perfect_play.reviews.grades",
            "plyground.evaluation.gauntlet",
            "plyground.evaluation.ladder",
            "plyground.evaluation.runners.contest",
            "plyground.envs.workers.jobs",
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
            "plyground.extras.studies.declaration",
        ),
    ),
)

DESCRIBED = {module for _, _, _, modules in PAGES for module in modules}


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

## What is public

Public are the names below, which the packages export in `__all__`, and the modules on the pages
above. They change only with a line in the changelog. All other modules, and every name that begins
with an underscore, are private: they may change at any time.

{"".join(public_names(package) for package in PACKAGES)}
"""
    } | pages


def public_names(package: str) -> str:
    """The names that a package exports, each with a link to its description."""
    module, lines = importlib.import_module(package), []
    for name in sorted(module.__all__):
        value = getattr(module, name)
        text = f"`{package}.{name}`"
        place = f"{getattr(value, '__module__', '')}.{name}"
        if place.rpartition(".")[0] in DESCRIBED:
            text = f"[{text}][{place}]"
        summary = inspect.getdoc(value) if callable(value) or inspect.ismodule(value) else ""
        lines.append(f"- {text}: {plain((summary or '').partition(chr(10))[0])}".rstrip(": "))
    return f"### {package}\n\n" + "\n".join(lines) + "\n\n"
