"""Common query parameters: a game, its moves, a start position, an agent."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request
from pydantic import BeforeValidator
from pydantic_core import PydanticKnownError

from ...envs.loading.numbers import WHOLE
from ...envs.registry import make_game, usual_game
from .errors import Refusal
from .opponents import limit_spec
from .positions import LineOfPlay, link_text, open_line
from .settings import LONGEST_MOVES, LONGEST_POSITION, LONGEST_SPEC
from .state import server_state
from .thinking import SEEDS

USUAL_GAME = usual_game()
# Examples for the schema: the first moves of a game, one more move, and a finished game.
_BOARD = make_game(USUAL_GAME)
_END, _ACTIONS = _BOARD.initial_position(), list[int]()
while not _END.is_over:
    _ACTIONS.append(int(_END.legal_actions()[0]))
    _END.play(_ACTIONS[-1])
EXAMPLE_GAME = [_BOARD.action_to_text(action) for action in _ACTIONS]
EXAMPLE_MOVES, EXAMPLE_ACTION = EXAMPLE_GAME[:2], _ACTIONS[2]

SpecQuery = Annotated[str, Query(max_length=LONGEST_SPEC, examples=[USUAL_GAME])]
AgentQuery = Annotated[str, Query(max_length=LONGEST_SPEC, examples=["random"])]
MovesQuery = Annotated[
    str, Query(max_length=LONGEST_MOVES, examples=[link_text(_BOARD, EXAMPLE_MOVES)])
]
PositionQuery = Annotated[str, Query(max_length=LONGEST_POSITION)]


def _plain_number(text: str | int) -> str | int:
    """Refuse texts that only pydantic accepts as an integer: 1_0, 3.0, surrounding spaces."""
    if WHOLE.fullmatch(str(text)) is None:
        raise PydanticKnownError("int_parsing")
    return text


Whole = Annotated[int, BeforeValidator(_plain_number)]
SeedQuery = Annotated[Whole, Query(ge=0, lt=SEEDS)]


def _line(game: SpecQuery, moves: MovesQuery = "", position: PositionQuery = "") -> LineOfPlay:
    return open_line(game, moves, position)


def _usual_line(
    game: SpecQuery = USUAL_GAME, moves: MovesQuery = "", position: PositionQuery = ""
) -> LineOfPlay:
    return open_line(game, moves, position)


# The line of play in a URL.
LineQuery = Annotated[LineOfPlay, Depends(_line)]
# The same; without a game the default one.
UsualLineQuery = Annotated[LineOfPlay, Depends(_usual_line)]


def _game_line(line: LineQuery) -> LineOfPlay:
    if line.start_text:
        raise Refusal("no_game")
    return line


# A game from its initial position, for reviews and for storing.
GameLineQuery = Annotated[LineOfPlay, Depends(_game_line)]


def _grader(request: Request, line: GameLineQuery, agent: AgentQuery = "") -> str | None:
    return limit_spec(agent, line.game, server_state(request).settings.agents) if agent else None


# The specification of the agent that grades a game; None for the default.
GraderQuery = Annotated[str | None, Depends(_grader)]


def _line_in_play(line: LineQuery) -> LineOfPlay:
    if line.position.is_over:
        raise Refusal("over", 409)
    return line


# A line of play whose last position is not over.
UnfinishedQuery = Annotated[LineOfPlay, Depends(_line_in_play)]


def _agent_spec(request: Request, line: UnfinishedQuery, agent: AgentQuery) -> str:
    return limit_spec(agent, line.game, server_state(request).settings.agents)


# The specification of the requested agent, within the limits.
PermittedQuery = Annotated[str, Depends(_agent_spec)]
