"""One visitor's response times and the server's memory while five others abuse the pages.

    python benchmarks/extras/web/abuse.py --seconds 60

The five have different addresses (127.0.0.2 to 127.0.0.6). One exports long games as animations and
disconnects, one requests reviews, one fills the queue with searches, one sends no cookies, one
reads and writes as slowly as possible. The visitor requests a move of ``random`` every second.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from multiprocessing import get_context
from urllib.parse import urlsplit

import httpx
import psutil
from load import MIB, PATIENCE, agent_move
from plyground import make_game

GAME, PLIES, AT_ONCE, SLOW_CONNECTIONS = "gomoku", 200, 30, 100
SLOW_SEARCH = {"game": GAME, "agent": "alphabeta:time=10"}


def long_game() -> str:
    """The moves of an unfinished game."""
    rng, position, names = random.Random(1), make_game(GAME).initial_position(), []
    while len(names) < PLIES:
        action = rng.choice(position.legal_actions())
        after = position.after(action)
        if not after.is_over:
            names.append(position.game.action_to_text(action))
            position = after
    return ",".join(names)


def abuses(moves: str) -> list[Callable[[httpx.AsyncClient], Awaitable[object]]]:
    """The repeated requests of each of the five; most disconnect before the answer."""

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
    abuse: Callable[[httpx.AsyncClient], Awaitable[object]], client: httpx.AsyncClient
) -> None:
    """One abuse again and again, until it is cancelled."""
    while True:
        with contextlib.suppress(httpx.HTTPError, OSError):
            await abuse(client)
        await asyncio.sleep(0.05)


async def abused(address: str) -> None:
    """The five at work, each from a different address."""
    async with contextlib.AsyncExitStack() as stack:
        tasks = []
        for number, abuse in enumerate(abuses(long_game()), 2):
            limits = httpx.Limits(max_connections=None)
            own = httpx.AsyncHTTPTransport(local_address=f"127.0.0.{number}", limits=limits)
            client = httpx.AsyncClient(base_url=address, transport=own)
            await stack.enter_async_context(client)
            count = SLOW_CONNECTIONS if number == 6 else AT_ONCE
            tasks += [repeated(abuse, client) for _ in range(count)]
        await asyncio.gather(*tasks)


def abuse(address: str) -> None:
    """The main function of the process of the five."""
    asyncio.run(abused(address))


async def measured(address: str, seconds: float, server: psutil.Process) -> dict[str, object]:
    """The visitor's times and the largest memory."""
    times: list[float] = []
    memory: list[float] = []
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE) as client:
        await client.get("/static/icon.svg")  # the session's cookie
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.perf_counter()
            await agent_move(client, {"game": GAME, "agent": "random"})
            times.append(time.perf_counter() - began)
            memory.append(memory_of(server))
            await asyncio.sleep(1)
    return {
        "moves": len(times),
        "median": round(statistics.median(times), 3),
        "slowest": round(max(times), 3),
        "memory_mib": round(max(memory)),
    }


def memory_of(server: psutil.Process) -> float:
    """MiB of the server and its processes; pages that they share count once."""
    total = 0
    for process in [server, *server.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):  # restarted meanwhile
            total += process.memory_full_info().pss
    return total / MIB


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
            print("alone", json.dumps(asyncio.run(measured(address, args.seconds / 4, server))))
            five = get_context("spawn").Process(target=abuse, args=(address,), daemon=True)
            five.start()
            time.sleep(args.seconds / 4)
            print("abused", json.dumps(asyncio.run(measured(address, args.seconds, server))))
            five.kill()
            time.sleep(5)
            print("after", json.dumps({"memory_mib": round(memory_of(server))}))
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
