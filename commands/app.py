"""The application: registers the commands, runs one, and reports its errors.

The command line uses cyclopts, because it flattens a dataclass into options, so that options
shared by several commands are declared once. (typer needs every option in every signature.)
"""

from __future__ import annotations

import ast
import contextvars
import errno
import functools
import importlib
import inspect
import os
import re
import shlex
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

from cyclopts import (
    App,
    CoercionError,
    CycloptsError,
    Group,
    MissingArgumentError,
    Parameter,
    UnusedCliTokensError,
)

from ..envs import __version__
from ..envs.loading.interruption import interrupt_status
from ..envs.loading.numbers import FORMS
from ..envs.loading.packages import COMMANDS as PACKAGES
from ..envs.loading.packages import PackageWarning, declared, import_own, source_of
from ..envs.loading.texts import visible
from ..envs.specification import SpecificationError, plain_text
from .output import note, use_plain_characters

LONGEST_SENTENCE = 1000  # characters
IMPORT = "--import"  # stands before any command
UNKNOWN = re.compile(r"there is no (game|agent) |has no (heuristic|ordering) ")  # it may register
OUTPUT_FAILS = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)
FAILURE, BAD_INPUT = 1, 2  # exit statuses
Command = TypeVar("Command", bound=Callable[..., Any])

# The command functions of each file in this folder; "GROUP NAME" is a command in a group.
# Extras and other packages declare theirs as entry points.
_FILES: dict[str, tuple[str, ...]] = {
    "analysis": ("analyse", "solve"),
    "listing": ("games", "agents", "size", "perft"),
    "matches": ("match",),
    "packages": ("new",),
    "policies": ("export_policy",),
    "results": ("report", "export", "sprt"),
    "tournaments": ("tournament",),
    "verification": ("verify",),
    "warm_up": ("warm_up",),
    "zoo": ("zoo",),
    "learning.alphazero": ("train alphazero",),
    "learning.ladder": ("ladder",),
    "learning.training": ("train ppo", "train dqn", "curves"),
}
GROUPS = {"train": "Train a learner; the commands differ in the algorithm."}
# The help lists the commands by purpose, in this order. Commands of packages are inserted at the
# purpose and rank that their functions declare, or follow at the end.
_PURPOSES: dict[str, tuple[str, ...]] = {
    "Start here": ("games", "tournament", "train"),
    "Play and look": ("agents", "zoo", "match", "analyse", "solve"),
    "Measure": ("report", "sprt", "size"),
    "Train": ("curves", "ladder", "export-policy"),
    "Records": ("export",),
    "Check and extend": ("verify", "perft", "warm-up", "new"),
}

LAST = [*_PURPOSES][-1]  # the panel of commands that declare no purpose
FOLLOWS = 99  # the rank of commands that declare none

usual_format = warnings.formatwarning

_words: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("words", default=())


class Interruption(KeyboardInterrupt):
    """Ctrl-C or SIGTERM ended a command; the text says what was kept and how to resume."""


@contextmanager
def ctrl_c_says(text: str) -> Iterator[None]:
    """Ctrl-C in the body ends the command with this message."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interruption(text) from None


def command(
    arguments: str = "", purpose: str = "", rank: int = FOLLOWS, without: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Decorator for the function of a command.

    Args:
        arguments: the arguments shown in the line "Usage:", before the options.
        purpose: for a package's command, the help panel that lists it; must be a literal.
        rank: its position in the panel, from 0; must be a literal; last by default.
        without: settings that this command does not offer as options, see
            :func:`~plyground.commands.common.with_options`.
    """

    def describe(function: Command) -> Command:
        function.arguments, function.without = arguments, without  # type: ignore[attr-defined]
        return function

    return describe


def make_app(words: Sequence[str] | None = None) -> App:
    """The application. Only the file of the command that is run is imported.

    Args:
        words: the command line; None imports the files of all commands.
    """
    app = App(
        name="plyground",
        help=(
            "Adversarial board games, agents that play them, and tournaments between agents.\n\n"
            "plyground COMMAND --help explains a command. plyground --import MODULE COMMAND "
            "first imports a module of yours that registers games or agents."
        ),
        version=f"plyground {__version__}",
        help_flags=["--help", "-h"],
        help_format="rich",
        default_parameter=Parameter(negative=()),
        group_parameters=Group("Options"),
        group_commands=Group("Options", sort_key=len(_PURPOSES)),  # --help, --version
        suppress_keyboard_interrupt=False,  # run() handles it, with its own exit status
    )
    app.register_install_completion_command()
    first = [word for word in words or () if not word.startswith("-")]
    every = command_functions()
    to_import = [names for names in every if names == tuple(first[: len(names)])]
    places = {} if to_import else _places()
    groups = {"": app}
    for name, text in GROUPS.items():
        place_of_group = places.get(name, {})
        groups[name] = App(name=name, help=text, group_commands=Group("Commands"), **place_of_group)
        app.command(groups[name])
    for names, place in every.items():
        group = groups[" ".join(names[:-1])]
        if words is None or names in to_import:
            _add_command(group, names, place, places)
        else:
            summary = "" if to_import else _description(place).summary
            group.command(place, name=names[-1], help=summary, **places.get(names[-1], {}))
    return app


def _places() -> dict[str, dict[str, Any]]:
    """The help panel of each command, and its position in the panel."""
    places: dict[str, dict[str, Any]] = {}
    for number, (title, names) in enumerate(purposes().items()):
        panel = Group(title, sort_key=number)
        places |= {name: {"group": panel, "sort_key": rank} for rank, name in enumerate(names)}
    return places


def command_functions() -> dict[tuple[str, ...], str]:
    """The function of each command as ``module:function``, by the command's words."""
    paths = {each.name: each.value for each in declared(PACKAGES) if each.attr}
    for file, functions in _FILES.items():
        paths |= {path: f"{__package__}.{file}:{path.split()[-1]}" for path in functions}
    return {
        tuple(path.strip("_").replace("_", "-").split()): place for path, place in paths.items()
    }


def purposes() -> dict[str, tuple[str, ...]]:
    """The panels of the help, with the commands listed in each."""
    listed = {name for names in _PURPOSES.values() for name in names}
    panels = {title: [*names] for title, names in _PURPOSES.items()}
    added = {
        name: _description(place)
        for (name, *rest), place in command_functions().items()
        if name not in listed and not rest
    }
    for name, description in sorted(added.items(), key=lambda each: each[1].rank):
        panels.get(description.purpose, panels[LAST]).insert(description.rank, name)
    return {title: tuple(names) for title, names in panels.items()}


def _add_command(
    group: App, names: tuple[str, ...], place: str, places: dict[str, dict[str, Any]]
) -> None:
    """Import a command, and add it with its full help."""
    module, _, attribute = place.partition(":")
    function = getattr(importlib.import_module(module), attribute)
    from .common import with_options  # imports games, which the list of commands does not need

    usage = " ".join(["plyground", *names, *function.arguments.split(), "[OPTIONS]"])
    # Each paragraph of the docstring becomes one line: the terminal wraps it.
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    options = with_options(function, function.without)
    group.command(options, name=names[-1], help=text, usage=usage, **places.get(names[-1], {}))


class _Description(NamedTuple):
    """A command's entry in the list of commands."""

    summary: str = ""  # the first line of the docstring
    purpose: str = ""  # empty: not declared
    rank: int = FOLLOWS  # the position in the panel of that purpose


def _description(place: str) -> _Description:
    """The description of a command, read without importing its file."""
    module, _, name = place.partition(":")
    return _descriptions(module).get(name, _Description())


@functools.cache
def _descriptions(module: str) -> dict[str, _Description]:
    """The description of each function of a module, read from its source."""
    path, descriptions = source_of(module), {}
    for function in ast.parse(path.read_text(encoding="utf-8")).body if path else ():
        if isinstance(function, ast.FunctionDef):
            calls = (each for each in function.decorator_list if isinstance(each, ast.Call))
            said = {
                word.arg: ast.literal_eval(word.value)
                for call in calls
                for word in call.keywords
                if word.arg in ("purpose", "rank")
            }
            summary = (ast.get_docstring(function) or "").partition("\n")[0]
            descriptions[function.name] = _Description(summary, **said)
    return descriptions


def run(words: Sequence[str]) -> int:
    """Run a command line and return its exit status.

    Every error ends here. An error that a user can cause becomes one sentence on standard error,
    any other a sentence and a file with the traceback.
    """
    use_plain_characters()
    token = _words.set(tuple(words))
    try:
        warnings.formatwarning = _format_warning
        words = _import_modules(words)
        if not words:
            from .welcome import welcome

            welcome({names[0] for names in command_functions()})
            return 0
        app = make_app(words)
        app(words, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError as error:
        return _refuse(_sentence(error))
    except MemoryError as error:
        # numpy names the size, then the type of the array, which does not help a user.
        request = str(error).partition(" for an array")[0] or "a request failed"
        return _refuse(f"not enough memory: {request}")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except KeyboardInterrupt as interrupt:
        note(str(interrupt) if isinstance(interrupt, Interruption) else "stopped")
        return interrupt_status()
    except BrokenPipeError:
        # The reader closed the pipe (`| head`).
        _discard_output()
    except OSError as error:
        if error.errno in OUTPUT_FAILS and error.filename is None:
            _discard_output()
            return _refuse(f"the output cannot be written: {error.strerror}")
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return _refuse(f"{where}{error.strerror or error}")
    except Exception as error:
        if not isinstance(error, _user_errors()):
            return _report(error)
        text = f"; {IMPORT} MODULE before the command imports a module that registers your own"
        return _refuse(f"{error}{text if UNKNOWN.search(str(error)) else ''}")
    finally:
        warnings.formatwarning = usual_format
        _words.reset(token)
    return 0


def _import_modules(words: Sequence[str]) -> list[str]:
    """Import the modules named by ``--import MODULE``; returns the words that follow."""
    rest = list(words)
    while rest and rest[0].partition("=")[0] == IMPORT:
        _, equals, name = rest.pop(0).partition("=")
        if not equals and rest:
            name = rest.pop(0)
        if not name:
            raise SpecificationError(f"{IMPORT} needs the name of a module, such as my_game")
        import_own(name)
    return rest


def _format_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """A warning as Python shows it; one about a package or a failing agent as one sentence."""
    from ..agents.faults import FaultWarning

    if issubclass(category, PackageWarning | FaultWarning):
        return f"plyground: {plain_text(str(message), LONGEST_SENTENCE)}\n"
    return visible(usual_format(message, category, filename, lineno, line))


def _user_errors() -> tuple[type[Exception], ...]:
    """The library's exceptions whose message is one sentence for the user."""
    from ..envs import IllegalActionError, IllegalPositionError
    from ..evaluation import RunnerError, StoreError
    from ..training import TrainingError

    return (
        SpecificationError,
        IllegalActionError,
        IllegalPositionError,
        StoreError,
        RunnerError,
        TrainingError,
    )


def _discard_output() -> None:
    """Discard what is still buffered when Python exits."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(sentence: str) -> int:
    note(f"plyground: {plain_text(sentence, LONGEST_SENTENCE)}")
    return BAD_INPUT


def _report(error: Exception) -> int:
    """Report an unexpected error, and write its traceback to a file."""
    what = plain_text("".join(traceback.format_exception_only(error)))
    versions = f"plyground {__version__}, Python {sys.version}, {sys.platform}"
    complaint = f"internal error: {what}"
    try:
        descriptor, name = tempfile.mkstemp(".txt", "plyground-error-")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            trace = "".join(traceback.format_exception(error))
            file.write(f"{versions}\n{same_command()}\n\n{trace}")
    except OSError:
        note(f"plyground: {complaint}")
        return FAILURE
    note(f"plyground: {complaint}. Please report it, with the file {name}")
    return FAILURE


def _sentence(error: CycloptsError) -> str:
    if isinstance(error, UnusedCliTokensError):
        unused = shlex.join(error.unused_tokens or [])
        return f"unexpected arguments: {unused}"
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        name, words = error.keyword or error.argument.name, " ".join(error.command_chain or ())
        if name in given_options():
            return f"{name} needs a value; plyground {words} --help explains it"
        return f"{words} needs {name}; plyground {words} --help explains it"
    kind = getattr(error, "target_type", None)
    if isinstance(error, CoercionError) and kind in FORMS and error.argument and error.token:
        name = error.token.keyword or error.argument.name
        meaning = (error.argument.parameter.help or "").partition(" (default")[0].removesuffix(".")
        return f"{name} {error.token.value} is not possible ({meaning}); {FORMS[kind]}"
    text = " ".join(str(error).split())
    return text[:1].lower() + (text[1:] if text.endswith("...") else text[1:].removesuffix("."))


@contextmanager
def missing_packages_are_refused() -> Iterator[None]:
    """Report a missing optional package as bad input: the error names what to install."""
    try:
        yield
    except ImportError as error:
        raise SpecificationError(str(error)) from None


# -- the command line as it was given --


def given_options() -> set[str]:
    """The options that stand on the command line, such as ``--seed``."""
    return {word.partition("=")[0] for word in _words.get() if word.startswith("--")}


def words_with(options: Mapping[str, str | None]) -> list[str]:
    """The words of the command line with these option values; None removes the option."""
    words = list(_words.get())
    for name, value in options.items():
        for place in reversed(
            [n for n, word in enumerate(words) if word.partition("=")[0] == name]
        ):
            del words[place : place + (1 if "=" in words[place] else 2)]
        words += [] if value is None else [name, value]
    return words


def same_command(flag: str = "", *, present: bool = True) -> str:
    """The command line as it was given.

    Args:
        flag: an option without a value to add or to remove.
        present: whether to add it.
    """
    words = [word for word in _words.get() if word != flag]
    if flag and present:
        end = words.index("--") if "--" in words else len(words)
        words.insert(end, flag)
    return f"plyground {shlex.join(words)}"
