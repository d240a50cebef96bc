"""What the pages ask for: views of positions, moves, searches, finished games."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from ..agents import Decision
from ..evaluation.report import analysis
from .bars import bar_value
from .errors import Refused
from .opponents import choices, permitted, scripted
from .positions import Line, read_actions, read_game, split_moves
from .settings import LONGEST_MOVES, LONGEST_NAME, LONGEST_SPEC, MOST_MOVES
from .state import of
from .thinking import SEEDS, Task

router = APIRouter(prefix="/api")

LOOK_SECONDS = 0.25  # between two looks at whether the page still listens
HEARTBEAT = ": still thinking\n\n"

Spec = Annotated[str, Field(min_length=1, max_length=LONGEST_SPEC, examples=["tic_tac_toe"])]
MoveName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, examples=["a1"])]
GameQuery = Annotated[str, Query(max_length=LONGEST_SPEC, examples=["tic_tac_toe"])]
AgentQuery = Annotated[str, Query(max_length=LONGEST_SPEC, examples=["random"])]
MovesQuery = Annotated[str, Query(max_length=LONGEST_MOVES, examples=["a1,b2"])]


class Played(BaseModel):
    """A game and its moves."""

    model_config = ConfigDict(extra="forbid")

    game: Spec
    moves: Annotated[list[MoveName], Field(max_length=MOST_MOVES)] = []
    threats: bool = False

    def line(self) -> Line:
        """The game move by move; Refused if it cannot be played."""
        game = read_game(self.game)
        return Line(game, read_actions(game, self.moves))


class Move(Played):
    """A game, its moves, and one more."""

    action: Annotated[int, Field(ge=0, lt=MOST_MOVES)]


@router.post("/view")
def view(request: Request, played: Played) -> dict[str, Any]:
    """The view of a position."""
    return played.line().view(of(request).words(request), played.threats)


@router.post("/play")
def play(request: Request, move: Move) -> dict[str, Any]:
    """The view after one more move; 409 if it cannot be played."""
    line = move.line()
    if not line.position.is_legal(move.action):
        known = move.action < line.game.facts.num_actions
        name = line.game.action_to_text(move.action) if known else str(move.action)
        raise Refused(f"{name} cannot be played now.", 409)
    longer = Line(line.game, [*line.actions, move.action])
    return longer.view(of(request).words(request), move.threats)


@router.get("/opponents")
def opponents(request: Request, game: GameQuery) -> Any:
    """The opponents offered in a game, and the agents that can be set up."""
    words, listed = of(request).words(request), of(request).settings.agents
    return {
        "choices": [
            {
                "spec": choice.spec,
                "name": choice.spec if choice.key is None else words(choice.key),
                "group": choice.group,
            }
            for choice in choices(read_game(game), listed)
        ],
        "agents": scripted(),
    }


@router.get("/check")
def check(
    request: Request,
    game: GameQuery,
    agent: AgentQuery,
) -> dict[str, str]:
    """The agent's specification within the limits; 422 if it may not play the game here."""
    return {"agent": permitted(agent, read_game(game), of(request).settings.agents)}


@router.get("/think")
async def think(
    request: Request,
    game: GameQuery,
    agent: AgentQuery,
    moves: MovesQuery = "",
    seed: Annotated[int, Query(ge=0, lt=SEEDS)] = 0,
) -> StreamingResponse:
    """Server-sent events: ``progress`` any number of times, then ``move`` or ``error``.

    Closing the connection ends the search.
    """
    state = of(request)

    def read() -> tuple[Line, str]:
        chosen = read_game(game)
        line = Line(chosen, read_actions(chosen, split_moves(chosen, moves)))
        if line.position.is_over:
            raise Refused("There is nothing to decide: the game is over.", 409)
        return line, permitted(agent, chosen, state.settings.agents)

    line, spec = await asyncio.to_thread(read)
    task = Task(spec, line.game, line.actions, seed)
    events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

    def report(decision: Decision) -> None:
        events.put_nowait(("progress", decision))

    async def search() -> None:
        try:
            decision = await state.thinkers.think(request.state.session, task, report)
            events.put_nowait(("move", decision))
        except Refused as refused:
            events.put_nowait(("error", {"error": str(refused), "status": refused.status}))

    state.thinkers.check_room(request.state.session)
    running = asyncio.ensure_future(search())
    return StreamingResponse(
        _stream(request, running, events, line),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def _stream(
    request: Request,
    running: asyncio.Future[None],
    events: asyncio.Queue[tuple[str, Any]],
    line: Line,
) -> AsyncIterator[str]:
    """The events as text, until the search has ended or the page listens no more."""
    try:
        while True:
            try:
                kind, content = await asyncio.wait_for(events.get(), LOOK_SECONDS)
            except TimeoutError:
                if await request.is_disconnected():
                    return
                yield HEARTBEAT
                continue
            if isinstance(content, Decision):
                content = decision_json(line, content)
            yield f"event: {kind}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"
            if kind != "progress":
                return
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


def decision_json(line: Line, decision: Decision) -> dict[str, Any]:
    """A decision as plain data, with its place on the evaluation bar."""
    position = line.position
    data = analysis.to_json(position, decision)
    data["bar"] = bar_value(position, decision.score)
    for entry in data["actions"]:
        score = (decision.scores or {}).get(entry["action"])
        entry["bar"] = bar_value(position, score)
    return data
