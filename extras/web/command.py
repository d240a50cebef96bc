"""The command that serves the pages: ``web``."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from ...agents.human import refuse_people
from ...commands.app import command, missing_packages_are_refused
from ...commands.output import say
from ...envs.specification import SpecificationError
from ...evaluation.runners.agent_process import AgentProcess
from ...evaluation.store.store import Store
from .settings import ServerSettings

USUAL = ServerSettings()


@command(purpose="Start here", rank=0)
def web(*, settings: Annotated[ServerSettings, Parameter(name="*")] = USUAL) -> None:
    """Play, analyse and watch games in a browser.

    By default only this machine can open the page. With --host everyone who can reach that address
    can; 0.0.0.0 means all addresses of the machine. Access by host name needs --allow-host NAME,
    unless it is the machine's own name.

    [bold]Examples[/bold]

    plyground web

    plyground web --store games.db --agent policy:runs/c4

    plyground web --host 0.0.0.0 --allow-host games.example.org

    plyground web --behind-proxy --allow-host games.example.org
    """
    refuse_people(settings.agents, "the list of agents")
    _check_names(settings.host, settings.allow_hosts)
    if settings.store is not None:
        Store(settings.store).open().close()
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
