"""Verification of a store: was it changed, do its games follow the rules, are agents repeatable?

The digests of the store tell what was changed after plyground had written it. Every game is played
through by the rules. Of a sample, the agents are asked again: an agent is repeatable if it plays
the same with the same seed in the same game.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from ..agents.faults import CRASHES, OUT_OF_TIME
from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from .match import adjudication_of
from .replay import RuleCheck
from .runners.contest import (
    Arena,
    Conditions,
    Contest,
    ScheduledGame,
)
from .single_games import has_people
from .store.digests import Change
from .store.store import Store, StoredGame, StoredTournament


class Deviation(NamedTuple):
    """A game that took another course when it was played again.

    It differs from ply ``ply`` on, counted from 0; ``agent`` is the number of the agent to move
    there.
    """

    game: StoredGame
    ply: int
    agent: int


class Verification(NamedTuple):
    """What was found out about a tournament.

    Attributes:
        tournament: the tournament.
        games: how many games it has.
        changes: what was changed in the store by other means than plyground.
        contradictions: games that cannot have gone as they are stored.
        played: how many of the other games the agents have played again.
        deviations: those of them that took another course.
        not_asked: why the agents were not asked, or None.
    """

    tournament: StoredTournament
    games: int
    changes: list[Change]
    contradictions: list[Change]
    played: int = 0
    deviations: tuple[Deviation, ...] = ()
    not_asked: str | None = None

    @property
    def sound(self) -> bool:
        """Whether nothing was found that should not be."""
        return not (self.changes or self.contradictions or self.deviations)

    def to_json(self) -> dict[str, Any]:
        labels = [entry.label for entry in self.tournament.agents]
        return {
            "tournament": self.tournament.name,
            "games": self.games,
            "digest": self.tournament.digest,
            "sound": self.sound,
            "changes": [change._asdict() for change in self.changes],
            "contradictions": [change._asdict() for change in self.contradictions],
            "played_again": self.played,
            "deviations": [
                {"pair": game.pair, "players": list(game.players), "ply": ply, "agent": labels[who]}
                for game, ply, who in self.deviations
            ],
            "not_asked": self.not_asked,
        }


def verify(
    tournament: StoredTournament,
    store: Store,
    games: int,
    isolation: str,
    seed: int = 1,
    on_game: Callable[[], None] | None = None,
) -> Verification:
    """Check all games of a tournament, and let its agents play some of them again.

    The agents are not asked about games that a limit or a crash ended, since these depend on more
    than the agents; nor about games of which it is known that they were changed.

    Args:
        tournament: the tournament.
        store: the store that holds it.
        games: how many games the agents play again at most.
        isolation: which agents play from processes of their own.
        seed: decides which games these are.
        on_game: called after each of them.

    Raises:
        StoreError: the store cannot be read.
    """
    try:
        game = make_game(str(tournament.settings.get("game")))
    except SpecificationError as error:
        return _unchecked(tournament, store, str(error))
    verification, repeatable = _check_games(tournament, store, RuleCheck(game, tournament))
    if has_people(tournament):
        return verification._replace(not_asked="people have played in it")
    if not games:
        return verification._replace(not_asked="no games were asked for")
    sample = random.Random(seed).sample(repeatable, min(games, len(repeatable)))
    try:
        contest = _contest(tournament, isolation)
    except SpecificationError as error:
        return verification._replace(not_asked=str(error))
    deviations = []
    with contextlib.closing(Arena(contest)) as arena:
        for number in sorted(sample):
            deviation = _play_again(arena, store.game(number)[1])
            deviations += [] if deviation is None else [deviation]
            if on_game is not None:
                on_game()
    return verification._replace(played=len(sample), deviations=tuple(deviations))


def _unchecked(tournament: StoredTournament, store: Store, fault: str) -> Verification:
    """The verification of a tournament of which there is no such game."""
    numbers = [number for number, _ in store.games_by_number(tournament.number)]
    changes = store.changes(tournament.number)
    unchecked = [Change(f"game {number} cannot be checked: {fault}", number) for number in numbers]
    return Verification(tournament, len(numbers), changes, unchecked, not_asked=fault)


def _check_games(
    tournament: StoredTournament, store: Store, check: RuleCheck
) -> tuple[Verification, list[int]]:
    """What digests and rules say of a tournament, and which games its agents can play again."""
    changes = store.changes(tournament.number)
    suspect = {change.game for change in changes}
    contradictions: list[Change] = []
    repeatable: list[int] = []
    count = 0
    for number, game in store.games_by_number(tournament.number):
        count += 1
        wrong = "cannot be read" if game is None else check.contradiction(game)
        if wrong is not None:
            contradictions.append(Change(f"game {number} {wrong}", number))
        elif game is not None and game.result.fault not in (*CRASHES, OUT_OF_TIME):
            repeatable += [] if number in suspect else [number]
    return Verification(tournament, count, changes, contradictions), repeatable


def _contest(tournament: StoredTournament, isolation: str) -> Contest:
    """The contest of a tournament's agents.

    Raises:
        SpecificationError: an agent is no longer the one that played, or cannot be made.
    """
    labels = tuple(entry.label for entry in tournament.agents)
    specs = tuple(entry.spec for entry in tournament.agents)
    conditions = Conditions(isolation, adjudication=adjudication_of(tournament.settings))
    contest = Contest(make_game(tournament.settings["game"]), specs, labels, conditions)
    for entry, now in zip(tournament.agents, contest.describe()):
        there, here = (entry.version, entry.sources), (now.version, now.sources)
        if there[0] != here[0] or (entry.sources and there[1] != here[1]):
            raise SpecificationError(
                f"{entry.label} is another one now ({now.identity}) than in the store "
                f"({', code '.join(filter(None, there))})"
            )
    return contest


def _play_again(arena: Arena, game: StoredGame) -> Deviation | None:
    result = arena.play(ScheduledGame(game.pair, game.players, game.opening, game.seeds))
    now = (result.moves, result.returns, result.fault, result.forfeited)
    then = game.result
    if now == (then.moves, then.returns, then.fault, then.forfeited):
        return None
    pairs = itertools.zip_longest(result.moves, then.moves)
    ply = next((ply for ply, (one, other) in enumerate(pairs) if one != other), len(result.moves))
    position = arena.contest.game.position(result.moves[:ply])
    seat = next((s for s in (result.forfeited, then.forfeited) if s is not None), 0)
    return Deviation(game, ply, game.players[seat if position.is_over else position.to_move])
