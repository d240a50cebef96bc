"""``llm:MODEL,url=…``: language models as agents, asked through an OpenAI-compatible endpoint.

The model gets the position as text with its legal moves, and answers with a move. After an answer
without a legal move it is told the reason and asked again; after ``retries`` of these the agent
raises an error, and a match counts the game as forfeited.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import urllib.error
import urllib.request
from typing import Any

from ...agents.agent import REACHES_THE_NETWORK, Agent
from ...agents.bots import short_seed
from ...agents.decision import Decision
from ...agents.registry import register_agent
from ...envs.game import Position
from ...envs.specification import Parameter, SpecificationError
from .adapters.prompts import describe, read_move

KEY_VARIABLE, ADDRESS_VARIABLE = "OPENAI_API_KEY", "OPENAI_BASE_URL"
USUAL_ADDRESS = "https://api.openai.com/v1"  # the key's host if the variable is not set
SYSTEM = (
    "You play a board game. You are shown the position and the legal moves. Think as long as you "
    "like; the last line of your answer is the move alone, written exactly as it is listed."
)


class LanguageModelError(RuntimeError):
    """The model gave no legal move, or could not be reached."""


@register_agent("llm")
class LanguageModelAgent(Agent):
    """Asks a language model for each move.

    The key of the endpoint, if it needs one, is read from the environment variable
    ``OPENAI_API_KEY``. The address may come from an untrusted file, such as a store. So the key is
    sent only to the host of ``OPENAI_BASE_URL`` (by default OpenAI's), and over plain http only to
    this machine.

    Attributes:
        tokens: the tokens of all answers so far, read and written, as the endpoint counts them.
        asked: the number of requests to the model.
    """

    summary = "a language model: llm:MODEL,url=http://localhost:8000/v1 (OpenAI-compatible)"
    parameters = (
        Parameter("model", str, None, "name of the model at the endpoint"),
        Parameter(
            "url", str, "http://localhost:8000/v1", "the endpoint, without /chat/completions"
        ),
        Parameter("retries", int, 2, "retries after an illegal answer", 0, 100),
        Parameter("tokens", int, 1024, "maximum tokens of an answer", 1, 10**6),
        Parameter("timeout", float, 60.0, "timeout of an answer in seconds", 0.01, 86400),
    )
    argument = "model"
    usage = "MODEL,url=http://HOST:PORT/v1"
    isolated = foreign = True
    effect = REACHES_THE_NETWORK
    uses_tokens = True

    def check_options(self) -> None:
        """Refuse an invalid address."""
        if not re.match(r"https?://", self.options["url"]):
            raise SpecificationError(
                f"url={self.options['url']} is not an address; use http:// or https://"
            )
        self.tokens = (0, 0)
        self.asked = 0

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        self.tokens_of_game = 0

    def decide(self, position: Position) -> Decision:
        """Ask until the model gives a legal move.

        Raises:
            LanguageModelError: it gave none, or the endpoint could not be reached.
        """
        messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": describe(position)},
        ]
        for _ in range(1 + self.options["retries"]):
            answer = self._ask(messages)
            action, complaint = read_move(position, answer)
            if action is not None:
                return Decision(action)
            messages += [
                {"role": "assistant", "content": answer},
                {"role": "user", "content": complaint},
            ]
        raise LanguageModelError(f"{self.options['model']} gave no legal move: {complaint}")

    def _ask(self, messages: list[dict[str, str]]) -> str:
        """The model's answer to a conversation."""
        options = self.options
        body = {
            "model": options["model"],
            "messages": messages,
            "temperature": 0.0,
            "max_tokens": options["tokens"],
            "seed": short_seed(self.seed + self.asked) >> 1,
        }
        headers = {"Content-Type": "application/json"}
        address = options["url"].rstrip("/") + "/chat/completions"
        request = urllib.request.Request(address, json.dumps(body).encode(), headers)
        key = os.environ.get(KEY_VARIABLE)
        withheld = _withheld(request) if key else ""
        if key and not withheld:  # a redirect to another host must not get it
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        self.asked += 1
        try:
            with urllib.request.urlopen(request, timeout=options["timeout"]) as response:
                reply: Any = json.load(response)
            answer = reply["choices"][0]["message"]["content"]
        except urllib.error.HTTPError as error:
            refused = withheld if error.code in (401, 403) else ""
            raise LanguageModelError(
                f"{address} answered with status {error.code}{refused}"
            ) from None
        except (OSError, ValueError, LookupError, TypeError) as error:
            reason = getattr(error, "reason", None) or error
            raise LanguageModelError(f"{address} could not be reached: {reason}") from None
        usage = reply.get("usage") or {}
        prompt, completion = (
            int(usage.get(f"{kind}_tokens", 0)) for kind in ("prompt", "completion")
        )
        self.tokens = (self.tokens[0] + prompt, self.tokens[1] + completion)
        self.tokens_of_game += prompt + completion
        return str(answer or "")


def _withheld(request: urllib.request.Request) -> str:
    """Why the key is not sent with a request; empty if it is sent.

    Raises:
        LanguageModelError: the address in the variable is invalid.
    """
    try:
        own = urllib.request.Request(os.environ.get(ADDRESS_VARIABLE) or USUAL_ADDRESS)
    except ValueError as error:
        raise LanguageModelError(f"{ADDRESS_VARIABLE} is not an address: {error}") from None
    if _place(request) != _place(own):
        return f"; the key of {KEY_VARIABLE} is for {own.host} ({ADDRESS_VARIABLE} names another)"
    if request.type == "http" and not _is_loopback(_place(request)[0]):
        return f"; the key of {KEY_VARIABLE} is not sent over plain http"
    return ""


def _place(request: urllib.request.Request) -> tuple[str, str]:
    """The host and the port of a request."""
    host, _, port = request.host.lower().rpartition(":")
    if not port.isdecimal():  # no port is given; the colon belongs to an IPv6 address
        host, port = request.host.lower(), ""
    return host, port or {"http": "80", "https": "443"}.get(request.type, "")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
