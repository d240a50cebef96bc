"""Whose request is answered next, where more come than can be answered at once."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import time
from collections.abc import AsyncIterator

from .sessions import Session


class Gate:
    """Lets requests in. Of those that wait, one goes first whose address took least time of late.

    Args:
        room: how many requests are answered at once.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, float, int, asyncio.Future[None]]] = []

    @contextlib.asynccontextmanager
    async def place(self, session: Session) -> AsyncIterator[None]:
        """Wait for a place, and keep it until the block ends; its time counts as the session's."""
        if self._room:
            self._room -= 1
        else:
            await self._wait(session)
        began = time.monotonic()
        try:
            yield
        finally:
            for asker in (session, session.address):
                asker.spend(time.monotonic() - began)
            self._free()

    async def _wait(self, session: Session) -> None:
        freed = asyncio.get_running_loop().create_future()
        rank = (session.address.spent, session.spent, next(self._numbers))
        heapq.heappush(self._waiting, (*rank, freed))
        try:
            await freed
        except asyncio.CancelledError:
            if not freed.cancelled():
                self._free()  # the place came at the same moment
            raise

    def _free(self) -> None:
        while self._waiting:
            freed = heapq.heappop(self._waiting)[-1]
            if not freed.done():  # its visitor has not gone
                freed.set_result(None)
                return
        self._room += 1
