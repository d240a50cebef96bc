"""``python:module:name``: a user's own agent, a function or a class of a module."""

from __future__ import annotations

from typing import Any

from ..envs.game import Position
from ..envs.loading.packages import import_own
from ..envs.specification import Parameter, SpecificationError
from .agent import Agent, Decision
from .bots import NotABotError, as_bot, short_seed
from .external.own_modules import loaded_version
from .registry import register_agent


@register_agent("python")
class PythonAgent(Agent):
    """Plays as a function, a class or an object of a module does.

    A function with a parameter that must be given is asked for each move: ``act(position)`` or
    ``act(position, moves)``, where ``moves`` are the actions played so far. A class, and a function
    without such a parameter, is called once, and what it makes must have ``act``. Anything else
    must have ``act`` itself. The module is looked for in the current folder too.

    What ``act`` returns is not checked here: the match checks it. If the agent has
    ``reset(seed)``, it is called before every game with a seed of 32 bits; an agent that draws
    random numbers needs it to be repeatable. ``deterministic = True`` says that it draws none,
    looks at no clock and keeps nothing from one game to the next: a tournament then does not let it
    repeat its games.
    """

    summary = (
        "an agent of your own: python:MODULE:NAME is a function act(position), or a class or "
        "function that makes an object with act(position)"
    )
    parameters = (
        Parameter(
            "function",
            str,
            None,
            "MODULE:NAME, a function act(position), or what makes an object with act(position)",
        ),
    )
    argument = "function"
    isolated = foreign = True

    def check_options(self) -> None:
        """Import the module and make the user's agent."""
        self.bot = _find_bot(self.options["function"])

    def reset(self, seed: int = 0) -> None:
        """Reset the user's agent, if it can be reset."""
        super().reset(seed)
        if hasattr(self.bot, "reset"):
            self.bot.reset(short_seed(seed))

    def decide(self, position: Position) -> Decision:
        return Decision(self.bot.act(position))

    @property
    def deterministic(self) -> bool:
        return getattr(self.bot, "deterministic", False) is True

    @property
    def version(self) -> str:
        """A hash of the module's source, and of all it imports from its own folder or package.

        It tells the results of an edited agent from those of the agent before the edit. It is that
        of the files as this process has read them.
        """
        source_hash = loaded_version(self.options["function"].partition(":")[0])
        return "unknown" if source_hash is None else f"source {source_hash}"


def _find_bot(reference: str | None) -> Any:
    """Import MODULE and make an agent of NAME.

    Raises SpecificationError if it does not play.
    """
    module_name, colon, function_name = (reference or "").partition(":")
    if not (module_name and colon and function_name):
        raise SpecificationError(
            "write python:MODULE:NAME; NAME of MODULE is a function act(position), or a class or a "
            "function that makes an object with act(position)"
        )
    module = import_own(module_name)
    if not hasattr(module, function_name):
        functions = [
            name
            for name, value in vars(module).items()
            if callable(value) and not name.startswith("_")
        ]
        raise SpecificationError(
            f"module {module_name!r} has no function {function_name!r} (it has: "
            f"{', '.join(functions) or 'none'})"
        )
    thing = getattr(module, function_name)
    try:
        bot = as_bot(thing)
    except NotABotError as error:
        raise SpecificationError(
            f"{function_name} of module {module_name!r} is no agent: {error}"
        ) from None
    except (Exception, SystemExit) as error:
        raise SpecificationError(
            f"{function_name}() of module {module_name!r} raised {type(error).__name__}: {error}"
        ) from error
    if not callable(getattr(bot, "act", None)):
        raise SpecificationError(
            f"{function_name} of module {module_name!r} is a {type(bot).__name__}, which has no "
            f"method act(position)"
        )
    return bot
