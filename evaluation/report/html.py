"""The report of a store as one self-contained HTML file.

This module prepares the values for the template ``templates/report.html``.
"""

from __future__ import annotations

import json
import platform
import re
import textwrap
from collections.abc import Callable, Sequence
from importlib import metadata, resources
from typing import Any

from ...envs import __version__
from ...envs.loading.texts import counted, printable_json, visible
from ...envs.registry import make_game
from ...envs.specification import SpecificationError, refusing
from ..pages import page_of
from ..statistics.cross_table import AgentRow, Tally
from ..statistics.ratings import Ratings, score_of
from ..store.checks import Finding
from .comparison import Comparison
from .display import CONTENT_DIGEST, GAMES_DIGEST, duration, likelihood, percent
from .paper import files_of, links_to, plots_of, title_of
from .replays import replay_data
from .report import TournamentReport, sequential_text, warning_lines

# packages whose versions affect results, besides Python and plyground
LIBRARIES = ("numpy", "numba")
MOST_TITLES = 4  # games named in the title of a page


def report_page(
    reports: Sequence[TournamentReport],
    store: str,
    commands: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
    comparisons: Sequence[Comparison] = (),
    findings: Sequence[Finding] = (),
) -> str:
    """The page that shows some reports.

    Args:
        reports: the tournaments, in the order shown.
        store: the name of the store.
        commands: the commands that create this page again.
        progress: called with the number of tournaments done and their total.
        comparisons: comparisons with the tournaments of another store.
        findings: faults found in the store.

    Raises:
        SpecificationError: jinja2 or matplotlib is not installed.
    """
    sections = []
    for index, report in enumerate(reports):
        if progress is not None:
            progress(index, len(reports))
        sections.append(_section(report, index))
    return render_page(
        "report.html",
        store=store,
        title=_page_title([section["title"] for section in sections]) or store,
        commands=commands,
        sections=sections,
        comparisons=comparisons,
        warning=warning_lines(findings),
        versions=versions(),
        games=sum(report.table.games for report in reports),
    )


@page_of.register
def _page_of_report(report: TournamentReport) -> str:
    return report_page([report], report.tournament.name, [])


def render_page(template: str, **values: Any) -> str:
    """A page from a template, with inline style and script.

    Raises:
        SpecificationError: jinja2 is not installed.
    """
    needs = 'an HTML page needs jinja2: pip install "plyground[report]"'
    with refusing(ImportError, needs):
        import jinja2
    templates = resources.files(__package__) / "templates"
    text = {
        name: (templates / name).read_text("utf-8")
        for name in (template, "report.css", "report.js")
    }
    environment = jinja2.Environment(
        autoescape=template.endswith(".html"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: value if hasattr(value, "__html__") else visible(str(value)),
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    environment.policies["json.dumps_function"] = _dump
    environment.filters |= {
        "percent": percent,
        "likelihood": likelihood,
        "duration": duration,
        "count": lambda number: f"{number:,}",
        "counted": counted,
        "breakable": _breakable,
        "margined": _with_margin,
        "lines": _lines,
        "marks": _unmarked,
        "coded": _coded,
    }
    return environment.from_string(text[template]).render(
        style=text["report.css"], script=text["report.js"], **values
    )


def _dump(value: Any, **options: Any) -> str:
    return printable_json(json.dumps(value, **options))


def _unmarked(text: str) -> str:
    """The text without Markdown marks other than code."""
    return re.sub(r"(`[^`]*`)|([*_|<>])", lambda match: match[1] or f"\\{match[2]}", text)


def _coded(text: str) -> Any:
    """The text as HTML, with text between backticks as code."""
    import markupsafe

    return markupsafe.Markup(
        re.sub("`([^`]*)`", r"<code>\1</code>", str(markupsafe.escape(visible(text))))
    )


def _lines(text: str, indent: str = "") -> str:
    """A paragraph in lines of at most 100 columns."""
    return textwrap.fill(
        text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _breakable(name: str) -> Any:
    """A name that can wrap after commas and colons, but not within words."""
    import markupsafe

    text = str(markupsafe.escape(visible(name)))
    for sign in ":,/":
        text = text.replace(sign, f"{sign}<wbr>")
    return markupsafe.Markup(text)


def versions() -> list[tuple[str, str]]:
    """The versions that made the page, without names of machines or users."""
    python = f"{platform.python_version()} ({platform.python_implementation()})"
    libraries = [(name, metadata.version(name)) for name in LIBRARIES]
    return [
        ("plyground", __version__),
        ("Python", python),
        *libraries,
        ("platform", f"{platform.system()} {platform.machine()}"),
    ]


def _section(report: TournamentReport, index: int) -> dict[str, Any]:
    """All data that the page shows of one tournament."""
    table, ratings = report.table, report.ratings
    order = report.ranking()
    plots = plots_of(report)
    place = {row.number: place for place, row in enumerate(order, 1)}
    return {
        "id": f"t{index + 1}",
        "report": report,
        "title": title_of(report),
        "settings": [  # lists repeat the table of agents
            (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
            for key, value in (
                report.tournament.settings
                | {GAMES_DIGEST: report.games_digest, CONTENT_DIGEST: report.digest}
            ).items()
            if not isinstance(value, list)
        ],
        "agents": [_agent(row, place[row.number], ratings, order) for row in order],
        "plots": {name: plot.inline() for name, plot in plots.items()},
        "files": links_to(files_of(report, plots)),
        "cross": [[_cross_cell(row, other, ratings) for other in order] for row in order],
        "test": None if report.test is None else sequential_text(report.test),
        "openings": report.named_openings(),
        "unmeasured": sum(not row.seconds_per_move for row in order),
        "first_shares": _shares(report.first_seat),
        "forfeits": sum(row.faults.count for row in table.rows),
        "replays": _replays(report),
    }


def _with_margin(numbers: tuple[float, float] | None) -> str:
    return "–" if numbers is None else f"{numbers[0]:+.0f} ± {numbers[1]:.0f}".replace("-", "−")


def _page_title(games: list[str]) -> str:
    """The titles of a page's games; only a few if there are many."""
    titles = list(dict.fromkeys(games))
    if len(titles) > MOST_TITLES:
        titles[MOST_TITLES - 1 :] = [f"{len(titles) - MOST_TITLES + 1} other games"]
    return " and ".join(filter(None, [", ".join(titles[:-1]), *titles[-1:]]))


def _agent(
    row: AgentRow, place: int, ratings: Ratings | None, order: list[AgentRow]
) -> dict[str, Any]:
    """A line of the standings."""
    following = order[place] if place < len(order) else None
    return {
        "place": place,
        "row": row,
        "elo": None if ratings is None else round(float(ratings.elo[row.number])),
        "margin": None if ratings is None else round(ratings.margin(row.number)),
        "superior": None
        if ratings is None or following is None
        else ratings.superiority(row.number, following.number),
        "shares": _shares(row.total),
        "faults": [f"{count} × {fault}" for fault, count in row.faults.kinds.most_common()],
    }


def _shares(tally: Tally) -> list[tuple[str, int, float]]:
    """Wins, draws and losses with their shares in percent."""
    counts = (("won", tally.wins), ("drawn", tally.draws), ("lost", tally.losses))
    return [
        (what, count, 100 * count / tally.games if tally.games else 0.0) for what, count in counts
    ]


def _cross_cell(row: AgentRow, other: AgentRow, ratings: Ratings | None) -> dict[str, Any] | None:
    """A cell of the cross table; None for the agent itself."""
    if other is row:
        return None
    tally = row.against[other.number]
    title = f"{row.label} against {other.label}: "
    if tally.score is None:
        return {"score": None, "title": f"{title}no games"}
    title += f"{tally.wins} won, {tally.draws} drawn, {tally.losses} lost of {tally.games}"
    if ratings is not None:
        expectation = score_of(ratings.difference(row.number, other.number)[0])
        title += f"; expected by the ratings: {percent(expectation)} %"
    strength = abs(2 * tally.score - 1)
    return {
        "score": tally.score,
        "games": tally.games,
        "title": title,
        "side": "even" if strength < 0.005 else "high" if tally.score > 0.5 else "low",
        "strength": round(58 * strength**0.8),
    }


def _replays(report: TournamentReport) -> dict[str, Any] | None:
    """The games that can be replayed, and how they were chosen.

    None if the game is not installed.
    """
    gallery = report.gallery
    if gallery is None or gallery.limit == 0:
        return None
    try:
        game = make_game(report.tournament.settings["game"])
    except (SpecificationError, KeyError):
        return None
    games = gallery.choose(report.ratings)
    return {
        "shown": len(games),
        "all": len(games) >= report.table.games,
        "limited": report.table.distinct_games > gallery.limit,
        "data": replay_data(game, games) | {"labels": [row.label for row in report.table.rows]},
    }
