"""The headers of a proxy that stands before the server: whom a request comes from, and to whom."""

from __future__ import annotations

import os
from typing import Any

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

# The proxies whose headers count: those on this machine, or the addresses of this variable.
TRUSTED = "FORWARDED_ALLOW_IPS"
THIS_MACHINE = "127.0.0.1,::1"


class ForwardedHeaders(ProxyHeadersMiddleware):
    """Takes address, scheme and host of a request from the headers of a trusted proxy.

    ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are uvicorn's work; ``X-Forwarded-Host`` replaces
    the header ``Host``.
    """

    def __init__(self, app: Any) -> None:
        super().__init__(app, os.environ.get(TRUSTED, THIS_MACHINE))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request as if it had come without the proxy."""
        client = scope.get("client")
        if scope["type"] == "http" and client and client[0] in self.trusted_hosts:
            hosts = [value for name, value in scope["headers"] if name == b"x-forwarded-host"]
            if hosts:
                nearest = hosts[-1].rpartition(b",")[2].strip()
                others = [header for header in scope["headers"] if header[0] != b"host"]
                scope = {**scope, "headers": [*others, (b"host", nearest)]}
        await super().__call__(scope, receive, send)
