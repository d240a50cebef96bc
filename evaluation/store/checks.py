"""Checks of a store: its file, its values, its games against the rules.

Everything that follows from the moves of a game is computed again. No agent runs: the moves decide
how a game ends and what it returns, the schedule decides openings and seeds.
"""

from __future__ import annotations

import functools
import math
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import announce_compilation
from ...envs.game import Game, Position
from ...envs.loading.texts import one_line
from ...envs.registry import make_game
from ...envs.specification import SpecificationError
from ...envs.stepping import records_of
from ..match import (
    ABANDONMENT,
    AGREEMENT,
    RESIGNATION,
    SINGLE_GAMES,
    agent_seed,
    agreed_reason,
    drawn_reason,
    greatest_loss,
)
from ..openings import Openings
from ..plan import Plan
from .rows import StoredGame, StoredTournament
from .schema import differences

BEFORE_THE_FIRST_MOVE = "before the first move"


class Finding(NamedTuple):
    """A failed check of a store.

    Attributes:
        what: the failure in words.
        game: the number of the game, if the finding is about one.
        unchecked: whether the check was impossible, such as for a game that is not installed.
    """

    what: str
    game: int | None = None
    unchecked: bool = False


def check_file(connection: sqlite3.Connection) -> list[Finding]:
    """The failed checks of the tables, the values and the references between tables."""
    findings = [*map(Finding, differences(connection))]
    findings += [
        Finding(f"the file is damaged: {text}")
        for (text,) in connection.execute("PRAGMA integrity_check(3)")
        if text != "ok"
    ]
    orphans = "SELECT {} FROM {} WHERE tournament NOT IN (SELECT number FROM tournaments)"
    for (number,) in connection.execute(orphans.format("number", "games")):
        findings.append(Finding(f"game {number} belongs to no tournament", number))
    for (label,) in connection.execute(orphans.format("label", "agents")):
        findings.append(Finding(f"agent {label} belongs to no tournament"))
    return [finding._replace(what=one_line(finding.what)) for finding in findings]


def check_games(
    tournament: StoredTournament, games: Iterable[tuple[int, StoredGame | None]]
) -> list[Finding]:
    """The failed checks of a tournament: its agents and its games.

    Args:
        tournament: the tournament.
        games: its games with their numbers; None is a game that cannot be read.
    """
    settings, agents = tournament.settings, tournament.agents
    described = {
        "agents": [each.spec for each in agents],
        "agent versions": [each.version for each in agents],
    }
    findings = [
        Finding(f"its {key} differ from its settings")
        for key, values in described.items()
        if settings.get(key, values) != values
    ]
    if not isinstance(settings.get("game"), str):
        return [*findings, Finding("its settings name no game")]
    try:
        check = RuleCheck(tournament)
    except SpecificationError as error:
        return [*findings, Finding(f"its games cannot be checked: {error}", unchecked=True)]
    for number, game in games:
        wrong = "cannot be read" if game is None else check.contradiction(game)
        if wrong is not None:
            findings.append(Finding(f"game {number} {wrong}", number))
    return findings


class RuleCheck:
    """Checks the games of a tournament against the rules and the schedule.

    Args:
        tournament: the tournament.

    Raises:
        SpecificationError: the game is not installed, or its rules have changed.
    """

    def __init__(self, tournament: StoredTournament) -> None:
        settings = tournament.settings
        self._game, self._tournament = _shared(make_game(settings["game"])), tournament
        game_id = self._game.declaration.game_id
        rules = str(settings.get("rules", game_id)).split(" ")[0]
        if rules != game_id:
            raise SpecificationError(
                f"it was played by the rules {rules}; the installed rules are {game_id}"
            )
        self._scheduled = settings.get("format") != SINGLE_GAMES
        self._seed = settings.get("seed", Plan.seed) if self._scheduled else None
        self._openings = self._openings_by_seed(settings)
        self._opening_of_pair: dict[int, tuple[int, ...]] = {}
        with announce_compilation(f"the check of games of {self._game.name}"):
            self._replay = self._game.entry_points.replay

    def _openings_by_seed(self, settings: Mapping[str, Any]) -> Openings | None:
        """The openings of the schedule, if they follow from the seed alone."""
        opening = settings.get("opening", Plan.opening)
        chosen = {"balanced", "transform"} & settings.keys()
        by_seed = re.fullmatch(r"(random|all):\d+", str(opening)) is not None
        if chosen or not by_seed or not isinstance(self._seed, int):
            return None
        return Openings(Plan(opening=opening, seed=self._seed), self._game)

    def contradiction(self, game: StoredGame) -> str | None:
        """The contradiction in a game, as words that follow its number; None without one."""
        return self._of_schedule(game) or self._of_course(game)

    def _of_schedule(self, game: StoredGame) -> str | None:
        """A contradiction between the game and the tournament's schedule."""
        agents = range(len(self._tournament.agents))
        if not all(number in agents for number in game.players) or len(set(game.players)) < 2:
            return f"is between agents {game.players[0]} and {game.players[1]}"
        if not 0 <= game.pair < self._tournament.pairs:
            return f"belongs to pair {game.pair} of a tournament of {self._tournament.pairs} pairs"
        if not all(math.isfinite(seconds) and seconds >= 0 for seconds in game.result.seconds):
            return "has negative or infinite thinking times"
        if not self._scheduled:
            return None
        if isinstance(self._seed, int):
            seeds = tuple(agent_seed(self._seed, game.pair, game.players, seat) for seat in (0, 1))
            if game.seeds != seeds:
                return "has seeds that differ from the schedule"
        if game.pair not in self._opening_of_pair:
            self._opening_of_pair[game.pair] = (
                game.opening if self._openings is None else self._openings[game.pair]
            )
        is_same = game.opening == self._opening_of_pair[game.pair]
        return None if is_same else "has an opening that differs from its pair"

    def _of_course(self, game: StoredGame) -> str | None:
        """A contradiction in the moves or the result."""
        result, opening = game.result, game.opening
        if result.moves[: len(opening)] != opening:
            return "does not begin with its opening"
        position, played, decisions = self._play(result.moves, len(opening))
        if played < len(result.moves):
            after_end = f"continues after its end at ply {played}"
            return after_end if position.is_over else f"has an illegal move at ply {played}"
        if result.fault is not None or result.forfeited is not None:
            return self._of_forfeit(game, None if position.is_over else position.to_move, decisions)
        if not position.is_over:
            if self._is_adjudicated(game):
                return self._of_decisions(game, decisions)
            losses = [greatest_loss(self._game, seat) for seat in (0, 1)]
            ends = {RESIGNATION: losses, AGREEMENT: [(0.0, 0.0)]}
            possible = [] if self._scheduled else ends.get(result.reason, [])
            return None if result.returns in possible else "is not over after its moves"
        if result.returns != position.returns:
            return _instead("returns", result.returns, position.returns)
        ending = r.outcome_reason(self._game.rules, position.record)
        reason = self._game.profile.ending_text(ending)
        if result.reason != reason:
            return _instead("the reason", result.reason, reason)
        return self._of_decisions(game, decisions)

    def _play(self, moves: tuple[int, ...], opening: int) -> tuple[Position, int, list[int]]:
        """The position after the legal moves, their number, and the decisions of each player.

        The first ``opening`` moves are not decisions.
        """
        number = self._game.facts.num_actions
        missing = (ply for ply, action in enumerate(moves) if not 0 <= action < number)
        count = next(missing, len(moves))
        position, decisions = self._game.initial_position(), np.zeros(2, np.int64)
        actions = np.array(moves[:count], np.int64)
        records = records_of(position.record)
        played = self._replay(self._game.rules, records, actions, opening, decisions)
        return position, played, decisions.tolist()

    def _is_adjudicated(self, game: StoredGame) -> bool:
        """Whether its tournament adjudicates games such as this one.

        The agents' scores are not stored, so only the form of an agreed result is checked.
        """
        settings, result = self._tournament.settings, game.result
        plies = settings.get("draw_after")
        if plies is not None and result.reason == drawn_reason(plies):
            length = max(plies, len(game.opening))
            return result.returns == (0.0, 0.0) and len(result.moves) == length
        first, second = result.returns
        in_agreement = "agreed_after" in settings and result.reason == agreed_reason(first)
        return in_agreement and first == -second != 0

    def _of_forfeit(
        self, game: StoredGame, to_move: int | None, decisions: list[int]
    ) -> str | None:
        result, seat = game.result, game.result.forfeited
        if result.fault is None or seat not in (0, 1) or to_move is None:
            return "has an impossible forfeit"
        returns = greatest_loss(self._game, seat)
        if result.returns != returns:
            return _instead("returns", result.returns, returns)
        if not result.reason.startswith(f"player_{seat} "):
            return _instead("the reason", result.reason, f"one of player_{seat}")
        if result.fault == ABANDONMENT and not self._scheduled:
            return None
        at_start = result.reason.endswith(BEFORE_THE_FIRST_MOVE)
        if at_start and result.moves != game.opening:
            return "was forfeited before the first move but has moves"
        if not at_start and seat != to_move:
            name = self._game.declaration.player_names(marked=True)[seat]
            return f"was forfeited by {name}, who was not to move"
        if not at_start:
            decisions[seat] += 1
        return self._of_decisions(game, decisions)

    def _of_decisions(self, game: StoredGame, decisions: list[int]) -> str | None:
        if not self._scheduled or game.result.decisions == tuple(decisions):
            return None
        return _instead("decisions", game.result.decisions, tuple(decisions))


@functools.lru_cache(maxsize=32)
def _shared(game: Game) -> Game:
    """The first game equal to this one, so that its kernels are looked up once."""
    return game


def _instead(what: str, there: object, right: object) -> str:
    return f"states {what} {there}, not {right}"
