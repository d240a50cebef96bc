"""The command ``zoo``: the trained networks that are shipped, and their model cards."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console

from ..agents.lookahead import QUIET
from ..agents.policies.compiled.words import PRECISIONS
from ..agents.policies.zoo import PREFIX, Card, ZooNetworks, boards, cards
from ..envs import make_game
from ..envs.specification import SpecificationError, refusing
from ..evaluation.report import display
from ..evaluation.report.html import render_page
from .app import command
from .common import JsonOption, argument, option
from .output import Terminal, print_json, say, write_page

TITLES = {
    "quality": "Optimal moves in random positions, % (95 %)",
    "kinds": "Optimal moves in the first positions of `benchmarks/positions`, % (95 %)",
}
CODE = {"plays as well", "command", "after"}  # facts that pages write as code
# Facts that titles and files say.
UNSAID = {"game", "sha256", *(f"in {precision}" for precision in PRECISIONS)}
PRECISION = "network", "board", "precision", "µs", "µs in 64", "value", "probability", "same, %"


@command("[NAME]")
def zoo(
    name: Annotated[str | None, argument("NAME", "Show only the cards of this network.")] = None,
    /,
    *,
    out: Annotated[
        Path | None,
        option(
            "DIR", "Write the pages of the zoo to this folder: zoo.md, and zoo/GAME.md per game."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the trained networks shipped with plyground; the agent zoo:NAME plays one.

    With a name, show the full model cards: how the network was trained, how well it plays.

    [bold]Examples[/bold]

    plyground zoo

    plyground zoo connect_four
    """
    if out is not None and (as_json or name is not None):
        raise SpecificationError("--out writes the pages of all networks; omit NAME and --json")
    selection = list(cards()) if name is None else ZooNetworks(name.removeprefix("zoo:")).cards
    if as_json:
        print_json([vars(card) | {"board": card.board} for card in selection])
    elif out is not None:
        _write_pages(selection, out)
    elif name is None:
        _print_list(selection)
    else:
        console = Terminal()
        for card in selection:
            _print_card(card, console)


def _print_list(selection: Sequence[Card]) -> None:
    """Print a line per network, grouped by board: figures of a board come from one pool."""
    parts = (QUIET, "all")
    table = display.plain_table(
        "", "KiB", "hours", *(f"{part} %" for part in parts), "Elo", "with search"
    )
    table.columns[0].no_wrap = True
    for board, networks in _by_board(selection).items():
        table.add_row(board, style="bold")
        for card in networks:
            rows = [row for row in _rows(card, "quality") if row["agent"] == _alone(card)]
            shares = {row["phase"]: row["share"] for row in rows}
            table.add_row(
                f"  {_alone(card)}",
                f"{card.bytes / 1024:.0f}",
                f"{card.training['hours']:g}",
                *(display.percent(shares.get(part)) for part in parts),
                *_elo(card),
            )
    console = Terminal()
    console.print(table)
    console.print(
        "quiet, all: share of optimal moves of the network without search, in random positions "
        "without forced moves, and in all random positions; Elo: without and with search, in the "
        "pool of the board, random = 0.",
        style="dim",
    )


def _by_board(selection: Sequence[Card]) -> dict[str, list[Card]]:
    """The networks by the game of their rating pool."""
    games: dict[str, list[Card]] = {}
    for card in sorted(selection, key=lambda card: card.board_game):
        games.setdefault(card.board_game, []).append(card)
    return games


def _alone(card: Card) -> str:
    """The agent that plays a network without search."""
    return f"zoo:{card.name}"


def _rows(card: Card, what: str) -> Sequence[dict[str, Any]]:
    """Measurements of the agents of its board."""
    rows: Sequence[dict[str, Any]] = card.board.get(what, {}).get("rows", ())
    return rows


def _elo(card: Card) -> tuple[str, str]:
    """A network's Elo in the pool of its board, alone and with search."""
    elo = {row["agent"]: str(row["elo"]) for row in _rows(card, "ratings")}
    searching = (elo[agent] for agent in card.agents if agent != _alone(card))
    return elo.get(_alone(card), "-"), next(searching, "-")


def _facts(card: Card) -> list[tuple[str, str]]:
    """The facts on a card about the network and its training, as pairs of name and text."""
    training = card.training
    facts = [
        ("game", card.game),
        *([("plays as well", ", ".join(card.also))] if card.also else []),
        ("learnt by", card.algorithm),
        ("command", training["command"]),
        *(("after", each["command"]) for each in _before(training)),
        ("seed, commit", f"{training['seed']}, {training['commit']}"),
        ("time", _duration(training)),
        ("machine", training["machine"]),
        ("learnt from", training.get("learnt_from") or _experience(training)),
        ("size", f"{card.parameters:,} weights, {card.bytes:,} bytes"),
        ("sha256", card.sha256),
    ]
    if "speed" in card.measured:
        speed = card.measured["speed"]
        text = f"{speed['batch_1']:g} µs, in a batch of 64 {speed['batch_64']:g} µs"
        facts.append(("a position takes", text + _processor(speed)))
    facts += [
        (f"in {precision}", _rounded(card.measured[precision]))
        for precision in [*PRECISIONS][1:]
        if precision in card.measured
    ]
    return facts


def _before(training: Any) -> Iterator[Any]:
    """The trainings that supplied the initial weights of this one, the latest first."""
    while "before" in training:
        training = training["before"]
        yield training


def _rounded(numbers: Any) -> str:
    """The speed in another precision, and how its outputs differ."""
    speed, value, chance = (numbers[name] for name in ("speed", "value", "probability"))
    return (
        f"{speed['batch_1']:g} and {speed['batch_64']:g} µs{_processor(numbers)}; value "
        f"±{value['mean']:g} (≤{value['most']:g}), probability ±{chance['mean']:g} "
        f"(≤{chance['most']:g}), same move {100 * numbers['same_move']:g} %"
    )


def _precisions(selection: Sequence[Card]) -> list[list[str]]:
    """How each precision other than float32 differs, for all networks."""
    return [
        [
            *(_alone(card), card.game, precision + _processor(numbers)),
            *(f"{time:g}" for time in numbers["speed"].values()),
            *(f"±{numbers[of]['mean']:g} (≤{numbers[of]['most']:g})" for of in PRECISION[5:7]),
            f"{100 * numbers['same_move']:g}",
        ]
        for card in selection
        for precision, numbers in card.measured.items()
        if precision in PRECISIONS
    ]


def _processor(numbers: Any) -> str:
    """The processor of a speed, where it is not the usual one of the cards."""
    return f" ({numbers['processor']})" if "processor" in numbers else ""


def _duration(training: Any) -> str:
    """The duration of the run and of the runs before it."""
    return "; before: ".join(
        f"{each['hours']:g} hours, {each['processor_hours']:g} of processor time"
        for each in (training, *_before(training))
    )


def _experience(training: Any) -> str:
    """The number of moves, games and simulations."""
    text = f"{training['steps']:,} moves"
    if training["games"]:
        text += f", {training['games']:,} games, {training['simulations']:,} simulations"
    return text


def _print_card(card: Card, console: Console) -> None:
    """Print a card as text."""
    say(f"{_alone(card)} on {card.game}\n")
    for name, text in (*_facts(card), ("evaluated by", card.network().evaluator)):
        say(f"  {name:18}{text}")
    for title, command_line, head, rows in _tables(card.board):
        say(f"\n{title}: {command_line}")
        table = display.plain_table(*head)
        for row in rows:
            table.add_row(display.Name(row[0]), *row[1:])
        console.print(table)
    say()


def _write_pages(selection: Sequence[Card], folder: Path) -> None:
    """Write the zoo's overview, and for each game a page of measurements and cards."""
    with refusing(OSError, f"{folder} cannot be written"):
        (folder / "zoo" / "tables").mkdir(parents=True, exist_ok=True)
    networks = [
        (card, _place(card), *_elo(card), _strongest_other(card))
        for board in _by_board(selection).values()
        for card in board
    ]
    pages = {
        "zoo.md": render_page("zoo.md", networks=networks),
        "zoo/tables/precisions.csv": display.csv_text(PRECISION, _precisions(selection)),
    }
    names = sorted({make_game(card.game).name for card in selection})
    for name in names:
        tables = [
            (game, _tables(board))
            for game, board in boards().items()
            if make_game(game).name == name
        ]
        for number, (_, (_, *judged)) in enumerate(tables, 1):
            for kind, (_, _, head, rows) in enumerate(judged, 1):
                pages[f"zoo/tables/{name}-{number}-{kind}.csv"] = display.csv_text(head, rows)
        pages[f"zoo/{name}.md"] = render_page(
            "zoo_game.md",
            title=make_game(name).declaration.title,
            name=name,
            boards=tables,
            cards=[
                (card, [fact for fact in _facts(card) if fact[0] not in UNSAID])
                for card in selection
                if make_game(card.game).name == name
            ],
            code=CODE,
            wrap=_wrap,
        )
    for place, page in pages.items():
        write_page(folder / place, page.rstrip() + "\n")
    say(f"{folder}: zoo.md and the pages of {len(names)} games in zoo")


def _place(card: Card) -> str:
    """The link to a card from the overview: its heading as an anchor."""
    heading = f"{_alone(card)} on {card.game}"
    place = re.sub(r"[^\w -]", "", heading).replace(" ", "-")
    return f"zoo/{make_game(card.game).name}.md#{place}"


def _strongest_other(card: Card) -> str:
    """The best agent without a network in the pool of a board, with its Elo."""
    others = [row for row in _rows(card, "ratings") if PREFIX not in row["agent"]]
    return f"`{others[0]['agent']}` {others[0]['elo']}" if others else "-"


def _wrap(words: str) -> str:
    """A command on lines of at most 72 columns, which a page shows without scrolling."""
    return " \\\n".join(
        textwrap.wrap(f"$ {words}", 70, subsequent_indent="      ", break_on_hyphens=False)
    )


def _tables(board: Mapping[str, Any]) -> list[tuple[str, str, list[str], list[list[str]]]]:
    """Title, command, heading and rows of each table of a board."""
    tables = []
    if "ratings" in board:
        ratings = board["ratings"]
        rows = [
            [
                row["agent"],
                f"{row['elo']}",
                f"{row['error']}",
                display.percent(row["score"]),
                display.duration(row["seconds"]),
            ]
            for row in ratings["rows"]
        ]
        games = sum(row["games"] for row in ratings["rows"]) // 2
        head = ["agent", "Elo", "±", "score, %", "time a move"]
        tables.append((f"One pool, {games:,} games", ratings["command"], head, rows))
    for what, title in TITLES.items():
        if what in board:
            head, rows = _shares(board[what]["rows"])
            tables.append((title, board[what]["command"], head, rows))
    return tables


def _shares(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Shares of optimal moves in percent, one column per kind of position, "all" last."""
    counts = {row["phase"]: row["moves"] for row in rows}
    kinds = sorted(counts, key="all".__eq__)
    cells = {
        (row["agent"], row["phase"]): f"{display.percent(row['share'])} "
        f"({100 * row['lower']:.0f}–{100 * row['upper']:.0f})"
        for row in rows
    }
    agents = dict.fromkeys(row["agent"] for row in rows)
    table = [[agent, *(cells[agent, kind] for kind in kinds)] for agent in agents]
    return ["agent", *(f"{kind} ({counts[kind]})" for kind in kinds)], table
