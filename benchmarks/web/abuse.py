"""What one visitor waits for and the server's memory while five others abuse the pages.

    python benchmarks/web/abuse.py --seconds 60

The five have addresses of their own (127.0.0.2 to 127.0.0.6). One exports long games as animations
and leaves, one has games reviewed, one fills the queue with searches, one asks without cookies, one
reads and writes as slowly as it can. The visitor asks ``random`` for a move every second.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import httpx
import psutil
from load import MIB, PATIENCE, asked_move
from plyground import make_game

GAME, PLIES, AT_ONCE, SLOW_CONNECTIONS = "gomoku", 200, 30, 100
SLOW_SEARCH = {"game": GAME, "agent": "alphabeta:time=10"}


def long_game() -> str:
    """The moves of a game that goes on."""
    rng, position, names = random.Random(1), make_game(GAME).initial_position(), []
    while len(names) < PLIES:
        action = rng.choice(position.legal_actions())
        after = position.after(action)
        if not after.is_over:
            names.append(position.game.action_to_text(action))
            position = after
    return ",".join(names)


def abuses(moves: str) -> list[Callable[[httpx.AsyncClient], Awaitable[object]]]:
    """What each of the five does again and again; most leave before they are answered."""

    def leave(path: str, query: dict[str, str]) -> Callable[[httpx.AsyncClient], Awaitable[object]]:
        return lambda client: client.get(path, params=query, timeout=random.uniform(0.5, 20))

    async def without_cookie(client: httpx.AsyncClient) -> None:
        client.cookies.clear()
        await client.get("/api/think", params=SLOW_SEARCH, timeout=30)

    async def slowly(client: httpx.AsyncClient) -> None:
        target, local = urlsplit(str(client.base_url)), ("127.0.0.6", 0)
        _, writer = await asyncio.open_connection(target.hostname, target.port, local_addr=local)
        writer.write(f"POST /api/view HTTP/1.1\r\nHost: {target.netloc}\r\n".encode())
        writer.write(b"Content-Length: 30000\r\n\r\n")
        for _ in range(60):
            writer.write(b" ")
            await asyncio.sleep(1)
        writer.close()

    record = {"game": GAME, "moves": moves}
    return [
        leave("/export/game.gif", record),
        leave("/api/review", record),
        leave("/api/think", SLOW_SEARCH),
        without_cookie,
        slowly,
    ]


async def repeated(
    abuse: Callable[[httpx.AsyncClient], Awaitable[object]], address: str, own: str, until: float
) -> int:
    """One abuse again and again from an address; how many were tried."""
    transport = httpx.AsyncHTTPTransport(local_address=own)
    async with httpx.AsyncClient(base_url=address, transport=transport) as client:
        for count in itertools.count():
            if time.monotonic() > until:
                return count
            with contextlib.suppress(httpx.HTTPError, OSError):
                await abuse(client)
            await asyncio.sleep(0.05)
    raise AssertionError("unreachable")


async def measured(
    address: str, seconds: float, server: psutil.Process, abused: bool
) -> dict[str, object]:
    """The visitor's times and the largest memory."""
    until, times, memory = time.monotonic() + seconds, [], []
    tasks = []
    if abused:
        for number, abuse in enumerate(abuses(long_game())):
            count = SLOW_CONNECTIONS if number == 4 else AT_ONCE
            own = f"127.0.0.{number + 2}"
            tasks += [
                asyncio.ensure_future(repeated(abuse, address, own, until)) for _ in range(count)
            ]
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE) as client:
        await client.get("/static/icon.svg")  # the session's cookie
        while time.monotonic() < until:
            began = time.perf_counter()
            await asked_move(client, {"game": GAME, "agent": "random"})
            times.append(time.perf_counter() - began)
            memory.append(memory_of(server))
            await asyncio.sleep(1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {
        "moves": len(times),
        "median": round(statistics.median(times), 3),
        "slowest": round(max(times), 3),
        "memory_mib": round(max(memory)),
    }


def memory_of(server: psutil.Process) -> float:
    """MiB of the server and its processes; pages that they share count once."""
    processes = [server, *server.children(recursive=True)]
    return sum(each.memory_full_info().pss for each in processes) / MIB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    words = [sys.executable, "-m", "plyground.cli", "web", "--port", "0"]
    words += ["--workers", str(args.workers)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        address = re.search(r"http://[\w.:]+", process.stdout.readline())[0]
        try:
            with httpx.Client(base_url=address, timeout=PATIENCE) as client:  # compiled and loaded
                client.get("/api/think", params={"game": GAME, "agent": "alphabeta:depth=2"})
            server = psutil.Process(process.pid)
            for name, abused in (("alone", False), ("abused", True)):
                seconds = args.seconds if abused else args.seconds / 4
                print(name, json.dumps(asyncio.run(measured(address, seconds, server, abused))))
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
