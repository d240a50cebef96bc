"""Sessions, for rate limits. They contain no games and expire after an hour."""

from __future__ import annotations

import ipaddress
import secrets
import time
from collections import OrderedDict
from typing import TypeVar

from .settings import (
    ADDRESS_A_SECOND,
    ADDRESS_AT_ONCE,
    ALL_A_SECOND,
    ALL_AT_ONCE,
    GAMES_A_SECOND,
    GAMES_AT_ONCE,
    MOST_SESSIONS,
    REQUESTS_A_SECOND,
    REQUESTS_AT_ONCE,
    SESSION_SECONDS,
)

NAME_BYTES = 16
AskerType = TypeVar("AskerType", bound="Asker")
HALF_LIFE = 60.0  # seconds after which half of the used time is forgotten


class Bucket:
    """A token bucket: ``size`` requests at once, ``rate`` per second in the long run."""

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


class Asker:
    """A browser, or all requests from one address.

    Attributes:
        waiting: the number of its searches, waiting or running.
        running: the number of running ones.
        games: the limit on storing finished games.
    """

    def __init__(self, at_once: float, a_second: float) -> None:
        self.last_request: float = time.monotonic()
        self.waiting = self.running = 0
        self.games: Bucket = Bucket(GAMES_AT_ONCE, GAMES_A_SECOND)
        self._bucket = Bucket(at_once, a_second)
        self._spent, self._spent_at = 0.0, 0.0

    def may_ask(self) -> bool:
        """Whether it may make a request now."""
        self.last_request = time.monotonic()
        return self._bucket.take()

    def spend(self, seconds: float) -> None:
        """Count the time of a search."""
        self._spent, self._spent_at = self.spent + seconds, time.monotonic()

    @property
    def spent(self) -> float:
        """The seconds used by its searches, with exponential decay."""
        return float(self._spent * 0.5 ** ((time.monotonic() - self._spent_at) / HALF_LIFE))


class Session(Asker):
    """A visitor's browser, with its address."""

    def __init__(self, address: Asker) -> None:
        super().__init__(REQUESTS_AT_ONCE, REQUESTS_A_SECOND)
        self.address: Asker = address


class _Address(Asker):
    """An address. Its requests without a cookie count as one session."""

    def __init__(self) -> None:
        super().__init__(ADDRESS_AT_ONCE, ADDRESS_A_SECOND)
        self.without_cookie = Session(self)


class Sessions:
    """All sessions by name, the most recent one last, and their addresses in the same way."""

    def __init__(self) -> None:
        self._by_name: OrderedDict[str, Session] = OrderedDict()
        self._addresses: OrderedDict[str, _Address] = OrderedDict()
        self._all = Bucket(ALL_AT_ONCE, ALL_A_SECOND)

    def __len__(self) -> int:
        return len(self._by_name)

    def admit(self, name: str | None, client: str = "") -> tuple[str, Session, bool] | None:
        """The session of a request; None if it exceeds the limits and is refused.

        Only accepted requests get a session or an entry of their address, which may replace the
        least recent ones.

        Args:
            name: the session's name, if the request has a cookie.
            client: the client's address.

        Returns:
            the name, the session, and whether the name is new, for the next requests.
        """
        _expire(self._by_name)
        _expire(self._addresses)
        place = _network(client)
        address = self._addresses.get(place) or _Address()
        old = None if name is None else self._by_name.get(name)
        session = old or address.without_cookie
        session.address = address
        if not (session.may_ask() and address.may_ask() and self._all.take()):
            return None
        _keep(self._addresses, place, address)
        if name is None or old is None:
            name = secrets.token_urlsafe(NAME_BYTES)
        _keep(self._by_name, name, old or Session(address))
        return name, session, old is None


def _network(client: str) -> str:
    """The address, or for IPv6 its /64 network, since a client can use any address in it."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv4Address) or address.ipv4_mapped:
        return client
    return address.packed[:8].hex()


def _keep(askers: OrderedDict[str, AskerType], name: str, asker: AskerType) -> None:
    """Move an entry to the end; if there are too many, drop the least recent one."""
    askers[name] = asker
    askers.move_to_end(name)
    if len(askers) > MOST_SESSIONS:
        askers.popitem(last=False)


def _expire(askers: OrderedDict[str, AskerType]) -> None:
    """Drop expired entries."""
    oldest = time.monotonic() - SESSION_SECONDS
    while askers and next(iter(askers.values())).last_request < oldest:
        askers.popitem(last=False)
