"""What a process and its workers say to each other: calls of methods, and what comes of them.

A worker serves one object. Every message is pickled and follows the number of the call that it
belongs to, in eight bytes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
from multiprocessing.connection import Connection
from multiprocessing.pool import ExceptionWithTraceback  # type: ignore[attr-defined]
from typing import Any, NamedTuple, Self

from ...agents.faults import EXITED, Fault
from ...envs.specification import SpecificationError

NUMBER = struct.Struct("!Q")


class AgentCall(NamedTuple):
    """A request: a method of the worker's object is to be called."""

    method: str
    arguments: tuple[Any, ...] = ()


class Start(NamedTuple):
    """Before the result, at most once: all is loaded and compiled, and the call's time begins."""


class SearchProgress(NamedTuple):
    """Before the result, any number of times: what the method reports."""

    value: Any


class Result(NamedTuple):
    """The value that the method has returned."""

    value: Any


class Failure(NamedTuple):
    """What went wrong, in place of a result.

    Attributes:
        kind: a kind of fault; None for a bad specification and for an unexpected error.
        text: the message.
        pickle: the unexpected error with its trace.
    """

    kind: str | None
    text: str
    pickle: bytes | None = None

    @classmethod
    def of(cls, error: Exception) -> Self:
        text = str(error).encode(errors="replace").decode()
        if isinstance(error, (Fault, SpecificationError)):
            return cls(error.kind if isinstance(error, Fault) else None, text)
        text = f"{type(error).__name__}: {text}"
        with contextlib.suppress(Exception):  # there are errors that cannot be pickled
            return cls(None, text, pickle.dumps(ExceptionWithTraceback(error, error.__traceback__)))
        return cls(None, text, b"")

    @property
    def error(self) -> Exception:
        """The error, to be raised on this side."""
        if self.pickle is None:
            return (
                SpecificationError(self.text) if self.kind is None else Fault(self.kind, self.text)
            )
        with contextlib.suppress(Exception):
            error = pickle.loads(self.pickle)
            if isinstance(error, Exception):
                return error
        return RuntimeError(self.text)


Answer = Start | SearchProgress | Result | Failure


class Service:
    """An object whose methods another process calls."""

    def __init__(self) -> None:
        self._connection: Connection | None = None
        self._number = b""  # of the call under way

    def serve(self, connection: Connection) -> None:
        """Answer calls until the other end of the connection is closed: an EOFError or OSError.

        A process that an agent forks has no part in this: it neither hears calls nor answers them.
        """
        own_pid, self._connection = os.getpid(), connection
        os.register_at_fork(after_in_child=connection.close)
        while True:
            frame = connection.recv_bytes()
            self._number = frame[: NUMBER.size]
            answer = self.answer(pickle.loads(frame[NUMBER.size :]))
            if os.getpid() != own_pid:  # forked where Python did not see it
                os._exit(0)
            connection.send_bytes(self._number + answer)

    def answer(self, call: AgentCall) -> bytes:
        """The pickled answer to a call."""
        try:
            return self.result(call)
        except Exception as error:
            return pickle.dumps(Failure.of(error))

    def result(self, call: AgentCall) -> bytes:
        """The pickled result of a call; raises what its method raises."""
        return pickle.dumps(Result(getattr(self, call.method)(*call.arguments)))

    def report(self, message: Start | SearchProgress) -> None:
        """Send a message before the answer."""
        assert self._connection is not None
        self._connection.send_bytes(self._number + pickle.dumps(message))


def call_frame(number: int, method: str, *arguments: Any) -> bytes:
    """A call as it is sent."""
    return NUMBER.pack(number) + pickle.dumps(AgentCall(method, arguments))


def number_of(frame: bytes) -> int | None:
    """The number of the call that an answer belongs to; None where it is no answer."""
    return NUMBER.unpack_from(frame)[0] if len(frame) >= NUMBER.size else None


def read_answer(frame: bytes) -> Answer:
    """The answer that a worker has sent.

    Raises:
        Fault: it cannot be read, as when an agent has written it.
    """
    with contextlib.suppress(Exception):  # unpickling may raise anything
        answer = pickle.loads(frame[NUMBER.size :])
        if isinstance(answer, Answer):
            return answer
    raise Fault(EXITED, "sent an answer that cannot be read")
