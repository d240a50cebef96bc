"""Sessions: who asks how much. They hold no games and are forgotten after an hour."""

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
HALF_LIFE = 60.0  # seconds after which half of the time that was spent is forgotten


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


class Asker:
    """Who asks: a browser, or all that comes from one address.

    Attributes:
        waiting: how many of its searches wait for a process or are under way.
        running: how many are under way.
        games: allows so many finished games to be kept.
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
        """The seconds that its searches have taken; what is long ago counts less."""
        return float(self._spent * 0.5 ** ((time.monotonic() - self._spent_at) / HALF_LIFE))


class Session(Asker):
    """A visitor's browser, and the address that it asks from."""

    def __init__(self, address: Asker) -> None:
        super().__init__(REQUESTS_AT_ONCE, REQUESTS_A_SECOND)
        self.address: Asker = address


class _Address(Asker):
    """An address. What it asks without a cookie counts as one session."""

    def __init__(self) -> None:
        super().__init__(ADDRESS_AT_ONCE, ADDRESS_A_SECOND)
        self.without_cookie = Session(self)


class Sessions:
    """All sessions by their names, the one that asked last at the end; their addresses likewise."""

    def __init__(self) -> None:
        self._by_name: OrderedDict[str, Session] = OrderedDict()
        self._addresses: OrderedDict[str, _Address] = OrderedDict()
        self._all = Bucket(ALL_AT_ONCE, ALL_A_SECOND)

    def __len__(self) -> int:
        return len(self._by_name)

    def admit(self, name: str | None, client: str = "") -> tuple[str, Session, bool] | None:
        """The session of a request; None if it is beyond the limits, and is not answered.

        Only what is answered gets a session, or a place among the addresses, at the cost of those
        that have not asked for longest.

        Args:
            name: the session's name, if the request has a cookie.
            client: the address that it comes from.

        Returns:
            the name, the session, and whether the name is a new one, for the next requests.
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
    """The address, or the network of one that has as many addresses as it likes (IPv6, /64)."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv4Address) or address.ipv4_mapped:
        return client
    return address.packed[:8].hex()


def _keep(askers: OrderedDict[str, AskerType], name: str, asker: AskerType) -> None:
    """Put who asks at the end; where there are too many, who has not asked for longest goes."""
    askers[name] = asker
    askers.move_to_end(name)
    if len(askers) > MOST_SESSIONS:
        askers.popitem(last=False)


def _expire(askers: OrderedDict[str, AskerType]) -> None:
    """Forget who has not asked for long."""
    oldest = time.monotonic() - SESSION_SECONDS
    while askers and next(iter(askers.values())).last_request < oldest:
        askers.popitem(last=False)
