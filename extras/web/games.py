"""The pages of a store: its games, their reviews, ratings; and storing finished games."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import Field

from ...agents.agent import Agent
from ...agents.faults import OUT_OF_TIME
from ...agents.registry import make_agent, resolve_agent
from ...envs import __version__
from ...envs.game import Game
from ...envs.registry import make_game
from ...evaluation.fingerprints import Description, describe
from ...evaluation.match import GameResult
from ...evaluation.replay import ending_of
from ...evaluation.report.report import TournamentReport, report_tournament
from ...evaluation.single_games import concession, person, store_game
from ...evaluation.store.store import Store, StoredGame, StoredTournament, StoreError
from .api import GameBody, Spec, with_example
from .errors import REFUSALS_AS_JSON, Refusal
from .jobs import FILE_SECONDS, OTHER_MOVE
from .opponents import PERSON, graders, limit_spec
from .pages import how_to_play, render
from .positions import LineOfPlay, link_text, open_line, read_game, read_line
from .queries import EXAMPLE_GAME, USUAL_GAME, MovesQuery, SpecQuery, Whole
from .settings import LONGEST_SPEC, MOST_GAMES, MOST_MOVES
from .state import server_state, words_for
from .streams import result
from .thinking import Call
from .wording.agent_names import agent_name
from .wording.words import Words

router: APIRouter = APIRouter(default_response_class=HTMLResponse)

ROWS = 50  # games on a page
BROWSERS = "browsers"  # the reporter of the stored games
SECOND_PERSON = f"{PERSON} #2"  # the label of the other of two people at one screen
LARGEST_NUMBER = 2**31
LONGEST_SECONDS = 30 * 24 * 3600.0  # of a move: a page may stay open for a long time

Times = tuple[tuple[float, float], tuple[int, int]]

Filter = Annotated[str, Query(max_length=LONGEST_SPEC)]


class Row(NamedTuple):
    """A game of the list.

    Attributes:
        number: its number in the store.
        game: the game.
        moves: the moves in the format of links.
        sides: the names of the players.
        winner: 0, 1 or None.
        ending: how it ended, in the language of the page.
        reason: the same, as in the store.
        plies: its number of moves.
        finished: when it ended, in seconds since 1970.
        is_reported: whether it was reported by a browser, without being observed here.
    """

    number: int
    game: Game
    moves: str
    sides: tuple[str, ...]
    winner: int | None
    ending: str
    reason: str
    plies: int
    finished: float
    is_reported: bool


def _store(request: Request) -> Store:
    """The store, opened; 404 if the server has none."""
    path = server_state(request).settings.store
    if path is None:
        raise Refusal("no_store", 404)
    return Store(path)


@router.get("/games")
def games(
    request: Request,
    game: Filter = "",
    agent: Filter = "",
    page: Annotated[Whole, Query(ge=0, le=100_000)] = 0,
) -> Response:
    """The games of the store, the latest first."""
    words = words_for(request)
    with _store(request) as store:
        tournaments = {entry.number: entry for entry in store.tournaments()}
        played = [entry.settings["game"] for entry in tournaments.values()]
        boards = {spec: make_game(spec) for spec in dict.fromkeys(played)}
        entries = _entries(store, tournaments, game, agent)
        rows = [
            Row(
                number,
                board := boards[tournament.settings["game"]],
                link_text(board, [*map(board.action_to_text, record.result.moves)]),
                _names(words, board, _sides(tournament, record)),
                record.result.winner,
                _ending(words, tournament, record),
                board.declaration.named(record.result.reason),
                len(record.result.moves),
                store.finish_time(number),
                bool(tournament.reported_by),
            )
            for number, tournament, record in islice(entries, page * ROWS, (page + 1) * ROWS + 1)
        ]
    return render(
        request,
        "games.html",
        rows=rows[:ROWS],
        more=len(rows) > ROWS,
        games={spec: words.board(board) for spec, board in boards.items()},
        agents={
            each.label: words("new.person")
            if each.label == SECOND_PERSON
            else agent_name(words, each.label, boards[entry.settings["game"]])
            for entry in tournaments.values()
            for each in entry.agents
        },
        game=game,
        agent=agent,
        page=page,
    )


def _entries(
    store: Store,
    tournaments: dict[int, StoredTournament],
    game: str,
    agent: str,
) -> Iterator[tuple[int, StoredTournament, StoredGame]]:
    """The games that pass the filters, with their numbers."""
    for number, tournament, record in store.numbered_games():
        entry = tournaments[tournament]
        sides = _sides(entry, record)
        if (game and entry.settings["game"] != game) or (agent and agent not in sides):
            continue
        yield number, entry, record


def _ending(words: Words, tournament: StoredTournament, record: StoredGame) -> str:
    """Why a game of the store ended, in the language of the page."""
    settings = tournament.settings
    ending = ending_of(record, settings)
    return ending if isinstance(ending, str) else words.ending(make_game(settings["game"]), ending)


def _sides(tournament: StoredTournament, record: StoredGame) -> tuple[str, str]:
    first, second = (tournament.agents[number].label for number in record.players)
    return first, second


def _names(words: Words, game: Game, sides: tuple[str, str]) -> tuple[str, ...]:
    """The names of a game's players; two people at one screen have the names of their sides."""
    if set(sides) == {PERSON, SECOND_PERSON}:
        return tuple(words.player(game, seat) for seat in (0, 1))
    return tuple(agent_name(words, side, game) for side in sides)


@router.get("/ratings")
def ratings(request: Request, tournament: Annotated[Whole, Query(ge=0)] = 0) -> Response:
    """The ratings of a tournament of the store."""
    with _store(request) as store:
        tournaments = store.tournaments()
        numbers = {entry.number: entry for entry in tournaments}
        if tournament and tournament not in numbers:
            raise Refusal("no_tournament", 404, number=tournament)
        seen = [entry for entry in tournaments if not entry.reported_by]
        chosen = numbers.get(tournament, seen[-1] if seen else None)
        report = None
        if chosen is not None:
            report = report_tournament(chosen, store.games(chosen.number), rate_reported=True)
    rows = [] if report is None else _ratings_rows(report)
    return render(request, "ratings.html", tournaments=tournaments, chosen=chosen, rows=rows)


def _ratings_rows(report: TournamentReport) -> list[dict[str, Any]]:
    """The agents of a tournament, the strongest first."""
    ratings, standings = report.ratings, report.table.standings()
    if ratings is not None:
        standings = sorted(standings, key=lambda row: -float(ratings.elo[row.number]))
    return [
        {
            "label": row.label,
            "elo": None if ratings is None else float(ratings.elo[row.number]),
            "margin": None if ratings is None else ratings.margin(row.number),
            "total": row.total,
        }
        for row in standings
    ]


@router.get("/review")
def review(
    request: Request,
    game: SpecQuery = "",
    moves: MovesQuery = "",
    number: Annotated[Whole, Query(ge=0, le=LARGEST_NUMBER)] = 0,
) -> Response:
    """The review of a game, given by its number in the store or by its moves."""
    words, sides, ending, finished = words_for(request), None, None, None
    if number:
        with _store(request) as store:
            try:
                tournament, record = store.game(number)
                finished = store.finish_time(number)
            except StoreError:
                raise Refusal("no_number", 404, number=number) from None
        board = read_game(tournament.settings["game"])
        sides = _names(words, board, _sides(tournament, record))
        ending = _ending(words, tournament, record)
        start, names = board.initial_position(), map(board.action_to_text, record.result.moves)
        line = read_line(start, list(names))
    else:
        line = open_line(game or USUAL_GAME, moves)
    return render(
        request,
        "review.html",
        view=line.view(words),
        how=how_to_play(words, line),
        number=number,
        sides=sides,
        graders=graders(line.game, server_state(request).settings.agents),
        ending=ending,
        finished=finished,
    )


class ResultBody(GameBody):
    """A game that ended in the browser, by its rules or because a player resigned."""

    model_config = with_example(moves=EXAMPLE_GAME, opponent="random", seat=0)

    opponent: Spec
    seat: Literal[0, 1]
    ended: Literal["rules", "resigned", "time"] = "rules"
    loser: Literal[0, 1] | None = None
    seconds: Annotated[
        list[Annotated[float, Field(ge=0, le=LONGEST_SECONDS)] | None],
        Field(max_length=MOST_MOVES, description="of each move; null where it is not known"),
    ] = []

    def times(self, line: LineOfPlay) -> Times:
        """The total seconds and the number of timed moves of each player."""
        timed_moves = [
            (mover, seconds)
            for mover, seconds in zip(line.movers, self.seconds)
            if seconds is not None
        ]
        first, second = ([each for mover, each in timed_moves if mover == seat] for seat in (0, 1))
        return (sum(first), sum(second)), (len(first), len(second))


class Finished(NamedTuple):
    """A finished game that a browser reports.

    Attributes:
        line: its moves.
        result: its result.
        opponent: the specification of the agent that played; None for a second person.
        seat: the seat of the agent.
    """

    line: LineOfPlay
    result: GameResult
    opponent: str | None
    seat: int


def _finished(request: Request, body: ResultBody) -> Finished:
    """A game with this ending by its rules; runs in a thread, like all slow work."""
    line, extra = body.line(), server_state(request).settings.agents
    if line.start_text:
        raise Refusal("no_game")
    person_only = body.opponent == PERSON
    opponent = None if person_only else limit_spec(body.opponent, line.game, extra)
    return Finished(line, _result(line, body), opponent, 1 - body.seat)


@router.post("/api/finish", response_class=JSONResponse, responses=REFUSALS_AS_JSON)
async def finish(
    request: Request, game: Annotated[Finished, Depends(_finished)]
) -> dict[str, int | None]:
    """Store a finished game; returns its number, or null without a store.

    It is stored as reported by a browser. 409 if the opponent does not play these moves, as far as
    it is deterministic and fast enough to check.
    """
    settings = server_state(request).settings
    if settings.store is None:
        return {"number": None}
    if game.opponent is not None and game.opponent not in settings.agents:
        arguments = (game.opponent, game.line.start, game.line.actions, game.seat)
        job = Call("work.check", game.line.game, OTHER_MOVE, arguments, FILE_SECONDS)
        ply = await result(request, job)
        if ply is not None:
            raise Refusal("other_move", 409, number=ply + 1, agent=game.opponent)
    return {"number": await run_in_threadpool(_keep, request, game)}


def _keep(request: Request, game: Finished) -> int:
    """Store a game, within the limit on games of browsers; returns its number."""
    if not request.state.session.address.games.take():
        raise Refusal("many_games", 429)
    sides = (person(), person())
    if game.opponent is not None:
        entry = _entry(game.opponent, game.line.game)
        sides = (person(), entry) if game.seat else (entry, person())
    with _store(request).open() as store:
        reported = sum(each.pairs for each in store.tournaments() if each.reported_by)
        if reported >= MOST_GAMES:
            raise Refusal("full_store", 507, most=MOST_GAMES)
        return store_game(store, game.line.game, sides, game.result, reported_by=BROWSERS)


def _result(line: LineOfPlay, body: ResultBody) -> GameResult:
    """The result of a finished game; 409 if it is not finished."""
    position, times = line.position, body.times(line)
    if body.ended == "rules" or body.loser is None:
        if position.outcome is None:
            raise Refusal("not_over", 409)
        return GameResult(
            tuple(line.actions), position.returns, position.outcome.reason, None, None, *times
        )
    if position.is_over:
        raise Refusal("over_already", 409)
    lost = concession(line.game, tuple(line.actions), body.loser, *times)
    if body.ended == "resigned":
        return lost
    reason = f"player_{body.loser} ran out of time"
    return lost._replace(reason=reason, fault=OUT_OF_TIME, forfeited=body.loser)


def _entry(spec: str, game: Game) -> Description:
    """The entry of an opponent. An isolated one is not created for this."""
    agent_class: type[Agent] = resolve_agent(spec)[0]
    if agent_class.isolated or "network=" in spec:
        return Description(spec, {}, f"plyground {__version__}", label=spec)
    return describe(make_agent(spec, game))
