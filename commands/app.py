"""The application: registration of commands, and the one place where they end.

The command line is made with cyclopts, because it flattens a dataclass into options: what several
commands share is declared once. (typer, used before, needs every option in every signature.)
"""

from __future__ import annotations

import contextvars
import errno
import inspect
import os
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from cyclopts import (
    App,
    CycloptsError,
    Group,
    MissingArgumentError,
    Parameter,
    UnusedCliTokensError,
)

from ..envs import IllegalActionError, IllegalPositionError, __version__
from ..envs.specification import SpecificationError, plain_text
from ..evaluation.runners.runner import RunnerError
from ..evaluation.store.store import StoreError
from ..training.folder import TrainingError
from .output import note, use_plain_characters

LONGEST_SENTENCE = 1000  # characters
OUTPUT_FAILS = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)
# Exit statuses.
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
EXPECTED = (
    SpecificationError,
    IllegalActionError,
    IllegalPositionError,
    StoreError,
    RunnerError,
    TrainingError,
)

Command = TypeVar("Command", bound=Callable[..., Any])

app = App(
    name="plyground",
    help=(
        "Adversarial board games, agents that play them, and tournaments between agents.\n\n"
        "Start with: plyground games, plyground agents, plyground play tic_tac_toe.\n\n"
        "plyground COMMAND --help explains a command."
    ),
    version=f"plyground {__version__}",
    help_flags=["--help", "-h"],
    help_format="rich",
    default_parameter=Parameter(negative=()),
    group_parameters=Group("Options"),
    suppress_keyboard_interrupt=False,  # run() handles it, with a status of its own
)
app.register_install_completion_command()
train_app = App(name="train", help="Train a learner; the commands differ in the algorithm.")
app.command(train_app)

_words: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("words", default=())


def command(
    arguments: str = "", *, name: str | None = None, parent: App = app
) -> Callable[[Command], Command]:
    """Decorator: make a function a command.

    Args:
        arguments: what follows the options in the line "Usage:".
        name: what it is called; by default as the function.
        parent: the application or group of commands that it belongs to.
    """

    def register(function: Command) -> Command:
        called = name or function.__name__
        group = "" if parent is app else f"{parent.name[0]} "
        usage = f"plyground {group}{called} {arguments} [OPTIONS]"
        parent.command(
            function, name=called, help=_paragraphs(function), usage=" ".join(usage.split())
        )
        return function

    return register


def _paragraphs(function: Any) -> str:
    """A function's docstring, each of its paragraphs on one line: the terminal breaks them."""
    text = inspect.cleandoc(function.__doc__ or "")
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def run(words: Sequence[str]) -> int:
    """Run a command line and return its exit status.

    Every error ends here: one that a user can cause as one sentence on standard error, any other as
    a sentence and a file that tells more.
    """
    use_plain_characters()
    token = _words.set(tuple(words))
    try:
        app(words, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError as error:
        return _refuse(_sentence(error))
    except EXPECTED as error:
        return _refuse(str(error))
    except MemoryError as error:
        # numpy says how much was asked for, then the type of the array, which is no news to a user.
        asked = str(error).partition(" for an array")[0] or "a request failed"
        return _refuse(f"there is not enough memory: {asked}")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except KeyboardInterrupt:
        note("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has enough (`| head`).
        _discard_output()
    except OSError as error:
        if error.errno in OUTPUT_FAILS and error.filename is None:
            _discard_output()
            return _refuse(f"the output cannot be written: {error.strerror}")
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        return _refuse(f"{where}{error.strerror or error}")
    except Exception as error:
        return _report(error)
    finally:
        _words.reset(token)
    return 0


def _discard_output() -> None:
    """Let what is still buffered go nowhere when Python ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(sentence: str) -> int:
    note(f"plyground: {plain_text(sentence, LONGEST_SENTENCE)}")
    return BAD_INPUT


def _report(error: Exception) -> int:
    """Tell of an error that nobody has expected, and write what is known of it to a file."""
    what = plain_text("".join(traceback.format_exception_only(error)))
    known = f"plyground {__version__}, Python {sys.version}, {sys.platform}\n{same_command()}\n\n"
    told = f"an error that should not happen: {what}"
    try:
        descriptor, name = tempfile.mkstemp(".txt", "plyground-error-")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(known + "".join(traceback.format_exception(error)))
    except OSError:
        note(f"plyground: {told}")
        return FAILED
    note(f"plyground: {told}. Please report it, with the file {name}")
    return FAILED


def _sentence(error: CycloptsError) -> str:
    if isinstance(error, UnusedCliTokensError):
        unused = shlex.join(error.unused_tokens or [])
        return f"there are more arguments than this command takes: {unused}"
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        name, words = error.keyword or error.argument.name, " ".join(error.command_chain or ())
        if name in given_options():
            return f"{name} needs a value; plyground {words} --help explains it"
        return f"{words} needs {name}; plyground {words} --help explains it"
    text = " ".join(str(error).split())
    return text[:1].lower() + (text[1:] if text.endswith("...") else text[1:].removesuffix("."))


@contextmanager
def missing_packages_are_refused() -> Iterator[None]:
    """An optional package that is not installed is bad input: the error names what to install."""
    try:
        yield
    except ImportError as error:
        raise SpecificationError(str(error)) from None


# -- the command line as it was given --


def given_options() -> set[str]:
    """The options that stand on the command line, such as ``--seed``."""
    return {word.partition("=")[0] for word in _words.get() if word.startswith("--")}


def same_command(flag: str = "", *, given: bool = True) -> str:
    """The command line as it was given.

    Args:
        flag: an option without a value that is added to it, or left out of it.
        given: whether it is added.
    """
    words = [word for word in _words.get() if word != flag]
    if flag and given:
        end = words.index("--") if "--" in words else len(words)
        words.insert(end, flag)
    return f"plyground {shlex.join(words)}"
