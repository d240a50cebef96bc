"""Sessions: who asks how much. They hold no games and are forgotten after an hour."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict

from .settings import (
    ALL_A_SECOND,
    ALL_AT_ONCE,
    MOST_SESSIONS,
    REQUESTS_A_SECOND,
    REQUESTS_AT_ONCE,
    SESSION_SECONDS,
)

NAME_BYTES = 16


class Bucket:
    """A token bucket: ``size`` requests at once, ``rate`` a second in the long run."""

    def __init__(self, size: float, rate: float) -> None:
        self._size, self._rate = size, rate
        self._tokens, self._filled = size, time.monotonic()

    def take(self) -> bool:
        """Take a token; False if there is none."""
        now = time.monotonic()
        self._tokens = min(self._size, self._tokens + (now - self._filled) * self._rate)
        self._filled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Session:
    """A visitor's browser.

    Attributes:
        thinking: held by the search that is under way for it; there is one at a time.
        waiting: how many searches of it are under way or wait.
    """

    def __init__(self) -> None:
        self.last_request: float = time.monotonic()
        self.thinking: asyncio.Lock = asyncio.Lock()
        self.waiting = 0
        self._bucket = Bucket(REQUESTS_AT_ONCE, REQUESTS_A_SECOND)

    def may_ask(self) -> bool:
        """Whether it may make a request now."""
        self.last_request = time.monotonic()
        return self._bucket.take()


class Sessions:
    """All sessions by their names, the one that asked last at the end."""

    def __init__(self) -> None:
        self._by_name: OrderedDict[str, Session] = OrderedDict()
        self._all = Bucket(ALL_AT_ONCE, ALL_A_SECOND)

    def __len__(self) -> int:
        return len(self._by_name)

    def find(self, name: str | None) -> tuple[str, Session, bool]:
        """The session of a name, or a new one: its name, the session, whether it is new."""
        self._expire()
        if name is not None and name in self._by_name:
            self._by_name.move_to_end(name)
            return name, self._by_name[name], False
        new_name = secrets.token_urlsafe(NAME_BYTES)
        self._by_name[new_name] = Session()
        return new_name, self._by_name[new_name], True

    def may_ask(self, session: Session) -> bool:
        """Whether a request of a session is answered now."""
        return self._all.take() and session.may_ask()

    def _expire(self) -> None:
        oldest = time.monotonic() - SESSION_SECONDS
        while self._by_name:
            name, session = next(iter(self._by_name.items()))
            is_full = len(self._by_name) >= MOST_SESSIONS
            if session.last_request >= oldest and not is_full:
                break
            del self._by_name[name]
