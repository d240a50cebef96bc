"""Commands that describe games and agents: ``games``, ``agents``, ``size``, ``perft``."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

from rich.padding import Padding
from rich.text import Text

from ..agents.policies.compiled.runner import evaluator_here
from ..agents.registry import AGENTS_AND_PRESETS, POLICY_ALIASES, agent_classes, agent_presets
from ..envs import Game, make_game
from ..envs.conformance.perft import perft as count_sequences
from ..envs.registry import game_names, rules_of_any_size
from ..envs.specification import SpecificationError, check_names
from ..evaluation.report import display
from ..evaluation.statistics.complexity import size_report
from .app import command
from .common import GameArgument, JsonOption, OpeningOption, argument, option, read_moves
from .output import Terminal, parameter_json, print_json, say


@command()
def games(*, as_json: JsonOption = False) -> None:
    """List the games with their parameters and facts.

    [bold]Example[/bold]

    plyground games
    """
    boards = [make_game(name) for name in game_names()]
    if as_json:
        print_json([_game_json(game) for game in boards])
        return
    console = Terminal()
    for game in boards:
        about = f"  {game.declaration.title}, id {game.declaration.game_id}"
        console.print(Text.assemble((game.name, "bold"), about))
        console.print(f"with the defaults: {display.facts_text(game)}", style="dim")
        console.print(
            display.ParameterTable(game.declaration.parameters + game.declaration.short_forms)
        )
        if game.declaration.limits:
            console.print(f"board limits: {game.declaration.limits}")
        console.print(
            f"heuristics: {', '.join(game.declaration.heuristics) or 'none'}\n", markup=False
        )
    console.print(
        "A game is written NAME or NAME:PARAMETER=VALUE,PARAMETER=VALUE, such as "
        "gomoku:size=10,rule=caro.",
    )


def _game_json(game: Game) -> dict[str, Any]:
    declaration = game.declaration
    parameters = [
        parameter_json(parameter) for parameter in declaration.parameters + declaration.short_forms
    ]
    facts = {
        "name": game.name,
        "id": declaration.game_id,
        "title": declaration.title,
        "limits": declaration.limits,
        "facts": game.facts._asdict(),
    }
    return facts | {"parameters": parameters, "heuristics": declaration.heuristics}


@command("[NAME]")
def agents(
    name: Annotated[str | None, argument("NAME", "Describe only this agent, in full.")] = None,
    /,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the agents with their parameters, and the presets.

    [bold]Examples[/bold]

    plyground agents

    plyground agents alphabeta
    """
    classes, presets = agent_classes(), agent_presets()
    if name is not None:
        check_names("there is no agent", [name], AGENTS_AND_PRESETS)
        name = "policy" if name in POLICY_ALIASES else name
    names = [agent for agent in classes if name in (None, agent)]
    if as_json:
        entries = [
            {
                "name": n,
                "summary": classes[n].summary,
                "parameters": [parameter_json(p) for p in classes[n].parameters],
            }
            for n in names
        ]
        short = [
            {"name": n, "stands_for": spec, "summary": text}
            for n, (spec, text) in presets.items()
            if name in (None, n)
        ]
        print_json({"agents": entries, "presets": short})
        return
    console = Terminal()
    for agent in names:
        console.print(Text.assemble((agent, "bold"), f"  {classes[agent].summary}"))
        if name is not None:
            description = inspect.cleandoc(classes[agent].__doc__ or "").partition(
                "\n\nAttributes:"
            )[0]
            console.print(f"\n{description}\n")
        if classes[agent].parameters:
            console.print(Padding(display.ParameterTable(classes[agent].parameters), (0, 0, 0, 2)))
    if name is None and presets:
        console.print(Text("\nPresets", "bold"))
    for preset, (spec, summary) in presets.items():
        if name in (None, preset):
            console.print(Text.assemble((preset, "bold"), f"  {summary} ({spec})"))
    console.print(f"\nNetworks are evaluated here by {evaluator_here()}.")
    console.print(
        "\nAn agent is written NAME or NAME:PARAMETER=VALUE,PARAMETER=VALUE, such as "
        "alphabeta:depth=6.",
    )


@command("GAME")
def size(game: GameArgument, /, *, as_json: JsonOption = False) -> None:
    """Estimate the size of a game: states, depth, branching, search trees.

    The board may be too large to play: up to 200 on a side.

    [bold]Examples[/bold]

    plyground size dots_and_boxes:dots=5x5

    plyground size connect_four

    plyground size connect_four:rows=100,cols=100
    """
    try:
        board: Any = make_game(game)
    except SpecificationError:
        board = rules_of_any_size(game)
    lines = size_report(board)
    if as_json:
        print_json({"game": getattr(board, "spec", game), "size": [x.to_json() for x in lines]})
    else:
        Terminal().print(display.size_table(lines))


@command("GAME")
def perft(
    game: GameArgument,
    /,
    *,
    depth: Annotated[int, option("PLIES", "Maximum length of the sequences in plies.", low=0)],
    opening: OpeningOption = "",
    as_json: JsonOption = False,
) -> None:
    """Count the move sequences of every length up to --depth.

    A finished game is counted only at the depth of its last move.

    [bold]Example[/bold]

    plyground perft connect_four --depth 8
    """
    board = make_game(game)
    position = board.position(read_moves(board, opening))
    counts = []
    for plies in range(depth + 1):
        counts.append(count_sequences(position, plies))
        if not as_json:
            say(f"{plies:>3} {counts[-1]:>20,}")
    if as_json:
        print_json({"game": board.spec, "perft": counts})
