"""Verification of a store: whether its games follow the rules and its agents are repeatable.

Every game is replayed by the rules. The agents play a sample again: an agent is repeatable if it
plays the same moves with the same seed in the same game. Agents that run code when created, such as
a program that the store names, are used only if the user allows them.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from ..agents.effects import not_to_make
from ..agents.faults import CRASHES, OUT_OF_TIME
from ..envs.registry import make_game
from ..envs.specification import SpecificationError
from .conditions import conditions_of
from .runners.contest import Arena, Contest
from .schedule import ScheduledGame
from .single_games import has_people
from .store.checks import Finding
from .store.store import Store, StoredGame, StoredTournament


class Deviation(NamedTuple):
    """A game that took a different course when played again.

    It differs from ply ``ply`` on, counted from 0; ``agent`` is the number of the agent to move
    there.
    """

    game: StoredGame
    ply: int
    agent: int


class Verification(NamedTuple):
    """The result of the verification of a tournament.

    Attributes:
        tournament: the tournament.
        games: its number of games.
        digest: digest of its content, including times.
        games_digest: digest of its settings, agents, moves and results.
        findings: its faults, such as games that are impossible as stored.
        played: the number of other games that the agents played again.
        deviations: the games of these that took a different course.
        not_asked: why no games were played again, or None.
        left_out: the specifications of skipped agents that were not allowed, and what creating
            each would do. Games between the others are played again.
    """

    tournament: StoredTournament
    games: int
    digest: str
    games_digest: str
    findings: list[Finding]
    played: int = 0
    deviations: tuple[Deviation, ...] = ()
    not_asked: str | None = None
    left_out: Mapping[str, str] = MappingProxyType({})

    @property
    def sound(self) -> bool:
        """Whether there are no findings."""
        return not (self.findings or self.deviations)

    def to_json(self) -> dict[str, Any]:
        labels = [entry.label for entry in self.tournament.agents]
        return {
            "tournament": self.tournament.name,
            "games": self.games,
            "digest": self.digest,
            "games_digest": self.games_digest,
            "sound": self.sound,
            "findings": [finding._asdict() for finding in self.findings],
            "played_again": self.played,
            "deviations": [
                {"pair": game.pair, "players": list(game.players), "ply": ply, "agent": labels[who]}
                for game, ply, who in self.deviations
            ],
            "not_asked": self.not_asked,
            "left_out": [{"agent": spec, "would": what} for spec, what in self.left_out.items()],
        }


def verify(
    tournament: StoredTournament,
    store: Store,
    games: int,
    isolation: str,
    seed: int = 1,
    on_game: Callable[[], None] | None = None,
    ask: Collection[str] = (),
) -> Verification:
    """Check all games of a tournament, and let its agents play some of them again.

    Games that ended by a limit or a crash are not played again, since they depend on more than the
    agents; nor are games with findings.

    Args:
        tournament: the tournament.
        store: its store.
        games: the maximum number of games to play again.
        isolation: which agents run in separate processes.
        seed: decides which games these are.
        on_game: called after each of them.
        ask: specifications of agents allowed although creating them runs code or opens files, or
            ``all``; see :mod:`plyground.agents.effects`.

    Raises:
        StoreError: the store cannot be read.
    """
    findings = store.findings(tournament)
    numbered = list(store.games_by_number(tournament.number))
    digests = store.digest(tournament.number), store.games_digest(tournament.number)
    verification = Verification(tournament, len(numbered), *digests, findings)
    for unchecked in (finding for finding in findings if finding.unchecked):
        return verification._replace(not_asked=unchecked.what)
    if has_people(tournament):
        return verification._replace(not_asked="people have played in it")
    if not games:
        return verification._replace(not_asked="no games were asked for")
    try:
        left_out = not_to_make((entry.spec for entry in tournament.agents), ask)
        verification = verification._replace(left_out=left_out)
        asked = [n for n, each in enumerate(tournament.agents) if each.spec not in left_out]
        contest = _contest(tournament, asked, isolation)
    except SpecificationError as error:
        return verification._replace(not_asked=str(error))
    repeatable = _repeatable(numbered, asked, {finding.game for finding in findings})
    sample = random.Random(seed).sample(repeatable, min(games, len(repeatable)))
    deviations = []
    with contextlib.closing(Arena(contest)) as arena:
        for number in sorted(sample):
            deviation = _play_again(arena, asked, store.game(number)[1])
            deviations += [] if deviation is None else [deviation]
            if on_game is not None:
                on_game()
    return verification._replace(played=len(sample), deviations=tuple(deviations))


def _repeatable(
    games: list[tuple[int, StoredGame | None]], asked: Sequence[int], suspect: set[int | None]
) -> list[int]:
    """The numbers of the games that these agents must repeat."""
    return [
        number
        for number, each in games
        if each is not None
        and number not in suspect
        and set(each.players) <= set(asked)
        and each.result.fault not in (*CRASHES, OUT_OF_TIME)
    ]


def _contest(tournament: StoredTournament, asked: Sequence[int], isolation: str) -> Contest:
    """The contest of a tournament's agents that play again.

    Raises:
        SpecificationError: an agent's identity has changed, or it cannot be created.
    """
    entries = [tournament.agents[number] for number in asked]
    labels, specs = (
        tuple(entry.label for entry in entries),
        tuple(entry.spec for entry in entries),
    )
    conditions = conditions_of(tournament.settings, isolation)
    contest = Contest(make_game(tournament.settings["game"]), specs, labels, conditions)
    for entry, now in zip(entries, contest.describe()):
        there, here = (entry.version, entry.sources), (now.version, now.sources)
        if there[0] != here[0] or (entry.sources and there[1] != here[1]):
            raise SpecificationError(
                f"{entry.label} ({now.identity}) differs from the agent in the store "
                f"({', code '.join(filter(None, there))})"
            )
    return contest


def _play_again(arena: Arena, asked: Sequence[int], game: StoredGame) -> Deviation | None:
    first, second = map(asked.index, game.players)
    result = arena.play(ScheduledGame(game.pair, (first, second), game.opening, game.seeds))
    now = (result.moves, result.returns, result.fault, result.forfeited)
    then = game.result
    if now == (then.moves, then.returns, then.fault, then.forfeited):
        return None
    pairs = itertools.zip_longest(result.moves, then.moves)
    ply = next((ply for ply, (one, other) in enumerate(pairs) if one != other), len(result.moves))
    position = arena.contest.game.position(result.moves[:ply])
    seat = next((s for s in (result.forfeited, then.forfeited) if s is not None), 0)
    return Deviation(game, ply, game.players[seat if position.is_over else position.to_move])
