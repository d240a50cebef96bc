"""Rich tables and progress bars of the command line."""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.containers import Lines
from rich.live import Live
from rich.measure import Measurement
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from ...agents.decision import Decision, Score
from ...envs.game import Game
from ...envs.loading.texts import counted, one_line, spreadsheet_cell
from ...envs.specification import Parameter
from ..statistics.complexity import SizeLine
from ..statistics.cross_table import CrossTable
from ..store.store import StoredGame
from .progress_lines import ProgressLines

BREAKS = (r"(?<=[:, /])", r"(?<=[=_])")  # break points of a name, the best first
REFRESHES_PER_SECOND = 2  # drawing takes milliseconds, in which no game is played
WIDE_PARAMETERS = 100  # width in characters from which parameters are a table
WIDE = 64  # width in characters from which a tournament's progress has a bar
GAMES_DIGEST, CONTENT_DIGEST = "digest of the games", "digest of the content"
NARROW_COLUMNS = 4  # of the progress without a bar
# characters left free at the end of an overwritten line, for the terminal's echo of Ctrl-C
ECHO = 3


class Name(Text):
    """A name in a table: a narrow column breaks it only after punctuation."""

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        parts = re.split(BREAKS[0], self.plain.replace("\n", " "))
        whole = super().__rich_measure__(console, options).maximum
        return Measurement(max(map(cell_len, parts)), whole)

    def wrap(self, console: Console, width: int, **settings: Any) -> Lines:
        """Its lines, of at most ``width`` characters."""
        lines = []
        for part in self.plain.split("\n"):
            parts = [part]
            for breaks in BREAKS:
                parts = [
                    piece
                    for part in parts
                    for piece in (re.split(breaks, part) if cell_len(part) > width else [part])
                ]
            lines.append("")
            for part in parts:
                if lines[-1] and cell_len(lines[-1] + part.rstrip()) > width:
                    lines.append("")
                lines[-1] += part
        return Text("\n".join(lines), self.style).wrap(console, width, **settings)


def plain_table(*headings: str, left: int = 1, gap: int = 2) -> Table:
    """A table without a frame: the first ``left`` columns are texts, the others numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, gap, 0, 0))
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="left" if index < left else "right", overflow="fold")
    return table


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def likelihood(probability: float) -> str:
    """A probability in percent, never 0 or 100."""
    if probability > 0.999:
        return "> 99.9"
    return "< 0.1" if probability < 0.001 else percent(probability)


def duration(seconds: float | None) -> str:
    """Seconds in a suitable unit, to two or three digits."""
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= 0.9995 * scale:
            return f"{seconds / scale:.{1 if seconds < 9.95 * scale else 0}f} {unit}"
    return f"{seconds * 1e6:.{1 if seconds < 9.95e-6 else 0}f} µs"


def digests_text(games: str, content: str) -> str:
    """The two digests of a tournament, see :mod:`plyground.evaluation.store.digests`."""
    return f"{GAMES_DIGEST:<21} {games}\n{CONTENT_DIGEST} {content}"


def left_out_text(games: int) -> str:
    """The note on games that were not played."""
    return f"{games} more were not played: deterministic agents would have repeated earlier games"


def print_cross_table(table: CrossTable, console: Console) -> None:
    """Standings with a column for each opponent, and notes below.

    If that is too wide, the opponents get a separate table.
    """
    tables = [standings(table)]
    if _narrowest(tables[0], console) > console.width:
        tables = [
            standings(table, opponents=False),
            standings(table, counts=False),
        ]
    width = console.width
    for index, part in enumerate(tables):
        if index:
            console.print("\nscore in % against each opponent")
        # better lines that the terminal wraps than missing columns
        console.width = max(width, _narrowest(part, console))
        console.print(part)
        console.width = width
    if table.repeated:
        console.print(
            f"repeated by the same deterministic agents, and not counted: "
            f"{counted(table.repeated, 'game')}"
        )
    for faults in table.faults:
        console.print(Text(str(faults), "red"))


def _narrowest(table: Table, console: Console) -> int:
    """The minimum width of a table in characters."""
    return Measurement.get(console, console.options.update(max_width=10_000), table).minimum


def standings(table: CrossTable, counts: bool = True, opponents: bool = True) -> Table:
    """A row for each agent, best first: its games, and its score against each opponent."""
    rows = table.standings()
    result = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    result.add_column("#", justify="right")
    result.add_column(
        "agent", overflow="fold", min_width=min(16, max(len(row.label) for row in rows))
    )
    for heading in (
        ("score\n%", "won", "draw", "lost", "time\n/move", "distinct\n%") if counts else ()
    ):
        result.add_column(heading, justify="right", no_wrap=True)
    for place in range(1, len(rows) + 1) if opponents else ():
        result.add_column(f"#{place}", justify="right", no_wrap=True)
    for place, row in enumerate(rows, 1):
        total = row.total
        cells = [
            percent(total.score),
            str(total.wins),
            str(total.draws),
            str(total.losses),
            duration(row.seconds_per_move),
        ]
        cells = [*cells, _whole_percent(row.distinct_share)] if counts else []
        if opponents:
            cells += [
                "." if other is row else _whole_percent(row.against[other.number].score)
                for other in rows
            ]
        result.add_row(str(place), Name(row.label), *cells)
    return result


def _whole_percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f}"


class _GamesPerSecond(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text("games" if task.speed is None else f"games, {task.speed:.1f}/s", no_wrap=True)


class TournamentProgress:
    """A progress bar with the running standings below it.

    Counting a game costs microseconds; drawing happens twice a second.

    Args:
        total: the number of games in all tournaments.
        done: the number of games already played.
    """

    def __init__(self, total: int, done: int = 0) -> None:
        self._done = done
        self._columns = (
            MofNCompleteColumn(), _GamesPerSecond(), TimeRemainingColumn(), TextColumn("left"),
            BarColumn(bar_width=None), TimeElapsedColumn(), TextColumn("spent"),
        )  # fmt: skip
        self._bar = Progress(*self._columns, expand=True)
        self._task: TaskID = self._bar.add_task("", total=total, completed=done)
        self._table, self._title = CrossTable([], None), ""
        self._total = total
        self.tell: Callable[[float, str], None] | None = (
            None  # called with the share done and a text
        )

    def begin(self, table: CrossTable, title: str = "") -> None:
        """Show the standings of a tournament under its title.

        ``table`` contains the games already played.
        """
        self._table, self._title = table, title

    def count(self, game: StoredGame) -> None:
        """Count a finished game."""
        self._table.count(game)
        self._done += 1
        if self.tell is not None:
            self.tell(self._done / max(self._total, 1), f"{self._done:,} of {self._total:,} games")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self._bar.columns = (
            self._columns if options.max_width >= WIDE else self._columns[:NARROW_COLUMNS]
        )
        self._bar.update(self._task, completed=self._done)
        standings = [self._title] if self._title else []
        standings += [
            f"{percent(row.total.score)} {row.label}"
            for row in self._table.standings()
            if row.played
        ]
        line = Text("  ".join(standings), style="dim")
        line.truncate(max(1, options.max_width - ECHO), overflow="ellipsis")
        yield self._bar
        yield line


@contextlib.contextmanager
def show_progress(progress: TournamentProgress, console: Console) -> Iterator[None]:
    """Show the progress during the body; a line from time to time without a terminal."""
    if not console.is_terminal:
        with ProgressLines(functools.partial(print_line, console)) as lines:
            progress.tell = lines.show
            yield
        return
    with Live(progress, console=console, refresh_per_second=REFRESHES_PER_SECOND, transient=True):
        yield


@contextlib.contextmanager
def show_steps(what: str, console: Console) -> Iterator[Callable[[int, int], None]]:
    """A bar for work in equal steps; a line from time to time without a terminal.

    The body receives a function that takes the number of steps done and their total.
    """
    if not console.is_terminal:
        with ProgressLines(functools.partial(print_line, console)) as lines:
            yield lambda count, total: lines.show(
                count / max(total, 1), f"{what}: {count:,} of {total:,}"
            )
        return
    bar = Progress(
        TextColumn(
            "{task.description}"
        ), BarColumn(), MofNCompleteColumn(), TextColumn("left"), TimeRemainingColumn(),
        TextColumn(
            "spent"
        ), TimeElapsedColumn(), console=console, transient=True,
    )  # fmt: skip
    task = bar.add_task(what, total=None)
    with bar:
        yield lambda count, total: bar.update(task, completed=count, total=total)


def print_line(console: Console, text: str) -> None:
    """Print a text in one line."""
    console.print(Text(one_line(text)), soft_wrap=True)


@contextlib.contextmanager
def status_line(console: Console) -> Iterator[Callable[[str], None]]:
    """One line that the function given to the body overwrites; it is removed at the end.

    Without a terminal nothing is shown.
    """
    if not console.is_terminal:
        yield lambda text: None
        return
    with console.status("", refresh_per_second=REFRESHES_PER_SECOND) as status:
        yield lambda text: status.update(Text(text))


def score_in_words(game: Game, score: Score | None) -> str:
    """A score from the side of the player to move, as :meth:`Score.text`; "-" for none."""
    return "-" if score is None else score.text(margin=game.facts.max_return != 1)


def thoughts(game: Game, decision: Decision | None) -> str:
    """A short text about a decision of an agent."""
    if decision is None:
        return ""
    parts = ["from the opening book"] if decision.from_book else []
    if decision.score is not None:
        parts.append(score_in_words(game, decision.score))
    parts += [
        counted(number, what)
        for number, what in ((decision.nodes, "node"), (decision.simulations, "simulation"))
        if number
    ]
    if decision.depth:
        parts.append(f"depth {decision.depth}")
    if len(decision.principal_variation) > 1:
        parts.append("expects " + ", ".join(map(game.action_to_text, decision.principal_variation)))
    parts.append(duration(decision.seconds))
    return "; ".join(parts)


class ParameterTable:
    """Parameters with their defaults, limits and help; two lines each on a narrow terminal."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._rows = [
            (each.name, _default_text(each.default), each.allowed(), each.help)
            for each in parameters
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= WIDE_PARAMETERS:
            table = plain_table("parameter", "default", "allowed", "meaning", left=4)
            for row in self._rows:
                table.add_row(*row)
            yield table
            return
        for name, default, allowed, meaning in self._rows:
            value = f"{name} = {default}" if default else name
            yield Text(f"{value}  ({allowed})", overflow="fold")
            yield Padding(Text(meaning), (0, 0, 0, 4), expand=False)


def _default_text(default: Any) -> str:
    if default is None:
        return ""
    return ("yes" if default else "no") if isinstance(default, bool) else str(default)


def size_table(lines: list[SizeLine]) -> Table:
    """A size report."""
    table = plain_table("quantity", "formula", "value", left=2)
    for line in lines:
        table.add_row(line.quantity, line.formula, large_number(line.value))
    return table


def large_number(value: int | float) -> str:
    """A number in full up to twelve digits, else as a power of ten."""
    if isinstance(value, float):
        return f"{value:g}"
    if value < 10**12:
        return f"{value:,}"
    exponent = math.floor(math.log10(value))
    exponent += (value >= 10 ** (exponent + 1)) - (value < 10**exponent)  # log10 is rounded
    unit = 10 ** (exponent - 2)
    digits = (value + unit // 2) // unit  # integers: a float cannot hold 1,000 digits
    if digits == 1000:
        digits, exponent = 100, exponent + 1
    return f"{digits / 100:.2f} x 10^{exponent}"


def facts_text(game: Game) -> str:
    """A game's facts in one line."""
    facts: Any = game.facts
    again = ", a player can move again" if facts.moves_again else ""
    return (
        f"{facts.num_actions} actions, at most {facts.longest_game} plies, returns "
        f"{facts.min_return:g} to {facts.max_return:g}{again}"
    )


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as CSV, its cells as pages write them."""
    text = io.StringIO()
    lines = ([*map(spreadsheet_cell, row)] for row in [headings, *rows])
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()
