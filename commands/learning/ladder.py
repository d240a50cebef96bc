"""The command ``ladder``, and the ratings of a training run's snapshots."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any

from ...agents.effects import ALL, check_asked, not_to_make
from ...envs import Game, make_game
from ...envs.loading.texts import counted
from ...envs.specification import SpecificationError
from ...envs.workers.jobs import HERE, JobPlace
from ...evaluation.ladder import Ladder
from ...evaluation.report.display import Name, plain_table, status_line
from ...evaluation.report.report import parse_anchor
from ...evaluation.statistics.ratings import Ratings, RatingsError
from ...evaluation.store.store import StoreError
from ...training.api import SETTINGS
from ...training.folder import LADDER, RATING, add_ratings, read_run, snapshots_in
from ..app import command, ctrl_c_says
from ..common import AskOption, JsonOption, argument, option
from ..output import Terminal, note, print_json

PAIRS = 50
FEWEST_PLIES = 2  # random opening moves; without them two networks would repeat one game

Rows = list[dict[str, Any]]


@command("RUN")
def ladder(
    run: Annotated[Path, argument("RUN", "The folder of a training run that kept snapshots.")],
    /,
    *,
    pairs: Annotated[int, option("N", "Pairs of games between any two agents.", low=1)] = PAIRS,
    anchor: Annotated[
        str | None,
        option(
            "AGENT=RATING", "Fix the rating of an agent (default: the run's last opponent has 0)."
        ),
    ] = None,
    ask: AskOption = (),
    place: JobPlace = HERE,
    as_json: JsonOption = False,
) -> None:
    """Rate the snapshots of a training run and the opponents of its evaluations in one pool.

    The games are kept in RUN/ladder.db, and only missing games are played. plyground curves RUN
    draws the ratings.

    [bold]Examples[/bold]

    plyground ladder runs/az_c4

    plyground ladder runs/az_c4 --pairs 200 --anchor greedy=0 --concurrency 2
    """
    games = 0

    def count(game: object) -> None:
        nonlocal games
        games += 1
        tell(counted(games, "game"))

    reference = None if anchor is None else parse_anchor(anchor)
    store = run / LADDER
    at_ctrl_c = ctrl_c_says(f"stopped; the games are in {store}. The same command resumes")
    with at_ctrl_c, status_line(Terminal(stderr=True)) as tell:
        rows = _rate_snapshots(
            run, pairs=pairs, anchor=reference, on_game=count, place=place, ask=ask
        )
    note(f"{games or 'no'} new games; all are in {store}")
    if as_json:
        print_json({"run": str(run), "ratings": rows})
        return
    table = plain_table("agent", "Elo", "±", "games")
    for row in rows:
        figures = (f"{row['elo']:.0f}", f"{row['high'] - row['elo']:.0f}", str(row["games"]))
        table.add_row(Name(_name(row)), *figures)
    Terminal().print(table)


def _name(row: dict[str, Any]) -> str:
    return str(row["agent"]) if row["step"] is None else f"step {row['step']:,}"


def _rate_snapshots(
    run: Path,
    *,
    pairs: int = PAIRS,
    anchor: tuple[str, float] | None = None,
    seconds: float = math.inf,
    on_game: Callable[[object], None] = lambda game: None,
    place: JobPlace = HERE,
    ask: Collection[str] = (),
) -> Rows:
    """Rate a run's snapshots and the opponents of its evaluations; add it to the run's metrics.

    The last opponent is rated 0. A run without opponents uses the default ones of its board.

    Args:
        run: the folder of the run.
        pairs: pairs of games between any two agents.
        anchor: another agent to fix, and its rating.
        seconds: time limit for playing, see :meth:`~plyground.evaluation.Ladder.pool`.
        on_game: called after every game.
        place: where the games are played; by default in this process.
        ask: opponents allowed although creating them runs code or opens files, or ``all``.

    Returns:
        A row for each opponent (``step`` is None) and each snapshot, with ``elo``, ``low`` and
        ``high`` (the 95 % interval of the difference to the anchor) and ``games``.

    Raises:
        TrainingError: the folder is not a training run, or its metrics cannot be written.
        SpecificationError: the run has no snapshots, or the anchor is not an opponent.
    """
    facts = read_run(run)["description"]
    snapshots = snapshots_in(run)
    if not snapshots:
        raise SpecificationError(
            f"{run} has no snapshots; train it with --keep 10 to keep 10 of them"
        )
    game = make_game(facts["game"])
    agents = _opponents(game, facts)
    _refuse_to_make(agents, ask, run)
    anchor = anchor or (agents[-1], 0.0)
    if anchor[0] not in agents:
        raise SpecificationError(
            f"the anchor {anchor[0]} is not one of the run's opponents: {', '.join(agents)}"
        )
    plies = max(game.profile.evaluation_plies, FEWEST_PLIES)
    terms: dict[str, Any] = {"opening": f"random:{plies}", "seed": facts["seed"], "anchor": anchor}
    pool = Ladder(game, agents, run / LADDER, pairs=pairs, place=place, **terms)
    # another path of the same folder has the same games
    files = [path.resolve() for path in snapshots.values()]
    ratings, games = pool.pool(files, seconds=seconds, on_game=on_game)
    anchored = f"{anchor[0]}={anchor[1]:g}"
    rows = [
        _row(ratings, number, step) | {"games": games[number], "anchor": anchored}
        for number, step in enumerate([*(None for _ in agents), *snapshots])
    ]
    add_ratings(run, [row for row in rows if row["step"] is not None])
    return rows


def _refuse_to_make(agents: list[str], ask: Collection[str], run: Path) -> None:
    """Refuse opponents that would run code or open files, unless ``ask`` allows them."""
    check_asked(ask, agents)
    for spec, what in not_to_make(agents, ask).items():
        raise SpecificationError(
            f"{run} names the opponent {spec}, which {what}; --ask {shlex.quote(spec)} allows it"
        )


def _opponents(game: Game, facts: dict[str, Any]) -> list[str]:
    """The opponents of a run's evaluations, or the default ones of its board."""
    kind = SETTINGS.get(facts["algorithm"])
    declared = kind.for_game(game, {"evaluate": facts["evaluate"]}).opponents_to_measure
    return list(dict.fromkeys(declared or kind.for_game(game).opponents_to_measure))


def _row(ratings: Ratings, number: int, step: int | None) -> dict[str, Any]:
    assert ratings.anchor is not None
    elo = round(float(ratings.elo[number]), 1)
    margin = round(ratings.difference(number, ratings.anchor)[1], 1)
    about = {"agent": ratings.labels[number]} if step is None else {"kind": RATING}
    return {
        "step": step, **about, "elo": elo, "low": round(elo - margin, 1),
        "high": round(elo + margin, 1),
    }  # fmt: skip


def rate_newest(run: Path, seconds: float) -> dict[str, Any] | None:
    """Rate the snapshots of a run in progress; returns the newest one's row.

    Its opponents need no --ask: the command line or this process has named them.

    A store that cannot be used is reported, and the run continues.
    """
    try:
        return _rate_snapshots(run, seconds=seconds, ask=(ALL,))[-1]
    except (StoreError, RatingsError) as error:
        note(f"the snapshots are not rated: {error}")
        return None
