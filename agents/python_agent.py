"""``python:module:function``: a user's own agent, made by a function of a module."""

from __future__ import annotations

import hashlib
import importlib
import sys
from pathlib import Path
from typing import Any

from ..envs.game import Position
from ..envs.specification import Parameter, SpecificationError, format_specification
from .agent import Agent, Decision
from .registry import register_agent


@register_agent("python")
class PythonAgent(Agent):
    """Calls ``function()`` of a module; the result must have ``act(position)``.

    The module is looked for in the current folder too.

    What ``act`` returns is not checked here: the match checks it. If the result has
    ``reset(seed)``, it is called before every game; an agent that draws random numbers needs it to
    be repeatable. ``deterministic = True`` in the result says that it draws none, looks at no clock
    and keeps nothing from one game to the next: a tournament then does not let it repeat its games.
    """

    summary = (
        "an agent of your own: python:MODULE:FUNCTION calls the function, whose result has "
        "act(position)"
    )
    parameters = (
        Parameter(
            "function",
            str,
            None,
            "MODULE:FUNCTION, a function without arguments that makes the agent",
        ),
    )
    argument = "function"
    isolated = True

    def check_options(self) -> None:
        """Import the module and make the user's agent."""
        self.bot = _call_factory(self.options["function"])

    def reset(self, seed: int = 0) -> None:
        """Reset the user's agent, if it can be reset."""
        super().reset(seed)
        if hasattr(self.bot, "reset"):
            self.bot.reset(seed)

    def decide(self, position: Position) -> Decision:
        return Decision(self.bot.act(position))

    @property
    def deterministic(self) -> bool:
        return getattr(self.bot, "deterministic", False) is True

    @property
    def spec(self) -> str:
        return format_specification(self.name, {}, self.options["function"])

    @property
    def version(self) -> str:
        """A hash of the module's source.

        It tells the results of an edited agent from those of the agent before the edit.
        """
        module = sys.modules[self.options["function"].partition(":")[0]]
        path = getattr(module, "__file__", None)
        return (
            f"source {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]}"
            if path
            else "unknown"
        )


def _call_factory(reference: str | None) -> Any:
    """Import MODULE and call FUNCTION.

    Raises SpecificationError if the result has no ``act``.
    """
    module_name, colon, function_name = (reference or "").partition(":")
    if not (module_name and colon and function_name):
        raise SpecificationError(
            "write python:MODULE:FUNCTION; FUNCTION() of MODULE must return an object with "
            "act(position)"
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and (
            module_name == error.name or module_name.startswith(error.name + ".")
        ):
            raise SpecificationError(
                f"there is no module {module_name!r}, neither installed nor in {here}"
            ) from None
        raise SpecificationError(f"importing {module_name!r} failed: {error}") from error
    except (Exception, SystemExit) as error:
        raise SpecificationError(
            f"importing {module_name!r} failed: {type(error).__name__}: {error}"
        ) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        functions = [
            name
            for name, value in vars(module).items()
            if callable(value) and not name.startswith("_")
        ]
        raise SpecificationError(
            f"module {module_name!r} has no function {function_name!r} (it has: "
            f"{', '.join(functions) or 'none'})"
        )
    try:
        bot = function()
    except (Exception, SystemExit) as error:
        raise SpecificationError(
            f"{function_name}() of module {module_name!r} raised {type(error).__name__}: {error}"
        ) from error
    if not callable(getattr(bot, "act", None)):
        raise SpecificationError(
            f"{function_name}() of module {module_name!r} returned a {type(bot).__name__}, which "
            f"has no method act(position)"
        )
    return bot
