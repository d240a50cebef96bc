"""The command ``train league``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ...commands.app import Interruption, command, missing_packages_are_refused, same_command
from ...commands.common import GameArgument, SeedOption, option
from ...commands.learning.runs import ProgressBar
from ...commands.output import Terminal, note
from ...envs import Game, make_game
from ...envs.specification import SpecificationError
from ...envs.workers.jobs import HERE, JobPlace
from ...evaluation.plan import DEFAULT_OPENING, Plan
from ...evaluation.report.display import percent, plain_table
from ...evaluation.runners.isolation import make_isolated_opponent
from ...evaluation.store.store import Store
from ...evaluation.tournament import Tournament
from ...training.api import load_algorithm
from ...training.settings import RunSettings
from .psro import ALGORITHMS, ALPHAZERO, LeagueSettings, LeagueTraining, read_league

STORE, PICTURE = "league.db", "league.png"
USUAL = LeagueSettings()


@Parameter(name="*")
@dataclass(frozen=True)
class _LeagueOptions:
    """The options of the members, their opponents and their table."""

    members: Annotated[
        str,
        option(
            "KIND,KIND",
            "Kinds of the members, which take turns: ppo, dqn, alphazero, exploiter (PPO that "
            "begins with random weights).",
        ),
    ] = ",".join(USUAL.members)
    rounds: Annotated[int, option("N", "Members that are trained in all.", low=1)] = USUAL.rounds
    steps: Annotated[int, option("N", "Steps of each PPO and DQN, such as 300k.", low=1)] = (
        USUAL.steps
    )
    hours: Annotated[float, option("H", "Hours of each AlphaZero.", low=0)] = USUAL.hours
    anchors: Annotated[
        str, option("AGENT;AGENT", "Agents that are members from the beginning.")
    ] = ";".join(USUAL.anchors)
    opponents: Annotated[
        str,
        option(
            "RULE",
            "How a learner's opponents are drawn: mixture (the equilibrium of the table), latest, "
            "uniform, prioritised.",
        ),
    ] = USUAL.opponents
    exploration: Annotated[
        float,
        option("SHARE", "Of the opponents, those drawn from all members alike.", low=0, high=1),
    ] = USUAL.exploration
    temperature: Annotated[
        float, option("T", "Of the members' probabilities when they choose.", low=0)
    ] = USUAL.temperature
    settings: Annotated[
        tuple[str, ...],
        option(
            "ALGORITHM.NAME=VALUE",
            "A setting of the members' runs, such as ppo.entropy=0.02; may be repeated.",
            name="--set",
        ),
    ] = ()

    def read(self) -> LeagueSettings:
        """The settings of the league; SpecificationError if they are not possible."""
        return LeagueSettings(
            tuple(name.strip() for name in self.members.split(",")),
            self.rounds,
            self.steps,
            self.hours,
            tuple(name.strip() for name in self.anchors.split(";") if name.strip()),
            self.opponents,
            self.exploration,
            self.temperature,
            self.settings,
        )


@Parameter(name="*")
@dataclass(frozen=True)
class _TableOptions:
    """The options of the games between members."""

    pairs: Annotated[int, option("N", "Pairs of games of two members.", low=1)] = 100
    opening: Annotated[str, option("OPENINGS", "Openings of these games, such as all:2.")] = (
        DEFAULT_OPENING
    )


DEFAULT_LEAGUE, DEFAULT_TABLE = _LeagueOptions(), _TableOptions()


@command("GAME")
def league(
    game: GameArgument,
    /,
    *,
    out: Annotated[Path | None, option("FOLDER", "The league's folder; one in it goes on.")] = None,
    options: _LeagueOptions = DEFAULT_LEAGUE,
    table: _TableOptions = DEFAULT_TABLE,
    seed: SeedOption = 1,
    place: JobPlace = HERE,
) -> None:
    """Train a league: each member learns against a mixture of those before it (PSRO).

    All members meet each other; the next one learns against the mixture that none of them beats.
    The folder holds the policies, their games (league.db), and a picture (league.png), which
    plyground curves draws again: the table of scores, the mixtures and their exploitability. The
    same command goes on where it was stopped. With more --rounds it goes on where it ended.

    [bold]Examples[/bold]

    plyground train league connect_four --out leagues/c4 --members ppo,exploiter --rounds 10

    plyground train league tic_tac_toe --out leagues/ttt --anchors "random;greedy" --steps 200k
    --set ppo.entropy=0.02

    plyground train league connect_four --out leagues/az --members alphazero,exploiter --hours 0.2
    """
    if out is None:
        raise SpecificationError("name the folder of the league: --out FOLDER")
    board, settings = make_game(game), options.read()
    for name in settings.members:  # wrong settings are refused before anything is trained
        settings.of_run(board, ALGORITHMS.get(name, name), {})
    with missing_packages_are_refused():
        import matplotlib  # noqa: F401 - for the picture in the end
        import scipy  # noqa: F401 - for the mixtures
        import torch  # noqa: F401 - for the members

        plan = Plan(board.spec, (), table.pairs, table.opening, seed, "gauntlet")
        training = LeagueTraining(
            board, out, settings, seed, _Meetings(plan, out / STORE, place).meet
        )
        try:
            training.run(_Learning(board, seed, place).train)
        except KeyboardInterrupt:
            raise Interruption(
                f"stopped; what is finished is in {out}. To go on:\n  {same_command()}"
            ) from None
        from .picture import draw_league

        draw_league(out, out / PICTURE)
    note(
        f"finished: {len(training.rounds)} rounds; the table and the mixtures are in "
        f"{out / PICTURE}, the games in {out / STORE}"
    )
    _print(out)


class _Meetings:
    """Lets a new member meet the others, as a gauntlet of its own in the league's store."""

    def __init__(self, plan: Plan, path: Path, place: JobPlace) -> None:
        self._plan, self._path, self._place = plan, path, place

    def meet(self, agents: Sequence[str]) -> list[tuple[int, float]]:
        """The games and the points of the first agent against each other one."""
        note(f"the table: {len(agents) - 1} meetings of {self._plan.pairs} pairs of games")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with Store(self._path) as store:
            tournament = Tournament(
                self._plan.replace(agents=tuple(agents)),
                store,
                place=self._place,
                on_changed=lambda change: True,
            )
            tournament.run()
            against = tournament.table().rows[0].against
        return [
            (tally.games, tally.wins + tally.draws / 2)
            for tally in (against[number] for number in range(1, len(agents)))
        ]


class _Learning:
    """Trains the members, each in a run of its own."""

    def __init__(self, game: Game, seed: int, place: JobPlace) -> None:
        self._game, self._seed, self._place = game, seed, place

    def train(self, number: int, algorithm: str, settings: RunSettings, out: Path) -> None:
        """Begin or resume a member's run and bring it to its end."""
        from ...training.devices import choose_device

        note(f"round {number + 1}: {out.name}")
        more: dict[str, Any] = {"make": make_isolated_opponent}
        if algorithm == ALPHAZERO:
            more = {"place": self._place}
        bar = ProgressBar(lambda progress: f"{out.name}: {progress.stage}")
        out.parent.mkdir(parents=True, exist_ok=True)
        with bar:
            load_algorithm(algorithm)(
                self._game,
                settings,
                self._seed + number,
                out,
                {"command": same_command()},
                choose_device(settings.device),
                on_progress=bar.show,
                on_note=bar.note,
                **more,
            )


def _print(out: Path) -> None:
    """Each member's weight in the last mixture, and its score against it."""
    curve = read_league(out)
    mixture = curve.mixtures[-1]
    table = plain_table("member", "weight %", "score against the mixture %")
    for name, weight, score in zip(curve.names, mixture, curve.scores @ mixture):
        table.add_row(name, percent(float(weight)), percent(float(score)))
    Terminal().print(table)
