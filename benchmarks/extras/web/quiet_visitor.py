"""A quiet visitor's response times and errors while hundreds of sessions request moves.

    python benchmarks/extras/web/quiet_visitor.py --sessions 500 --seconds 60

The sessions share twenty addresses. Each repeatedly requests the view of a position and a move of
``random``. The visitor has a separate address and sends a request every second. ``--package`` names
the folder of another checkout to serve, for a comparison.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from urllib.parse import urlencode

GAME = "connect_four"
VISITOR, FIRST = "127.0.0.1", "127.0.0.2"  # the measured visitor; one that warms up
ADDRESSES = 20  # of the crowd
PATIENCE = 90.0  # seconds for an answer
QUERY = {"game": GAME, "agent": "random", "moves": "dd"}
VIEW = json.dumps({"game": GAME, "moves": ["d", "d"]})


async def fetch(port: int, place: str, request: str, body: str = "") -> str:
    """The whole answer to a request from an address."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(place, 0))
    try:
        head = f"{request} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
        length = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{head}{length if body else ''}\r\n{body}".encode())
        return (await reader.read()).decode()
    finally:
        writer.close()


async def ask(port: int, place: str) -> str:
    """How asking for a view and for a move has ended: ``answered``, or how not."""
    try:
        async with asyncio.timeout(PATIENCE):
            view = await fetch(port, place, "POST /api/view", VIEW)
            move = await fetch(port, place, f"GET /api/think?{urlencode(QUERY)}")
    except (OSError, TimeoutError) as error:
        return type(error).__name__
    for answer in (view, move):
        status = answer[9:12]
        if status != "200":
            return status or "nothing"
    if "event: move" in move:
        return "answered"
    refused = re.search(r'event: error.*"status": (\d+)', move, re.DOTALL)
    return refused[1] if refused else "broken stream"


async def asking(port: int, place: str, until: float, times: list[float]) -> Counter[str]:
    """One session, until the time is over: how its questions ended."""
    ends = Counter[str]()
    while time.time() < until:
        began = time.perf_counter()
        ends[await ask(port, place)] += 1
        times.append(time.perf_counter() - began)
        await asyncio.sleep(1)
    return ends


async def crowd(port: int, sessions: int, until: float) -> Counter[str]:
    """The many."""
    places = (f"127.1.0.{1 + number % ADDRESSES}" for number in range(sessions))
    ends = await asyncio.gather(*(asking(port, place, until, []) for place in places))
    return sum(ends, Counter[str]())


def measure(port: int, sessions: int, seconds: float) -> dict[str, object]:
    """Run all in parallel; the crowd is in another process."""
    until, times = time.time() + seconds, list[float]()
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        others = pool.submit(run_crowd, port, sessions, until)
        own = asyncio.run(asking(port, VISITOR, until, times))
        return {
            "visitor": dict(own),
            "median": round(statistics.median(times), 3),
            "slowest": round(max(times), 3),
            "others": dict(others.result()),
        }


def run_crowd(port: int, sessions: int, until: float) -> Counter[str]:
    """The main function of the crowd's process."""
    return asyncio.run(crowd(port, sessions, until))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--package", help="folder in which plyground is found")
    args = parser.parse_args()
    words = [sys.executable, "-m", "plyground.cli", "web", "--port", "0", "--workers", "2"]
    environment = os.environ | ({"PYTHONPATH": args.package} if args.package else {})
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
        ) as process,
    ):
        try:
            port = int(re.search(r"http://[\w.]+:(\d+)", process.stdout.readline())[1])
            asyncio.run(ask(port, FIRST))
            result = measure(port, args.sessions, args.seconds)
        finally:
            process.terminate()
            process.wait()
        errors.seek(0)
        lines = len(errors.readlines())
    print(json.dumps(result | {"lines logged": lines, "load": os.getloadavg()[0]}))


if __name__ == "__main__":
    main()
