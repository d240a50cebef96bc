"""Many parallel visitors: the time of every move, and the server's memory over many games.

    python benchmarks/extras/web/load.py --sessions 50 --games 2000

Each session plays games of caro 10x10 against an agent over HTTP: it requests the agent's move,
then plays a random legal action. The time of a move is from the request to the answer, including
the queue. ``--pause`` is the thinking time of a visitor. The server has two search processes
on every machine. They load this agent only: a warm-up with the other games' opponents would add
their time and their memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import time
from typing import Any

import httpx
import psutil

GAME, MIB = "gomoku:size=10,rule=caro", 1 << 20
PATIENCE = 600.0  # seconds for an answer on a busy machine


def memory_of(process: psutil.Process) -> float:
    """Resident MiB of the server and its processes."""
    processes = [process, *process.children(recursive=True)]
    return sum(each.memory_info().rss for each in processes) / MIB


async def ask(client: httpx.AsyncClient, method: str, path: str, **content: object) -> str:
    """The text of an answer; a visitor who asks too often waits as long as the server says."""
    while True:
        answer = await client.request(method, path, **content)
        if answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
            break
        await asyncio.sleep(float(answer.headers["retry-after"]))
    if answer.is_error:
        raise RuntimeError(f"{path}: {answer.text}")
    return answer.text


async def agent_move(client: httpx.AsyncClient, query: dict[str, str]) -> dict[str, Any]:
    """The view after the agent's action."""
    text = await ask(client, "GET", "/api/think", params=query)
    kind, data = re.findall(r"event: (\w+)\ndata: (.*)\n", text)[-1]
    if kind != "move":
        raise RuntimeError(data)
    return json.loads(data)["view"]


async def play(
    client: httpx.AsyncClient, args: argparse.Namespace, seed: int, times: list[float]
) -> None:
    """One game; adds the times of the agent's moves."""
    rng = random.Random(seed)
    view = json.loads(await ask(client, "POST", "/api/view", json={"game": GAME, "moves": []}))
    while not view["over"]:
        if view["to_move"] == 1:
            began = time.perf_counter()
            query = {"game": GAME, "agent": args.agent, "moves": view["link"], "seed": str(seed)}
            view = await agent_move(client, query)
            times.append(time.perf_counter() - began)
        else:
            await asyncio.sleep(args.pause * rng.uniform(0.5, 1.5))
            action = rng.choice(view["actions"])["action"]
            content = {"game": GAME, "moves": view["moves"], "action": action}
            view = json.loads(await ask(client, "POST", "/api/play", json=content))


async def load(address: str, args: argparse.Namespace, server: psutil.Process) -> dict[str, object]:
    """Play all games; returns the times and the memory."""
    left, times, memory = list(range(args.games)), [], []

    async def session() -> None:
        async with httpx.AsyncClient(base_url=address, timeout=PATIENCE) as client:
            await client.get("/static/icon.svg")  # the session's cookie
            while left:
                await play(client, args, left.pop(), times)
                if left and len(left) % max(1, args.games // 20) == 0:
                    memory.append(round(memory_of(server)))
                    print(f"{len(left)} games left, {memory[-1]} MiB", file=sys.stderr, flush=True)

    await asyncio.gather(*(session() for _ in range(args.sessions)))
    memory.append(round(memory_of(server)))
    sorted_times = sorted(times)
    return {
        "games": args.games,
        "moves": len(times),
        "median": round(statistics.median(sorted_times), 3),
        "p99": round(sorted_times[int(0.99 * len(sorted_times))], 3),
        "slowest": round(sorted_times[-1], 3),
        "memory_mib": memory,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--agent", default="medium")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds a visitor thinks")
    args = parser.parse_args()
    words = [sys.executable, "-m", "plyground.cli", "web", "--port", "0"]
    words += ["--workers", "2", "--no-warm-up"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        address = re.search(r"http://[\w.:]+", process.stdout.readline())[0]
        try:
            with httpx.Client(base_url=address, timeout=PATIENCE) as client:  # compiled and loaded
                client.get("/api/think", params={"game": GAME, "agent": args.agent})
            result = asyncio.run(load(address, args, psutil.Process(process.pid)))
        finally:
            process.terminate()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
