"""Checks of every request, and the headers of every response."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import socket
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import Request
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from .errors import Refusal
from .sessions import Sessions
from .settings import LONGEST_BODY
from .state import words_for
from .wording.words import Words

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

COOKIE = "plyground"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
LOCAL = ("127.0.0.1", "localhost", "::1")
EVERY_ADDRESS = ("0.0.0.0", "::")
LONGEST_HOST = 100  # characters of a name quoted in a refusal
WORK = ("/api/", "/export/")  # prefixes of paths whose response is expensive even if it is not read
BODY_SECONDS = 15.0  # for the arrival of a whole request
# The trusted proxies: those on this machine, or the addresses in this variable.
TRUSTED = "FORWARDED_ALLOW_IPS"
THIS_MACHINE = "127.0.0.1,::1"


class Guard:
    """Wraps the application.

    Args:
        app: the application.
        sessions: the sessions; a request's session is put into its ``state``.
        hosts: the host names of the server; others are refused, against DNS rebinding.
        any_address: whether all IP addresses are accepted besides these names.
    """

    def __init__(
        self, app: App, sessions: Sessions, hosts: tuple[str, ...], any_address: bool = False
    ) -> None:
        self._app, self._sessions = app, sessions
        self._hosts, self._any_address = hosts, any_address

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope)
        wrong, admitted = self._wrong(request.headers), None
        if wrong is None:
            client = (scope.get("client") or [""])[0]
            admitted = self._sessions.admit(request.cookies.get(COOKIE), client)
        if admitted is None:
            await _refuse(send, wrong or Refusal("often", 429), words_for(request))
            return
        name, session, is_new = admitted
        scope.setdefault("state", {})["session"] = session
        only_head = scope["method"] == "HEAD" and not scope["path"].startswith(WORK)
        if only_head:
            scope = {**scope, "method": "GET"}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(HEADERS)
                if is_new:
                    secure = "; Secure" if scope.get("scheme") == "https" else ""
                    cookie = f"{COOKIE}={name}; Path=/; HttpOnly; SameSite=Strict{secure}"
                    headers.append((b"set-cookie", cookie.encode()))
                message["headers"] = [*message.get("headers", ()), *headers]
            elif only_head:
                message = {**message, "body": b""}
            await send(message)

        await self._app(scope, limit_time(receive), send_with_headers)

    def _wrong(self, headers: Headers) -> Refusal | None:
        """The reason to refuse a request, if any."""
        host = headers.get("host", "").lower()
        if not self._is_own(_name_of(host)):
            return Refusal("host", 421, host=_name_of(host)[:LONGEST_HOST])
        origin = headers.get("origin", "").lower()
        if origin and origin not in (f"http://{host}", f"https://{host}"):
            return Refusal("origin", 403)
        other_site = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if other_site and headers.get("sec-fetch-mode") != "navigate":
            return Refusal("origin", 403)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > LONGEST_BODY:
            return Refusal("long_request", 413, most=LONGEST_BODY)
        return None

    def _is_own(self, name: str) -> bool:
        """Whether a host name or address is accepted."""
        if name in self._hosts:
            return True
        try:  # an IP address cannot be rebound by another site
            return self._any_address and bool(ipaddress.ip_address(name))
        except ValueError:
            return False


def guarded(app: App, sessions: Sessions, host: str, allow_hosts: tuple[str, ...] = ()) -> Guard:
    """An application with its guard.

    Args:
        app: the application.
        sessions: its sessions.
        host: the address that it listens on; if that means all addresses of the machine, the
            machine's name and every address are accepted.
        allow_hosts: further names.
    """
    anywhere = host in EVERY_ADDRESS
    own = socket.gethostname() if anywhere else host
    names = (_name_of(name.lower()) for name in (own, *allow_hosts))
    limited = RequestBodyLimitMiddleware(app, LONGEST_BODY)
    return Guard(limited, sessions, tuple(dict.fromkeys((*LOCAL, *names))), anywhere)


class ForwardedHeaders(ProxyHeadersMiddleware):
    """Takes address, scheme and host of a request from the headers of a trusted proxy.

    ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are uvicorn's work; ``X-Forwarded-Host`` replaces
    the header ``Host``.
    """

    def __init__(self, app: Any) -> None:
        super().__init__(app, os.environ.get(TRUSTED, THIS_MACHINE))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle a request as if it had come without the proxy."""
        client = scope.get("client")
        if scope["type"] == "http" and client and client[0] in self.trusted_hosts:
            hosts = [value for name, value in scope["headers"] if name == b"x-forwarded-host"]
            if hosts:
                nearest = hosts[-1].rpartition(b",")[2].strip()
                others = [header for header in scope["headers"] if header[0] != b"host"]
                scope = {**scope, "headers": [*others, (b"host", nearest)]}
        await super().__call__(scope, receive, send)


def _name_of(host: str) -> str:
    """The name in a header ``Host``, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, _ = host.rpartition(":")
    return (name if colon and ":" not in name else host).removesuffix(".")


def limit_time(receive: Receive) -> Receive:
    """``receive`` with a time limit for the body.

    Only waiting time counts: a busy server may read a request late.
    """
    whole, left = False, BODY_SECONDS

    async def limited() -> Message:
        nonlocal whole, left
        began = time.monotonic()
        try:
            message = await asyncio.wait_for(receive(), None if whole else left)
        except TimeoutError:
            raise HTTPException(408) from None
        left -= time.monotonic() - began
        whole = not message.get("more_body", False)
        return message

    return limited


async def _refuse(send: Send, refusal: Refusal, words: Words) -> None:
    """Respond with a sentence, without calling the application."""
    body = json.dumps(refusal.to_json(words), ensure_ascii=False).encode()
    headers = [
        *HEADERS,
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    if refusal.status == 429:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
