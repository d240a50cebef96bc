"""Stored games against the rules: everything that follows from the moves is worked out again.

No agent is asked: the moves decide how a game ends and what it returns, the schedule decides
openings and seeds. :mod:`.verification` asks the agents as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from ..envs import rules as r
from ..envs.game import Game, IllegalActionError, Position
from ..envs.profile import Ending
from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from .match import AGREED_AFTER, DRAW_AFTER, agreed_reason, drawn_reason, greatest_loss
from .openings import Openings
from .schedule import agent_seed
from .single_games import ABANDONMENT, RESIGNATION, SCHEDULE
from .store.store import StoredGame, StoredTournament

BEFORE_THE_FIRST_MOVE = "before the first move"


class RuleCheck:
    """Compares the games of a tournament with what the rules and the schedule make of them.

    Args:
        game: the game of the tournament.
        tournament: the tournament.
    """

    def __init__(self, game: Game, tournament: StoredTournament) -> None:
        self._game, self._tournament = game, tournament
        settings = tournament.settings
        self._scheduled = settings.get("schedule") != SCHEDULE
        self._seed = settings.get("seed") if self._scheduled else None
        self._openings = self._openings_by_seed(str(settings.get("openings", "")))
        self._opening_of_pair: dict[int, tuple[int, ...]] = {}

    def _openings_by_seed(self, description: str) -> Openings | None:
        """The openings of the schedule, if they follow from the seed alone."""
        match = re.fullmatch(r"(?:(\d+) random|all positions after (\d+)) plies", description)
        if match is None or not isinstance(self._seed, int):
            return None
        kind = f"random:{match[1]}" if match[1] is not None else f"all:{match[2]}"
        return Openings(self._game, kind, self._seed)

    def contradiction(self, game: StoredGame) -> str | None:
        """What about a game cannot be, in words that follow its number; None if all is right."""
        return self._of_schedule(game) or self._of_course(game)

    def _of_schedule(self, game: StoredGame) -> str | None:
        """What about its place in the tournament cannot be."""
        agents = range(len(self._tournament.agents))
        if not all(number in agents for number in game.players) or len(set(game.players)) < 2:
            return f"is between agents {game.players[0]} and {game.players[1]}"
        if not 0 <= game.pair < self._tournament.pairs:
            return f"is of pair {game.pair}; {self._tournament.pairs} pairs were asked for"
        if not all(math.isfinite(seconds) and seconds >= 0 for seconds in game.result.seconds):
            return "has thinking times that cannot be"
        if not self._scheduled:
            return None
        if isinstance(self._seed, int):
            seeds = tuple(agent_seed(self._seed, game.pair, game.players, seat) for seat in (0, 1))
            if game.seeds != seeds:
                return "has other seeds than the schedule gives it"
        opening = (
            self._opening_of_pair.setdefault(game.pair, game.opening)
            if self._openings is None
            else self._openings[game.pair]
        )
        return None if game.opening == opening else "has another opening than its pair"

    def _of_course(self, game: StoredGame) -> str | None:
        """What about its moves and its result cannot be."""
        result, opening = game.result, game.opening
        if result.moves[: len(opening)] != opening:
            return "does not begin with its opening"
        position, decisions = self._game.initial_position(), [0, 0]
        for ply, action in enumerate(result.moves):
            if position.is_over:
                return f"goes on after its end at ply {ply}"
            if not (0 <= action < self._game.facts.num_actions and position.is_legal(action)):
                return f"has an illegal move at ply {ply}"
            if ply >= len(opening):
                decisions[position.to_move] += 1
            position.play(action)
        if result.fault is not None or result.forfeited is not None:
            return self._of_forfeit(game, None if position.is_over else position.to_move, decisions)
        if not position.is_over:
            if self._is_adjudicated(game):
                return self._of_decisions(game, decisions)
            given_up = not self._scheduled and result.reason == RESIGNATION
            losses = [greatest_loss(self._game, seat) for seat in (0, 1)] if given_up else []
            return None if result.returns in losses else "is not over after its moves"
        assert position.outcome is not None
        if result.returns != tuple(position.returns):
            return _instead("returns", result.returns, tuple(position.returns))
        if result.reason not in (position.outcome.reason, _earlier_reason(position)):
            return _instead("the reason", result.reason, position.outcome.reason)
        return self._of_decisions(game, decisions)

    def _is_adjudicated(self, game: StoredGame) -> bool:
        """Whether its tournament ends games such as this one before their end.

        What the agents saw is not stored: of an agreed result only its form is checked.
        """
        settings, result = self._tournament.settings, game.result
        plies = settings.get(DRAW_AFTER)
        if plies is not None and result.reason == drawn_reason(plies):
            length = max(plies, len(game.opening))
            return result.returns == (0.0, 0.0) and len(result.moves) == length
        first, second = result.returns
        in_agreement = AGREED_AFTER in settings and result.reason == agreed_reason(first)
        return in_agreement and first == -second != 0

    def _of_forfeit(
        self, game: StoredGame, to_move: int | None, decisions: list[int]
    ) -> str | None:
        result, seat = game.result, game.result.forfeited
        if result.fault is None or seat not in (0, 1) or to_move is None:
            return "cannot have been forfeited so"
        returns = greatest_loss(self._game, seat)
        if result.returns != returns:
            return _instead("returns", result.returns, returns)
        if not result.reason.startswith(f"player_{seat} "):
            return _instead("the reason", result.reason, f"one of player_{seat}")
        if result.fault == ABANDONMENT and not self._scheduled:
            return None
        at_start = result.reason.endswith(BEFORE_THE_FIRST_MOVE)
        if at_start and result.moves != game.opening:
            return "was forfeited before the first move, and has moves"
        if not at_start and seat != to_move:
            return f"was forfeited by player_{seat}, who was not to move"
        if not at_start:
            decisions[seat] += 1
        return self._of_decisions(game, decisions)

    def _of_decisions(self, game: StoredGame, decisions: list[int]) -> str | None:
        if not self._scheduled or game.result.decisions == tuple(decisions):
            return None
        return _instead("decisions", game.result.decisions, tuple(decisions))


def _earlier_reason(position: Position) -> str:
    """The reason of an end by the rules as earlier versions of plyground stored it."""
    ending = r.outcome_reason(position.game.rules, position.record)
    if isinstance(ending, Ending) and ending.earlier_values:
        ending = Ending(ending.key, ending.earlier_values)
    return position.game.profile.ending_text(ending)


def ending_of(game: StoredGame, settings: Mapping[str, Any]) -> Ending | str:
    """Why a stored game ended: by its rules, or ``reason.…`` or ``fault.…`` and its values.

    Args:
        game: how it went.
        settings: of its tournament.
    """
    result = game.result
    if result.fault is not None:
        values = {"player": result.forfeited, "reason": result.reason}
        return Ending(f"fault.{result.fault.replace(' ', '_')}", values)
    try:
        position = make_game(settings["game"]).position(result.moves)
    except (SpecificationError, IllegalActionError):  # such as a game of a package that is gone
        return result.reason
    if position.is_over:
        return r.outcome_reason(position.game.rules, position.record)
    if result.reason == RESIGNATION:
        return Ending("reason.resignation")
    if result.winner is None and settings.get(DRAW_AFTER) is not None:
        return Ending("reason.drawn_after", {"plies": settings[DRAW_AFTER]})
    if result.winner is not None and AGREED_AFTER in settings:
        return Ending("reason.agreed", {"player": result.winner})
    return result.reason


def _instead(what: str, there: object, right: object) -> str:
    return f"states {what} {there}, not {right}"
