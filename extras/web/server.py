"""The server: binds a port, reports its address, and runs until it is stopped."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable

import uvicorn

from ...envs.specification import SpecificationError
from ...evaluation.runners.agent_process import AgentProcess
from .app import make_app
from .settings import ServerSettings

# Longer than people think about a move: a connection closed during a request costs a retry.
KEEP_ALIVE_SECONDS = 60
STOP_SECONDS = 2  # for requests in progress when the server is stopped


class _Server(uvicorn.Server):
    """A server that stops without messages."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the searches, then the requests; interrupted ones are not errors."""
        logging.getLogger("uvicorn.error").disabled = True
        await self.lifespan.shutdown()
        await super().shutdown(sockets)


def serve(
    settings: ServerSettings, tell: Callable[[str], None], first: AgentProcess | None = None
) -> None:
    """Serve the pages until Ctrl-C.

    Args:
        settings: the settings.
        tell: called with the address once it is reachable.
        first: a search process that runs already, if any.

    Raises:
        SpecificationError: the address or the port is not available.
    """
    listening = _bind(settings.host, settings.port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{host}:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        make_app(settings, first),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        proxy_headers=False,
    )
    tell(address)
    _Server(config).run(sockets=[listening])


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise SpecificationError(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another port with --port"
        ) from None
    return listener
