"""The API reference: a page for each main folder, its main names first."""

from __future__ import annotations

import ast
import importlib
import inspect

from docstrings import plain
from public_surface import PACKAGES

# Folder, title, what it is about, and what most programs use of it: at most twelve names.
PAGES = (
    (
        "envs",
        "Games and environments",
        "Games, positions, PettingZoo, wrappers, checks, and what a game of one's own declares.",
        (
            "plyground.make_game",
            "plyground.Game",
            "plyground.Position",
            "plyground.envs.Outcome",
            "plyground.envs.BoardEnv",
            "plyground.envs.check_game",
            "plyground.envs.check_env",
            "plyground.envs.trace",
            "plyground.envs.declare_game",
            "plyground.envs.Board",
            "plyground.envs.Parameter",
            "plyground.register_game",
        ),
    ),
    (
        "agents",
        "Agents",
        "What all agents have, how they are made and registered, solvers, policy files.",
        (
            "plyground.make_agent",
            "plyground.Agent",
            "plyground.Decision",
            "plyground.Score",
            "plyground.as_policy",
            "plyground.load_policy",
            "plyground.agents.PolicyAgent",
            "plyground.solve",
            "plyground.agents.Solution",
            "plyground.register_agent",
            "plyground.agents.register_heuristic",
            "plyground.agents.register_ordering",
        ),
    ),
    (
        "training",
        "Training",
        "Environments for one learner, runs, self-play, policy files.",
        (
            "plyground.make_env",
            "plyground.make_vector_env",
            "plyground.train",
            "plyground.training.TrainingRun",
            "plyground.training.Progress",
            "plyground.training.BoardVecEnv",
            "plyground.training.SelfPlayCallback",
            "plyground.training.LadderCallback",
            "plyground.training.export_policy",
            "plyground.training.PolicyExporter",
        ),
    ),
    (
        "evaluation",
        "Evaluation",
        "Matches, tournaments, tests, move quality, the store, ratings, reports.",
        (
            "plyground.evaluate",
            "plyground.evaluation.ratings",
            "plyground.evaluation.sprt",
            "plyground.evaluation.quality",
            "plyground.play_game",
            "plyground.evaluation.GameResult",
            "plyground.evaluation.Plan",
            "plyground.evaluation.Tournament",
            "plyground.evaluation.Store",
            "plyground.evaluation.Ratings",
            "plyground.evaluation.Openings",
            "plyground.show",
        ),
    ),
    (
        "extras",
        "Extras",
        "Reviews, datasets, studies, and adapters to other libraries.",
        (
            "plyground.extras.perfect_play.reviews.review.Review",
            "plyground.extras.perfect_play.reviews.reviewer.Reviewer",
            "plyground.extras.studies.declaration.Study",
            "plyground.extras.studies.declaration.Experiment",
        ),
    ),
)
# Only what programs outside of the package are meant to import stands here.
MODULES = (
    "plyground.envs.game",
    "plyground.envs.registry",
    "plyground.envs.declaration",
    "plyground.envs.rules_types",
    "plyground.envs.specification",
    "plyground.envs.rules",
    "plyground.envs.optional.rules",
    "plyground.envs.optional.complexity",
    "plyground.envs.aec",
    "plyground.envs.single_agent.wrappers",
    "plyground.envs.conformance.env_checks",
    "plyground.envs.conformance.game_checks",
    "plyground.envs.conformance.ledger",
    "plyground.envs.workers.jobs",
    "plyground.agents.agent",
    "plyground.agents.decision",
    "plyground.agents.registry",
    "plyground.agents.own.functions",
    "plyground.agents.book",
    "plyground.agents.solvers.solver",
    "plyground.agents.policies.policy_file",
    "plyground.agents.policies.zoo",
    "plyground.training.environments",
    "plyground.training.api",
    "plyground.training.sb3",
    "plyground.training.sb3_callbacks",
    "plyground.training.export",
    "plyground.evaluation.api",
    "plyground.evaluation.match",
    "plyground.evaluation.openings",
    "plyground.evaluation.tournament",
    "plyground.evaluation.sequential_test",
    "plyground.evaluation.move_quality.judge",
    "plyground.evaluation.move_quality.positions",
    "plyground.evaluation.move_quality.qualities",
    "plyground.evaluation.played_game",
    "plyground.evaluation.gauntlet",
    "plyground.evaluation.ladder",
    "plyground.evaluation.runners.contest",
    "plyground.evaluation.store.store",
    "plyground.evaluation.store.export",
    "plyground.evaluation.statistics.ratings",
    "plyground.evaluation.statistics.intervals",
    "plyground.evaluation.statistics.cross_table",
    "plyground.evaluation.report.report",
    "plyground.evaluation.notebook",
    "plyground.extras.perfect_play.reviews.reviewer",
    "plyground.extras.perfect_play.reviews.review",
    "plyground.extras.perfect_play.reviews.grades",
    "plyground.extras.perfect_play.datasets",
    "plyground.extras.bridges.adapters.openspiel",
    "plyground.extras.bridges.adapters.openenv",
    "plyground.extras.bridges.adapters.rllib",
    "plyground.extras.bridges.adapters.tianshou",
    "plyground.extras.bridges.adapters.torchrl",
    "plyground.extras.studies.declaration",
)


def api_pages() -> dict[str, str]:
    """Contents of the pages, by their places in the site."""
    pages = {f"api/{folder}.md": page(folder, *rest) for folder, *rest in PAGES}
    entries = "\n".join(f"- [{title}]({folder}.md): {about}" for folder, title, about, _ in PAGES)
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


def page(folder: str, title: str, about: str, main: tuple[str, ...]) -> str:
    """The page of a folder: its main names, then what else its modules have."""
    first = [described(name) for name in main]
    rest = [name for name in MODULES if name.startswith(f"plyground.{folder}.")]
    blocks = [f"::: {place}" for place in [*first, *rest]]
    for number, name in enumerate(rest, len(first)):
        if any(place.startswith(f"{name}.") for place in first):
            others = [other for other in members(name) if f"{name}.{other}" not in first]
            blocks[number] += f"\n    options:\n      members: {others}"
    return "\n\n".join([f"# {title}", about, *blocks]) + "\n"


def described(name: str) -> str:
    """Where a name is described: the module that defines it."""
    package, _, last = name.rpartition(".")
    return f"{getattr(importlib.import_module(package), last).__module__}.{last}"


def members(name: str) -> list[str]:
    """What a module exports, else the public functions and classes that it describes, in order."""
    module = importlib.import_module(name)
    return getattr(module, "__all__", None) or [
        node.name
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and ast.get_docstring(node)
    ]


FIRST = {described(name) for _, _, _, main in PAGES for name in main}


def public_names(package: str) -> str:
    """The names that a package exports, each with a link to its description."""
    module, lines = importlib.import_module(package), []
    for name in sorted(module.__all__):
        value = getattr(module, name)
        text = f"`{package}.{name}`"
        place = f"{getattr(value, '__module__', '')}.{name}"
        if place in FIRST or place.rpartition(".")[0] in MODULES:
            text = f"[{text}][{place}]"
        summary = inspect.getdoc(value) if callable(value) or inspect.ismodule(value) else ""
        lines.append(f"- {text}: {plain((summary or '').partition(chr(10))[0])}".rstrip(": "))
    return f"### {package}\n\n" + "\n".join(lines) + "\n\n"
