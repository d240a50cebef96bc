"""The command that serves the pages: ``web``."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

from ...agents.human import refuse_people
from ...commands.app import command, missing_packages_are_refused
from ...commands.common import flag, option
from ...commands.output import say
from ...envs.specification import SpecificationError
from ...evaluation.runners.agent_process import AgentProcess
from ...evaluation.store.store import Store
from .settings import ServerSettings


@command(purpose="Start here", rank=0)
def web(
    *,
    port: Annotated[int, option("N", "Port; 0: any free port.", low=0, high=65535)] = 8000,
    host: Annotated[str, option("ADDRESS", "Address to listen on.")] = "127.0.0.1",
    allow_host: Annotated[
        tuple[str, ...],
        option("NAME", "A further host name under which visitors reach the server."),
    ] = (),
    behind_proxy: Annotated[
        bool, flag("Trust the X-Forwarded-… headers of a proxy on this machine.")
    ] = False,
    store: Annotated[
        Path | None, option("FILE", "Store of finished games, also shown on the pages.")
    ] = None,
    agent: Annotated[
        tuple[str, ...],
        option("AGENT", "An agent that reads files or starts programs, available to all visitors."),
    ] = (),
    workers: Annotated[
        int | None,
        option("N", "Number of search processes (default: one per processor).", low=1, high=64),
    ] = None,
    no_warm_up: Annotated[bool, flag("Load agents at their first use, not in advance.")] = False,
) -> None:
    """Play, analyse and watch games in a browser.

    By default only this machine can open the page. With --host everyone who can reach that address
    can; 0.0.0.0 means all addresses of the machine. Access by host name needs --allow-host NAME,
    unless it is the machine's own name.

    [bold]Examples[/bold]

    plyground web

    plyground web --store games.db --agent ppo:runs/c4

    plyground web --host 0.0.0.0 --allow-host games.example.org

    plyground web --behind-proxy --allow-host games.example.org
    """
    refuse_people(agent, "the list of agents")
    _check_names(host, allow_host)
    if store is not None:
        Store(store).open().close()
    settings = ServerSettings(
        host=host,
        port=port,
        allow_hosts=allow_host,
        behind_proxy=behind_proxy,
        store=store,
        agents=agent,
        presets_first=not no_warm_up,
    )
    if workers is not None:
        settings = dataclasses.replace(settings, workers=workers)
    _serve(settings)


def _check_names(host: str, allow_host: tuple[str, ...]) -> None:
    if not host:
        raise SpecificationError("the address to listen on is empty; omit --host")
    for name in allow_host:
        if not name or set(name) & set("/*@ "):
            raise SpecificationError(
                f"--allow-host {name!r} is not a host name, such as games.example.org"
            )


def _serve(settings: ServerSettings) -> None:
    # It loads the agents' dependencies while this process loads the pages.
    first = AgentProcess(settings.conditions)
    first.start()
    try:
        with missing_packages_are_refused():
            try:
                from .server import serve
            except ImportError as error:
                raise ImportError(
                    f'the pages need {error.name}: pip install "plyground[web]"'
                ) from None
        serve(settings, _tell, first)
    finally:
        first.close()


def _tell(address: str) -> None:
    say(f"plyground is at {address} (Ctrl-C stops it)")
    sys.stdout.flush()  # a reader behind a pipe waits for the address
