"""Single games in a store: games that people play or watch.

They belong to no schedule. The games of the same two sides at the same game form one tournament in
the store, so that reports, exports and replays treat them like any others.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..agents.human import HumanAgent
from ..envs import __version__
from ..envs.game import Game
from .fingerprints import Description, describe, sources_of
from .match import (
    ABANDONMENT,
    REPORTED_BY,
    RESIGNATION,
    SINGLE_GAMES,
    GameResult,
    greatest_loss,
)
from .store.store import Store, StoredGame, StoredTournament
from .tournament import default_name

HUMAN = HumanAgent.name


def person() -> Description:
    """The description of a person."""
    return describe(HumanAgent())


def joint_entry(entries: Sequence[Description]) -> Description:
    """The description of a side played by several agents, as after a change of level."""
    distinct = list(dict.fromkeys(entry.label for entry in entries))
    if len(distinct) == 1:
        return entries[0]
    text = ", then ".join(distinct)
    return Description(text, {}, entries[0].version, label=text)


def has_people(tournament: StoredTournament) -> bool:
    """Whether a person has played in a tournament."""
    return any(entry.spec == HUMAN for entry in tournament.agents)


def concession(
    game: Game,
    moves: tuple[int, ...],
    seat: int,
    seconds: tuple[float, float],
    decisions: tuple[int, int],
    leaves: bool = False,
) -> GameResult:
    """The result if the player of a seat resigns, or leaves, which is a forfeit."""
    returns = greatest_loss(game, seat)
    reason = f"player_{seat} left the game" if leaves else RESIGNATION
    fault, loser = (ABANDONMENT, seat) if leaves else (None, None)
    return GameResult(moves, returns, reason, fault, loser, seconds, decisions)


def store_game(
    store: Store,
    game: Game,
    sides: tuple[Description, Description],
    result: GameResult,
    opening: tuple[int, ...] = (),
    seeds: tuple[int, int] = (0, 0),
    reported_by: str = "",
) -> int:
    """Commit a game to a store; returns its number there.

    Args:
        store: the store; the file is created if there is none.
        game: the game.
        sides: the agents, or people, in seats 0 and 1.
        result: the result.
        opening: the given actions, with which the moves of the result begin.
        seeds: the seeds that the agents were reset with.
        reported_by: who reported the game, if this program did not observe it.

    Raises:
        StoreError: the store cannot be written.
    """
    first, second = sides
    swap = (second.spec == HUMAN, second.label) > (first.spec == HUMAN, first.label)
    if first.label == second.label:
        second, swap = second._replace(label=f"{second.label} #2"), False
    entries = [second, first] if swap else [first, second]
    settings = {
        "game": game.spec,
        "rules": f"{game.declaration.game_id} of plyground {__version__}",
        "agents": [entry.spec for entry in entries],
        "agent versions": [entry.version for entry in entries],
        "format": SINGLE_GAMES,
    }
    if reported_by:
        settings[REPORTED_BY] = reported_by
    code = sources_of(game, tuple(entry.sources for entry in entries))
    name = default_name(settings | {"code": code.digest})  # other code begins another tournament
    told = f", {REPORTED_BY} {reported_by}" if reported_by else ""
    tournament = store.enter_tournament(
        f"{SINGLE_GAMES} of {name}{told}", settings, entries, 0, sources=code.of_play
    )
    players = (1, 0) if swap else (0, 1)
    return store.add_next(tournament, StoredGame(0, players, opening, seeds, result))
