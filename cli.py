"""The command line: ``plyground tournament``, ``match``, ``play``, ``games``, ``agents``, ``size``, ``perft``."""

from __future__ import annotations

import inspect
import json
import math
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from . import __version__
from .agents import Agent, Decision, make_agent
from .agents.human import HumanAgent, HumanQuit
from .agents.registry import agent_classes, agent_presets
from .envs import Game, IllegalActionError, Position, make_game
from .envs.game import PLAYERS
from .envs.perft import perft as count_sequences
from .envs.registry import game_names
from .envs.specification import Parameter, SpecificationError, check_names
from .evaluation import display
from .evaluation.match import GameResult, play_game
from .evaluation.size import size_report
from .evaluation.store import Store, StoreError
from .evaluation.table import CrossTable
from .evaluation.tournament import Plan, Tournament, distinct_labels

DEFAULT_STORE = Path("plyground-tournament.db")
BAD_INPUT, INTERRUPTED = 2, 130  # exit statuses


class _Commands(typer.core.TyperGroup):
    """Bad input ends with one sentence on standard error and exit status 2, not with a trace."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (SpecificationError, IllegalActionError, StoreError) as error:
            typer.echo(f"plyground: {error}", err=True)
            raise typer.Exit(BAD_INPUT) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Adversarial board games, agents that play them, and tournaments between agents.",
    pretty_exceptions_enable=False,
)

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="Name and parameters, such as connect_four or gomoku:size=10,rule=caro.")]
OpeningOption = Annotated[str, typer.Option(metavar="MOVES", help="Moves played beforehand, by name, separated by commas: d,d,c.")]
SeedOption = Annotated[int, typer.Option(help="Decides everything that is random.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON to standard output instead of text.")]


def main() -> None:
    """Run the command line."""
    app()


def _read_opening(game: Game, text: str) -> list[int]:
    """The actions named in ``text``; IllegalActionError if they cannot be played, or nothing is left to play after them."""
    actions = [game.text_to_action(name) for name in text.split(",")] if text.strip() else []
    position = game.position(actions)
    if position.is_over:
        raise IllegalActionError(f"the game is over after the moves {text} ({position.outcome})")
    return actions


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    if version:
        typer.echo(f"plyground {__version__}")
        raise typer.Exit


@app.command()
def tournament(
    context: typer.Context,
    game: GameArgument,
    agents: Annotated[list[str], typer.Argument(metavar="AGENT AGENT...", help="Two agents or more, such as random or alphabeta:depth=6.")],
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games between each two agents; a pair is one opening with both seatings.")] = 10,
    opening_plies: Annotated[int, typer.Option(min=0, help="Random moves before the agents take over.")] = 2,
    seed: SeedOption = 1,
    store: Annotated[Path, typer.Option(metavar="FILE", help="Where finished games are kept.")] = DEFAULT_STORE,
    name: Annotated[str | None, typer.Option(help="What the tournament is called in the store (default: made from its settings).")] = None,
    as_json: JsonOption = False,
) -> None:
    """Let agents play everybody against everybody, in both seats.

    Every finished game is kept at once. The same command goes on where it was stopped; more --pairs add games.

    [bold]Examples[/bold]

    plyground tournament connect_four random greedy minimax:depth=2 alphabeta:depth=6 montecarlo:simulations=200

    plyground tournament dots_and_boxes:rows=2,cols=2 random python:my_module:make_bot --pairs 50 --json
    """
    notes = Console(stderr=True, highlight=False, soft_wrap=True)
    if "human" in agents:
        raise SpecificationError("a person cannot play in a tournament; use: plyground play GAME")
    with Store(store) as opened:
        planned = Tournament(Plan(game, tuple(agents), pairs, opening_plies, seed), opened, name)
        table = CrossTable(planned.labels, planned.played())
        before = table.games
        if 0 < before < planned.total:
            notes.print(f"{before} of {planned.total} games are in {store} already; playing the other {planned.total - before}", markup=False)
        progress = display.TournamentProgress(table, planned.total)
        try:
            if before < planned.total:
                planned.get_ready()
            with display.show_progress(progress, Console(stderr=True)):
                planned.run(progress.count)
        except KeyboardInterrupt:
            held = CrossTable(planned.labels, planned.played()).games
            notes.print(f"stopped; {held} of {planned.total} games are in {store}. To go on:\n  {_same_command(context)}", markup=False)
            raise typer.Exit(INTERRUPTED) from None
        table = CrossTable(planned.labels, planned.played())  # the games another process has added count as well
    if before == planned.total:
        notes.print(
            f"all {before} games of this tournament are in {store} already: none was played. More --pairs or another --seed give new ones.",
            markup=False,
        )
    if as_json:
        _print_json({"tournament": planned.plan._asdict(), "store": str(store), **table.to_json()})
        return
    console = Console(highlight=False)
    console.print(f"{planned.game.spec}: {table.games} games (pairs {pairs}, opening plies {opening_plies}, seed {seed})\n", markup=False)
    display.print_cross_table(table, console)
    notes.print(f"\ngames in {store}", markup=False)


def _same_command(context: typer.Context) -> str:
    """The command that was given, arguments first, options that have their defaults left out."""
    arguments: list[Any] = []
    options: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.param_type_name == "argument":
            arguments += value if isinstance(value, (list, tuple)) else [value]
        elif value != parameter.default and value is not None:
            options += [parameter.opts[0]] if value is True else [parameter.opts[0], str(value)]
    return f"plyground {context.info_name} {shlex.join([*map(str, arguments), *options])}"


@app.command()
def match(
    game: GameArgument,
    first: Annotated[str, typer.Argument(metavar="A", help="The agent that moves first.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The agent that moves second.")],
    opening: OpeningOption = "",
    seed: SeedOption = 1,
    show: Annotated[bool, typer.Option("--show", help="Show the board after every move.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Play one game and show it move by move.

    [bold]Examples[/bold]

    plyground match connect_four random random --show

    plyground match tic_tac_toe random random --opening b2,a1 --json
    """
    chosen = make_game(game)
    actions = _read_opening(chosen, opening)
    players = [make_agent(spec, chosen) for spec in (first, second)]
    result, moves = _play(chosen, players, distinct_labels((first, second)), actions, seed, show, quiet=as_json)
    if as_json:
        value = {"game": chosen.spec, "agents": [first, second], "seed": seed, "opening": actions, "moves": moves}
        _print_json(value | {"actions": result.moves, "returns": result.returns, "winner": result.winner, "reason": result.reason})


def _play(
    game: Game, agents: list[Agent], names: list[str], opening: list[int], seed: int, show: bool, quiet: bool = False
) -> tuple[GameResult, list[dict[str, Any]]]:
    """Play one game, telling every move on standard output; returns the result and the agents' moves as JSON values."""
    moves: list[dict[str, Any]] = []

    def tell(text: str) -> None:
        if not quiet:
            typer.echo(text)

    def on_move(position: Position, seat: int, action: int, decision: Decision | None) -> None:
        known = {} if decision is None else {"value": decision.value, "scale": decision.scale, "seconds": decision.seconds}
        moves.append({"player": PLAYERS[seat], "action": action, "name": game.action_to_text(action), **known})
        if not isinstance(agents[seat], HumanAgent):
            thoughts = display.thoughts(game, decision)
            tell(f"{len(opening) + len(moves):>3}. {PLAYERS[seat]} ({names[seat]}) plays {game.action_to_text(action)}   [{thoughts}]")
        if show:
            tell(f"{position}\n")

    if opening:
        tell("opening: " + ", ".join(map(game.action_to_text, opening)))
    if show:
        tell(f"{game.position(opening)}\n")
    result = play_game(game, agents, opening, (seed, seed + 1), names, on_move)
    tell(str(result))
    return result, moves


@app.command()
def play(
    game: GameArgument,
    against: Annotated[str, typer.Option(metavar="AGENT", help="Who to play against.")] = "alphabeta:depth=4",
    seat: Annotated[int, typer.Option(min=0, max=1, help="Your seat: 0 moves first, 1 second.")] = 0,
    seed: SeedOption = 1,
) -> None:
    """Play a game yourself, in the terminal.

    Moves are typed by name (?, as you play, lists them); q leaves.

    [bold]Examples[/bold]

    plyground play tic_tac_toe:size=4

    plyground play connect_four --against random --seat 1
    """
    chosen = make_game(game)
    names = ["you", against] if seat == 0 else [against, "you"]
    players: list[Agent] = [make_agent("human" if name == "you" else name, chosen) for name in names]
    typer.echo(f"{chosen.declaration.title}: you are {PLAYERS[seat]} and move {'second' if seat else 'first'}, against {against}.")
    try:
        result, _ = _play(chosen, players, names, [], seed, show=False)
    except (HumanQuit, KeyboardInterrupt):
        typer.echo("\nYou left the game.")
        raise typer.Exit from None
    typer.echo(f"\n{chosen.position(result.moves)}\n")
    typer.echo("A draw." if result.winner is None else "You win." if result.winner == seat else "You lose.")


@app.command()
def games(as_json: JsonOption = False) -> None:
    """List the games with their parameters and facts.

    [bold]Example[/bold]

    plyground games
    """
    listed = [make_game(name) for name in game_names()]
    if as_json:
        _print_json([_game_json(game) for game in listed])
        return
    console = Console(highlight=False)
    for game in listed:
        console.print(f"[bold]{game.name}[/bold]  {game.declaration.title}, id {game.declaration.game_id}")
        console.print(f"with the defaults: {display.facts_text(game)}", style="dim", markup=False)
        console.print(display.parameter_table(game.declaration.parameters + game.declaration.short_forms))
        console.print(f"heuristics: {', '.join(game.declaration.heuristics) or 'none'}\n", markup=False)
    console.print("A game is written NAME or NAME:PARAMETER=VALUE,PARAMETER=VALUE, such as gomoku:size=10,rule=caro.", markup=False)


def _game_json(game: Game) -> dict[str, Any]:
    declaration = game.declaration
    parameters = [_parameter_json(parameter) for parameter in declaration.parameters + declaration.short_forms]
    known = {"name": game.name, "id": declaration.game_id, "title": declaration.title, "facts": game.facts._asdict()}
    return known | {"parameters": parameters, "heuristics": declaration.heuristics}


def _parameter_json(parameter: Parameter) -> dict[str, Any]:
    limits = {side: value if math.isfinite(value) else None for side, value in (("low", parameter.low), ("high", parameter.high))}
    return {**parameter._asdict(), "kind": parameter.kind.__name__, **limits}


@app.command()
def agents(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Tell all about this agent.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the agents with their parameters, and the presets.

    [bold]Examples[/bold]

    plyground agents

    plyground agents alphabeta
    """
    classes, presets = agent_classes(), agent_presets()
    if name is not None:
        check_names("there is no agent", [name], [*classes, *presets])
    shown = [known for known in classes if name in (None, known)]
    if as_json:
        found = [{"name": n, "summary": classes[n].summary, "parameters": [_parameter_json(p) for p in classes[n].parameters]} for n in shown]
        short = [{"name": n, "stands_for": spec, "summary": text} for n, (spec, text) in presets.items() if name in (None, n)]
        _print_json({"agents": found, "presets": short})
        return
    console = Console(highlight=False)
    for known in shown:
        console.print(f"[bold]{known}[/bold]  {escape(classes[known].summary)}")
        if name is not None:
            description = inspect.cleandoc(classes[known].__doc__ or "").partition("\n\nAttributes:")[0]
            console.print(f"\n{description}\n", markup=False)
        if classes[known].parameters:
            console.print(Padding(display.parameter_table(classes[known].parameters), (0, 0, 0, 2)))
    if name is None and presets:
        console.print("\n[bold]Presets[/bold]")
    for preset, (spec, summary) in presets.items():
        if name in (None, preset):
            console.print(f"[bold]{preset}[/bold]  {escape(summary)} ({escape(spec)})")
    console.print("\nAn agent is written NAME or NAME:PARAMETER=VALUE,PARAMETER=VALUE, such as alphabeta:depth=6.", markup=False)


@app.command()
def size(game: GameArgument, as_json: JsonOption = False) -> None:
    """Tell how large a game is: states, depth, branching, search trees.

    [bold]Examples[/bold]

    plyground size dots_and_boxes:dots=5x5

    plyground size connect_four
    """
    chosen = make_game(game)
    lines = size_report(chosen)
    if as_json:
        _print_json({"game": chosen.spec, "size": [line.to_json() for line in lines]})
    else:
        Console(highlight=False).print(display.size_table(lines))


@app.command()
def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Option(min=0, help="Plies to look ahead.")],
    opening: OpeningOption = "",
    as_json: JsonOption = False,
) -> None:
    """Count the sequences of moves to every depth up to the one given; those that end the game count at their last move.

    [bold]Example[/bold]

    plyground perft connect_four --depth 8
    """
    chosen = make_game(game)
    position = chosen.position(_read_opening(chosen, opening))
    counts = []
    for plies in range(depth + 1):
        counts.append(count_sequences(position, plies))
        if not as_json:
            typer.echo(f"{plies:>3} {counts[-1]:>20,}")
    if as_json:
        _print_json({"game": chosen.spec, "perft": counts})


if __name__ == "__main__":
    main()
