"""The command ``zoo``: the trained networks that are shipped, and their model cards."""

from __future__ import annotations

import textwrap
from typing import Annotated, Any

from rich.console import Console

from ..agents.policies.zoo import Card, ZooNetworks, cards
from ..envs.specification import SpecificationError
from ..evaluation.report import display
from .app import command
from .common import JsonOption, argument, option
from .output import print_json, say

PHASES = ("all", "opening", "middle", "end")
HEAD = """# The zoo: trained networks that are shipped

`zoo:NAME` plays a network without search, `mcts:network=zoo:NAME` with search. They need
`pip install -e ".[policy]"` (onnxruntime) and nothing else.

```console
$ plyground zoo
$ plyground play connect_four --against zoo:connect_four
$ plyground match connect_four mcts:network=zoo:connect_four,simulations=200 alphabeta --show
```

A name may stand for several boards; the board that is played decides. A network can stand wherever
an agent is named. `plyground zoo` lists them with their strength.

The networks learnt from nothing but the rules, except `…_taught`: the exact solver taught those of
connect four and of dots and boxes, the engine `gomoku` that of gomoku. They show what a network of
their size can know. `benchmarks/learning/zoo.py` wrote each card from the run and from the commands
it names. This page is the output of `plyground zoo --markdown`."""


@command("[NAME]")
def zoo(
    name: Annotated[str | None, argument("NAME", "Show only the cards of this network.")] = None,
    /,
    *,
    markdown: Annotated[bool, option("", "Write the page docs/zoo.md to standard output.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the trained networks that are shipped with plyground; zoo:NAME plays one.

    With a name, the model cards in full: how the network was trained, how well it plays.

    [bold]Examples[/bold]

    plyground zoo

    plyground zoo connect_four
    """
    if markdown and (as_json or name is not None):
        raise SpecificationError("--markdown writes the whole page; leave out NAME and --json")
    selection = list(cards()) if name is None else ZooNetworks(name.removeprefix("zoo:")).cards
    if as_json:
        print_json([vars(card) for card in selection])
    elif markdown:
        say("\n\n".join([HEAD, *map(_markdown, selection)]))
    elif name is None:
        _print_list(selection)
    else:
        console = Console(highlight=False)
        for card in selection:
            _print_card(card, console)


def _print_list(selection: list[Card]) -> None:
    """A line for each network."""
    table = display.plain_table("network", "game", "KiB", "hours", "optimal %", "Elo", left=2)
    table.columns[0].no_wrap = True
    for card in selection:
        table.add_row(
            f"zoo:{card.name}",
            card.game,
            f"{card.bytes / 1024:.0f}",
            f"{card.training['hours']:g}",
            display.percent(_share(card, f"zoo:{card.name}", "all")),
            _elo(card),
        )
    console = Console(highlight=False)
    console.print(table)
    console.print(
        "optimal: moves of the network alone, without search, in random positions; Elo: the same, "
        "random = 0, in its game's pool.",
        style="dim",
    )


def _share(card: Card, agent: str, phase: str) -> float | None:
    """The share of optimal moves of an agent in a phase, if it was measured."""
    for row in card.measured.get("quality", {}).get("rows", []):
        if (row["agent"], row["phase"]) == (agent, phase):
            return float(row["optimal"])
    return None


def _elo(card: Card) -> str:
    rows = card.measured.get("ratings", {}).get("rows", [])
    ratings = [str(row["elo"]) for row in rows if row["agent"] == f"zoo:{card.name}"]
    return ratings[0] if ratings else "-"


def _facts(card: Card) -> list[tuple[str, str]]:
    """What a card says of the network and its training, as pairs of a name and a text."""
    training = card.training
    facts = [
        ("game", card.game),
        *([("plays as well", ", ".join(card.also))] if card.also else []),
        ("learnt by", card.algorithm),
        ("command", training["command"]),
        *([("after", training["before"]["command"])] if "before" in training else []),
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
        facts.append(("a position takes", text))
    return facts


def _duration(training: Any) -> str:
    """What the run took, and the one before it."""
    text = f"{training['hours']:g} hours, {training['processor_hours']:g} of processor time"
    return f"{text}; before: {_duration(training['before'])}" if "before" in training else text


def _experience(training: Any) -> str:
    """How much was played."""
    text = f"{training['steps']:,} moves"
    if training["games"]:
        text += f", {training['games']:,} games, {training['simulations']:,} simulations"
    return text


def _print_card(card: Card, console: Console) -> None:
    """A card as text."""
    say(f"zoo:{card.name} on {card.game}\n")
    for name, text in _facts(card):
        say(f"  {name:18}{text}")
    for title, head, rows in _tables(card):
        say(f"\n{title}")
        table = display.plain_table(*head)
        for row in rows:
            table.add_row(*row)
        console.print(table)
    say()


def _markdown(card: Card) -> str:
    """A card as a section of docs/zoo.md, without what its title, commands or file say."""
    lines = [f"## `zoo:{card.name}` on `{card.game}`", "", "| | |", "|---|---|"]
    code = {"plays as well", "command", "after"}
    lines += [
        f"| {name} | {f'`{text}`' if name in code else text} |"
        for name, text in _facts(card)
        if name not in {"game", "learnt by", "sha256"}
    ]
    for title, head, rows in _tables(card):
        what, _, words = title.partition(": ")
        lines += ["", f"{what}:", "", "```console", *_wrap(words), "```", ""]
        lines += ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
        lines += [f"| `{row[0]}` | " + " | ".join(row[1:]) + " |" for row in rows]
    lines += ["", f"![The learning curves of the run](images/{card.training['curves']})"]
    return "\n".join(lines)


def _wrap(words: str) -> list[str]:
    """A command on lines of at most 100 columns."""
    lines = textwrap.wrap(f"$ {words}", 98, subsequent_indent="      ", break_on_hyphens=False)
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def _tables(card: Card) -> list[tuple[str, list[str], list[list[str]]]]:
    """Title with the command, heading and rows of each table of a card."""
    tables = []
    if "quality" in card.measured:
        quality = card.measured["quality"]
        agents = dict.fromkeys(row["agent"] for row in quality["rows"])
        rows = [
            [agent, *(display.percent(_share(card, agent, phase)) for phase in PHASES)]
            for agent in agents
        ]
        head = ["agent", "optimal moves, %", *PHASES[1:]]
        tables.append((f"Move quality: {quality['command']}", head, rows))
    if "ratings" in card.measured:
        ratings = card.measured["ratings"]
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
        head = ["agent", "Elo", "±", "score, %", "time a move"]
        tables.append((f"Ratings: {ratings['command']}", head, rows))
    return tables
