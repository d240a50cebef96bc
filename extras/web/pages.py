"""The pages, made on the server; the browser's modules fill the boards."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from ...envs.compiled.kernels import USUAL_SECONDS
from ...envs.game import Position
from ...envs.loading.texts import visible
from ...envs.profile import Example
from ...envs.registry import game_names, make_game
from ...envs.specification import format_specification
from .errors import REFUSALS_AS_JSON, Answers, Refusal, files_of
from .jobs import has_solver
from .opponents import LEVELS, PRESETS, analysts, choices, first_opponent, live_pair, other_rules
from .positions import LineOfPlay, blank_board, open_line, read_game
from .queries import AgentQuery, SpecQuery, UsualLineQuery, Whole
from .state import server_state, words_for
from .wording.agent_names import agent_name
from .wording.words import LANGUAGE_COOKIE, LANGUAGES, Words

router: APIRouter = APIRouter(default_response_class=HTMLResponse)

HERE = Path(__file__).resolve().parent
KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
# The links at the top of each page; the last ones need a store.
PAGES = (
    ("/", "nav.play"),
    ("/analyse", "nav.analyse"),
    ("/watch", "nav.watch"),
    ("/games", "nav.games"),
    ("/ratings", "nav.ratings"),
)
STORE_PAGES = 2
CLOCKS = ((1, 0), (3, 2), (5, 0), (10, 5), (30, 0))  # minutes, seconds added by a move
YEAR = 365 * 24 * 3600
SEE_OTHER: Answers = {303: {"description": "The page is at the address of the header Location."}}


class _StaticFile:
    """A static file: its content, its type and its ETag."""

    def __init__(self, path: Path) -> None:
        self.content: bytes = path.read_bytes()
        self.kind: str = KINDS[path.suffix]
        self.etag: str = f'"{hashlib.sha256(self.content).hexdigest()[:16]}"'


# Read once, by name: request paths are looked up here, never on the disk.
STATIC = {path.name: _StaticFile(path) for path in sorted((HERE / "static").iterdir())}

templates: Environment = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=lambda value: visible(value) if type(value) is str else value,
)
templates.filters |= {
    "made": make_game,
    "moment": lambda seconds: datetime.fromtimestamp(seconds, UTC),
    "capitalised": lambda text: text[:1].upper() + text[1:],
}
templates.globals["agent_name"] = agent_name


def render(request: Request, template: str, code: int = 200, **values: Any) -> HTMLResponse:
    """A page in the visitor's language. A language in the link is remembered."""
    words = words_for(request)
    has_store = server_state(request).settings.store is not None
    page = templates.get_template(template).render(
        t=words,
        languages=LANGUAGES,
        path=request.url.path,
        query=dict(request.query_params),
        has_store=has_store,
        usual_seconds=USUAL_SECONDS.replace(" to ", "–"),
        pages=PAGES if has_store else PAGES[:-STORE_PAGES],
        **values,
    )
    response = HTMLResponse(page, code, {"cache-control": "no-store"})
    if request.query_params.get("lang") in LANGUAGES:
        response.set_cookie(LANGUAGE_COOKIE, words.language, YEAR, httponly=True, samesite="strict")
    return response


@functools.cache
def _preset_pictures() -> Mapping[str, str]:
    """A small picture of each game offered by name."""
    pictures = {}
    for preset in PRESETS:
        line = open_line(preset.game, preset.moves)
        pictures[preset.key] = line.position.to_svg(line.actions[-1])
    return pictures


@functools.lru_cache(64)
def _won_game(name: str) -> tuple[str, Position]:
    """A picture of a won game, and its position."""
    game = make_game(name)
    if game.profile.won_game is None:
        return game.initial_position().to_svg(), game.initial_position()
    line = open_line(*game.profile.won_game)
    return line.position.to_svg(line.actions[-1]), line.position


def how_to_play(words: Words, line: LineOfPlay) -> dict[str, Any]:
    """The rules of a game in lines, and a captioned picture of a win."""
    picture, position = _won_game(line.game.name)
    return {
        "lines": words.how_to_play(line.game),
        "picture": picture,
        "caption": words.outcome(position) if position.is_over else "",
    }


@router.get("/")
def home(request: Request) -> Response:
    """The games offered by name, and a first game between two agents."""
    extra, words = server_state(request).settings.agents, words_for(request)
    return render(
        request,
        "home.html",
        view=open_line(PRESETS[0].game).view(words),
        live=[_live_game(words, preset) for preset in PRESETS],
        presets=[(preset, choices(make_game(preset.game), extra)) for preset in PRESETS],
        pictures=_preset_pictures(),
        games=_games(words),
        clocks=CLOCKS,
    )


def _live_game(words: Words, preset: Example) -> dict[str, Any]:
    """A game of the live board: a network or the strongest level against a level, by name."""
    game = make_game(preset.game)
    first, second = live_pair(game)
    other = agent_name(words, second.spec, game)
    if first.group == "networks" and first.key is not None:
        names, said = (words(first.key), other), words(first.key.replace("character.", "live."))
    else:
        names = agent_name(words, first.spec, game), other
        said = names[0]
    return {
        "game": preset.game,
        "title": words.example(preset),
        "agents": [first.spec, second.spec],
        "names": names,
        "said": words("live.against", first=said, second=other),
    }


def _games(words: Words) -> list[dict[str, Any]]:
    """All games with their parameters, for the forms of other boards."""
    return [
        {
            "name": game.name,
            "made": game,
            "title": words.title(game),
            "parameters": game.declaration.parameters,
            "levels": list(zip(LEVELS, game.profile.levels)),
        }
        for game in map(make_game, game_names())
    ]


@router.get("/new", status_code=303, response_class=RedirectResponse)
def new(
    request: Request,
    name: SpecQuery,
    opponent: AgentQuery = "",
    seat: Annotated[Whole, Query(ge=0, le=1)] = 0,
    clock: Annotated[str, Query(max_length=12)] = "",
) -> Response:
    """Redirect a form with a game's name and parameters to the page of the game."""
    names = {parameter.name for parameter in read_game(name).declaration.parameters}
    values = {key: text for key, text in request.query_params.items() if key in names}
    spec = read_game(format_specification(name, values)).spec
    query = {"game": spec, "opponent": opponent, "seat": str(seat), "clock": clock}
    return RedirectResponse(f"/play?{urlencode({k: v for k, v in query.items() if v})}", 303)


@router.get("/play", responses=SEE_OTHER)
def play(request: Request, line: UsualLineQuery, game: SpecQuery = "") -> Response:
    """The page to play on; its URL defines the game."""
    if not game:
        return RedirectResponse("/", 303)
    return render(request, "play.html", **_page_values(request, line))


@router.get("/analyse")
def analyse(request: Request, line: UsualLineQuery) -> Response:
    """The page of a position: exact values, agents' values and lines."""
    board = blank_board(line.game, words_for(request))
    return render(request, "analyse.html", editor=board, **_page_values(request, line))


@router.get("/watch")
def watch(request: Request, line: UsualLineQuery) -> Response:
    """The page on which two agents play each other."""
    return render(request, "watch.html", **_page_values(request, line))


def _page_values(request: Request, line: LineOfPlay) -> dict[str, Any]:
    """The initial data of the pages of a game."""
    board = line.game
    return {
        "view": line.view(words_for(request)),
        "how": how_to_play(words_for(request), line),
        "choices": choices(board, server_state(request).settings.agents),
        "analysts": analysts(board, server_state(request).settings.agents),
        "solvable": has_solver(board),
        "presets": PRESETS,
        "level": first_opponent(board),
        "other_rules": other_rules(board),
    }


@router.get(
    "/static/{name}",
    response_class=Response,
    responses=REFUSALS_AS_JSON | files_of(*KINDS.values()),
)
def static(request: Request, name: str) -> Response:
    """A style sheet, a module or an icon."""
    file = STATIC.get(name)
    if file is None:
        raise Refusal("no_file", 404)
    headers = {"etag": file.etag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=file.kind, headers=headers)
