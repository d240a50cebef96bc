"""Commands that play games: ``tournament``, ``match``, ``play``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..agents import Agent, Decision, make_agent
from ..agents.human import HumanAgent, HumanQuit
from ..envs import Game, Position, make_game
from ..envs.game import PLAYERS
from ..envs.specification import SpecificationError
from ..evaluation import display
from ..evaluation.match import GameResult, play_game
from ..evaluation.store import Store
from ..evaluation.table import CrossTable
from ..evaluation.tournament import Plan, Tournament, distinct_labels
from .common import INTERRUPTED, GameArgument, JsonOption, OpeningOption, SeedOption, app, print_json, read_moves, same_command

DEFAULT_STORE = Path("plyground-tournament.db")


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
            notes.print(f"stopped; {held} of {planned.total} games are in {store}. To go on:\n  {same_command(context)}", markup=False)
            raise typer.Exit(INTERRUPTED) from None
        table = CrossTable(planned.labels, planned.played())  # the games another process has added count as well
    if before == planned.total:
        notes.print(
            f"all {before} games of this tournament are in {store} already: none was played. More --pairs or another --seed give new ones.",
            markup=False,
        )
    if as_json:
        print_json({"tournament": planned.plan._asdict(), "store": str(store), **table.to_json()})
        return
    console = Console(highlight=False)
    console.print(f"{planned.game.spec}: {table.games} games (pairs {pairs}, opening plies {opening_plies}, seed {seed})\n", markup=False)
    display.print_cross_table(table, console)
    notes.print(f"\ngames in {store}; for ratings: plyground report {shlex.quote(str(store))}", markup=False)


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
    actions = read_moves(chosen, opening)
    players = [make_agent(spec, chosen) for spec in (first, second)]
    result, moves = _play(chosen, players, distinct_labels((first, second)), actions, seed, show, quiet=as_json)
    if as_json:
        value = {"game": chosen.spec, "agents": [first, second], "seed": seed, "opening": actions, "moves": moves}
        print_json(value | {"actions": result.moves, "returns": result.returns, "winner": result.winner, "reason": result.reason})


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
