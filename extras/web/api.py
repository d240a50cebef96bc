"""The API of the pages: views of positions, moves, searches."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from ...agents import Decision
from ...agents.decision import Score
from ...agents.registry import resolve_agent
from ...envs.specification import format_specification
from ...evaluation.played_game import PlayedGame
from ...evaluation.report import analysis
from .errors import Refusal
from .jobs import (
    EXACT_VALUES,
    LINES_OF,
    REVIEW,
    REVIEW_SECONDS,
    SOLVER_SECONDS,
    has_solver,
    sound_scores,
)
from .opponents import agents_to_set_up, choices, limit_spec
from .positions import LineOfPlay, action_json, read_game, read_line, read_position
from .queries import (
    EXAMPLE_ACTION,
    EXAMPLE_MOVES,
    USUAL_GAME,
    AgentQuery,
    GameLineQuery,
    GraderQuery,
    PermittedQuery,
    SeedQuery,
    SpecQuery,
    UnfinishedQuery,
)
from .settings import LONGEST_NAME, LONGEST_POSITION, LONGEST_SPEC, MOST_MOVES
from .state import server_state, words_for
from .streams import EVENTS, EventStream, stream
from .thinking import Call, Decide
from .wording.agent_names import agent_name
from .wording.values import bar_value, result_json, value_json
from .wording.words import Words

router: APIRouter = APIRouter(prefix="/api")

MOST_SECONDS = 64.0  # maximum time of an analysis that is deepened

Spec = Annotated[str, Field(min_length=1, max_length=LONGEST_SPEC)]
MoveName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


def with_example(**values: Any) -> ConfigDict:
    """The configuration of a body with an example in its schema: moves and these values."""
    example = {"game": USUAL_GAME, "moves": EXAMPLE_MOVES} | values
    return ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [example]})


class GameBody(BaseModel):
    """A game and its moves, from its initial position or another."""

    model_config = with_example()

    game: Spec
    position: Annotated[str, Field(max_length=LONGEST_POSITION)] = ""
    moves: Annotated[list[MoveName], Field(max_length=MOST_MOVES)] = []
    threats: bool = False

    def line(self) -> LineOfPlay:
        """The game move by move; Refusal if it cannot be played."""
        start = read_position(read_game(self.game), self.position)
        return read_line(start, self.moves)


class MoveBody(GameBody):
    """A game, its moves, and one more move."""

    model_config = with_example(action=EXAMPLE_ACTION)

    action: Annotated[int, Field(ge=0, lt=MOST_MOVES)]


@router.post("/view")
def view(request: Request, body: GameBody) -> dict[str, Any]:
    """The view of a position."""
    return body.line().view(words_for(request), body.threats)


@router.post("/play")
def play(request: Request, move: MoveBody) -> dict[str, Any]:
    """The view after one more move; 409 if it cannot be played."""
    line = move.line()
    if not line.position.is_legal(move.action):
        exists = move.action < line.game.facts.num_actions
        name = line.game.action_to_text(move.action) if exists else str(move.action)
        raise Refusal("unplayable", 409, action=name)
    line.play(move.action)
    return line.view(words_for(request), move.threats)


@router.get("/opponents")
def opponents(request: Request, game: SpecQuery) -> Any:
    """The opponents offered in a game, and the agents that can be set up."""
    words, extra = words_for(request), server_state(request).settings.agents
    board = read_game(game)
    return {
        "choices": [
            {
                "spec": choice.spec,
                "name": choice.name(words, board),
                "group": choice.group,
            }
            for choice in choices(board, extra)
        ],
        "agents": agents_to_set_up(words),
    }


@router.get("/check")
def check(request: Request, game: SpecQuery, agent: AgentQuery) -> dict[str, str]:
    """The agent's specification within the limits, and its name; 422 if it may not play here."""
    board = read_game(game)
    spec = limit_spec(agent, board, server_state(request).settings.agents)
    return {"agent": spec, "name": agent_name(words_for(request), spec, board)}


@router.get("/think", response_class=EventStream, responses=EVENTS)
async def think(
    request: Request,
    line: UnfinishedQuery,
    agent: PermittedQuery,
    seed: SeedQuery = 0,
    threats: bool = False,
) -> EventStream:
    """An agent's decision as server-sent events; see :func:`~plyground.extras.web.streams.stream`.

    The last one holds the ``view`` of the position after the agent's action too.
    """
    words = words_for(request)

    def to_json(decision: Decision) -> dict[str, Any]:
        return _decision_json(line, words, decision)

    def with_view(decision: Decision) -> dict[str, Any]:
        data = to_json(decision)
        line.play(decision.action)
        return data | {"view": line.view(words, threats)}

    job = Decide(agent, line.position, len(line.actions), seed)
    return stream(request, job, to_json, with_view)


@router.get("/solve", response_class=EventStream, responses=EVENTS)
async def solve(request: Request, line: UnfinishedQuery) -> EventStream:
    """The exact values of all actions as server-sent events; 422 for a board without a solver.

    The result is null if the position is too large for the solver.
    """
    if not has_solver(line.game):
        raise Refusal("no_solver", game=line.game.spec)
    job = Call("work.solver", line.game, EXACT_VALUES, (line.position,), 3 * SOLVER_SECONDS)
    words = words_for(request)

    def to_json(solution: dict[str, Any] | None) -> dict[str, Any] | None:
        return solution and solved_json(line, words, solution)

    return stream(request, job, dict, to_json)


@router.get("/lines", response_class=EventStream, responses=EVENTS)
async def lines(
    request: Request,
    line: UnfinishedQuery,
    agent: PermittedQuery,
    seed: SeedQuery = 0,
    seconds: Annotated[float | None, Query(gt=0, le=MOST_SECONDS)] = None,
) -> EventStream:
    """An agent's decision and its best lines, as server-sent events.

    For an agent with a time limit ``seconds`` replaces it: pages increase it step by step.
    """
    words = words_for(request)
    deeper = agent if seconds is None else with_time(agent, seconds)
    job = Call(agent, line.game, LINES_OF, (deeper, line.position, seed), 4 * MOST_SECONDS)

    def to_json(result: tuple[Decision, list[Any]]) -> dict[str, Any]:
        decision, best = result
        return _decision_json(line, words, decision) | {
            "lines": [_line_json(line, words, *each) for each in best]
        }

    return stream(request, job, to_json)


def with_time(agent: str, seconds: float) -> str:
    """The specification of an agent with another time limit; unchanged without one."""
    agent_class, options = resolve_agent(agent)
    if "time" not in options:
        return agent
    return format_specification(agent_class.name, {**options, "time": f"{seconds:g}"})


@router.get("/review", response_class=EventStream, responses=EVENTS)
async def review(request: Request, line: GameLineQuery, agent: GraderQuery) -> EventStream:
    """The grades of all moves, the last one first, then the review, as server-sent events."""
    if not line.actions:
        raise Refusal("no_moves", 409)
    record = PlayedGame.of_actions(line.game, line.actions)
    job = Call("work.review", line.game, REVIEW, (record, agent), REVIEW_SECONDS)
    return stream(request, job, lambda result: result)


def _decision_json(line: LineOfPlay, words: Words, decision: Decision) -> dict[str, Any]:
    """A decision as plain data, with its place on the evaluation bar."""
    position = line.position
    data = analysis.to_json(position, decision)
    data["bar"] = bar_value(position, decision.score)
    data["shown"] = value_json(words, position, decision.score)
    scores = sound_scores(decision)
    for entry in data["actions"]:
        score = scores.get(entry["action"])
        entry["bar"] = bar_value(position, score)
        entry["shown"] = value_json(words, position, score)
    return data


def _line_json(
    line: LineOfPlay, words: Words, action: int, score: Score | None, actions: tuple[int, ...]
) -> dict[str, Any]:
    """A line of play as plain data, as far as it is legal."""
    moves, position = [], line.position.copy()
    for each in actions:
        if not position.is_legal(each):
            break
        moves.append(action_json(position, each, words) | {"player": position.to_move})
        position.play(each)
    return {
        "action": action,
        "shown": value_json(words, line.position, score),
        "moves": moves,
    }


def solved_json(line: LineOfPlay, words: Words, solution: dict[str, Any]) -> dict[str, Any]:
    """The solver's values as plain data; ``bar`` is from the side of player_0."""
    name, worth = line.game.action_to_text, solution["worth"]
    score = None if worth is None else Score(worth, kind="exact")

    def shown(value: int) -> dict[str, Any]:
        return result_json(words, *solution["ends"][value])

    return {
        **{key: part for key, part in solution.items() if key != "ends"},
        "bar": bar_value(line.position, score),
        "shown": None if solution["value"] is None else shown(solution["value"]),
        "between": [shown(solution["lower"]), shown(solution["upper"])],
        "actions": [
            {"action": action, "name": name(action), "value": value, "shown": shown(value)}
            for action, value in solution["values"].items()
        ],
        "line": [name(action) for action in solution["line"]],
    }
