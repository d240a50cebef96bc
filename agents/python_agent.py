"""``python:module:name``: a user's own agent, a function or a class of a module."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, ClassVar

from ..envs.game import Game, Position
from ..envs.loading.own_modules import loaded_version
from ..envs.loading.packages import import_own
from ..envs.loading.signatures import read_signature
from ..envs.specification import Parameter, SpecificationError, check_names
from .agent import Agent
from .bots import NotAPolicyError, as_policy
from .decision import Decision
from .registry import register_agent

SWITCHES = {"yes": True, "no": False}


@register_agent("python")
class PythonAgent(Agent):
    """Plays as a function, a class or an object of a module does.

    A function with a required parameter is called for each move: ``act(position)`` or
    ``act(position, moves)``, where ``moves`` are the actions played so far. A class, or a function
    without required parameters, is called once and must return an object with ``act``. Any other
    object must have ``act`` itself. The module may be in the current folder.

    The match checks what ``act`` returns. If the agent has ``reset(seed)``, it is called before
    every game with a seed of 32 bits; an agent that uses random numbers needs it to be repeatable.
    ``deterministic = True`` declares that it uses no random numbers and no clock and keeps no state
    between games: a tournament then does not repeat its games.

    Further options are keyword arguments of the function or class: numbers, ``yes``, ``no`` or
    texts, as in ``python:my_agents:Careful,depth=3``.
    """

    summary = (
        "an agent of your own: python:MODULE:NAME is a function act(position), or a class or "
        "function that makes an object with act(position); OPTION=VALUE after it are its keyword "
        "arguments"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "function",
            str,
            None,
            "MODULE:NAME, a function act(position), or what makes an object with act(position)",
        ),
    )
    argument = "function"
    isolated = foreign = True
    effect = "imports a module"

    def __init__(self, game: Game | str | None = None, seed: int = 0, **options: Any) -> None:
        declared = {parameter.name for parameter in type(self).parameters}
        self._keywords = [name for name in options if name not in declared]
        own = (Parameter(name, str, None, "a keyword argument") for name in self._keywords)
        self.parameters = (*type(self).parameters, *own)  # type: ignore[misc]
        super().__init__(game, seed, **options)

    def check_options(self) -> None:
        """Import the module and make the user's agent."""
        keywords = {name: _read_value(self.options[name]) for name in self._keywords}
        self.bot = _find_bot(self.options["function"], keywords)

    def reset(self, seed: int = 0) -> None:
        """Reset the user's agent, if it can be reset."""
        super().reset(seed)
        self.bot.reset(seed)

    def decide(self, position: Position) -> Decision:
        return self.bot.analyse(position)

    @property
    def deterministic(self) -> bool:
        return self.bot.deterministic

    @property
    def origin(self) -> str:
        return self.bot.origin

    @property
    def version(self) -> str:
        """A hash of the module's source, and of its imports from its own folder or package.

        It distinguishes an edited agent from the agent before the edit. It is the hash of the files
        as this process has read them.
        """
        source_hash = loaded_version(self.options["function"].partition(":")[0])
        return "unknown" if source_hash is None else f"source {source_hash}"


def _read_value(text: str) -> Any:
    """A number, True for ``yes``, False for ``no``, or the text."""
    if text in SWITCHES:
        return SWITCHES[text]
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _with_keywords(thing: Any, keywords: dict[str, Any], reference: str) -> Any:
    """A function or class with keyword arguments; SpecificationError if it has none of that name.

    An object takes no arguments.
    """
    if not keywords:
        return thing
    names, is_open = read_signature(thing)[2:] if callable(thing) else ((), False)
    if not is_open:
        check_names(f"{reference} has no parameter", keywords, names)
    return functools.partial(thing, **keywords)


def _find_bot(reference: str | None, keywords: dict[str, Any]) -> Agent:
    """Import MODULE and make an agent of NAME.

    Raises SpecificationError if it is not a player.
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
    thing = _with_keywords(getattr(module, function_name), keywords, str(reference))
    try:
        return as_policy(thing)
    except NotAPolicyError as error:
        raise SpecificationError(
            f"{function_name} of module {module_name!r} is no agent: {error}"
        ) from None
    except (Exception, SystemExit) as error:
        raise SpecificationError(
            f"{function_name}() of module {module_name!r} raised {type(error).__name__}: {error}"
        ) from error
