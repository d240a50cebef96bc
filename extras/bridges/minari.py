"""Games of a store as Minari datasets, for offline reinforcement learning.

Each game becomes two episodes, one per player: its observations and actions at its turns, its
rewards until its next turn, and its final observation. Forfeited games are skipped.
"""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from ...commands.output import note
from ...envs.environments.observations import AS_DICT
from ...envs.game import Game
from ...envs.registry import make_game
from ...envs.specification import SpecificationError, refusing
from ...evaluation.store.store import Store, StoredGame, StoredTournament, StoreError

DATASETS_PATH = "MINARI_DATASETS_PATH"  # the folder of Minari's datasets


class PlayerEpisode(NamedTuple):
    """One player's side of a game, with T turns of this player.

    Attributes:
        observations: ``observation`` (int8, (T + 1, rows, columns, planes)) and ``action_mask``
            (int8, (T + 1, actions)); the last row is the final observation, where nothing is
            legal.
        actions: int64, (T,).
        rewards: float64, (T,): the player's reward until its next turn or the end.
        player: 0 or 1.
        agents: the names of both agents, the player's own first.
    """

    observations: dict[str, np.ndarray]
    actions: np.ndarray
    rewards: np.ndarray
    player: int
    agents: tuple[str, str]


def _player_episodes(
    game: Game, tournament: StoredTournament, game_record: StoredGame
) -> Iterator[PlayerEpisode]:
    """Both players' episodes of a game, without the moves of its opening.

    A player without a turn has no episode.
    """
    result = game_record.result
    position = game.position(result.moves[: len(game_record.opening)])
    views: tuple[list[Any], list[Any]] = ([], [])
    actions: tuple[list[int], list[int]] = ([], [])
    rewards: tuple[list[float], list[float]] = ([], [])
    for action in result.moves[len(game_record.opening) :]:
        player = position.to_move
        views[player].append((position.observation(player), position.action_mask()))
        actions[player].append(action)
        rewards[player].append(position.returns[player])
        position.play(action)
    labels = [tournament.agents[number].label for number in game_record.players]
    for player in (0, 1):
        if not actions[player]:
            continue
        last = (position.observation(player), np.zeros_like(views[player][0][1]))
        planes, masks = zip(*views[player], last)
        totals = np.array([*rewards[player], position.returns[player]], np.float64)
        yield PlayerEpisode(
            {"observation": np.stack(planes), "action_mask": np.stack(masks)},
            np.array(actions[player], np.int64),
            np.diff(totals),
            player,
            (labels[player], labels[1 - player]),
        )


@contextlib.contextmanager
def _datasets_in(folder: Path) -> Iterator[None]:
    """Make Minari write its datasets into this folder."""
    before = os.environ.get(DATASETS_PATH)
    os.environ[DATASETS_PATH] = str(folder.resolve())
    try:
        yield
    finally:
        if before is None:
            del os.environ[DATASETS_PATH]
        else:
            os.environ[DATASETS_PATH] = before


def export_minari(store: Store, folder: Path) -> dict[str, int]:
    """Write a dataset for each game of a store; returns the number of episodes by dataset id.

    Args:
        store: the store.
        folder: the folder of the datasets; ``minari.load_dataset`` finds them if it is the value
            of the environment variable ``MINARI_DATASETS_PATH``.

    Raises:
        SpecificationError: Minari is not installed.
        StoreError: a dataset exists already, or cannot be written.
    """
    with refusing(ImportError, 'this format needs Minari: pip install "minari[hdf5]"'):
        import minari
        from minari.data_collector import EpisodeBuffer
    buffers: dict[str, list[Any]] = defaultdict(list)
    games: dict[str, Game] = {}
    for tournament in store.tournaments():
        game = make_game(tournament.settings["game"])
        name = f"plyground/{game.spec.replace(':', '-').replace(',', '-').replace('=', '')}-v0"
        games[name] = game
        for game_record in store.games(tournament.number):
            if game_record.result.fault is not None:
                continue
            for episode in _player_episodes(game, tournament, game_record):
                count = len(episode.actions)
                ends = np.zeros(count, np.bool_)
                ends[-1] = True
                buffers[name].append(
                    EpisodeBuffer(
                        id=len(buffers[name]),
                        observations=episode.observations,
                        actions=episode.actions,
                        rewards=episode.rewards,
                        terminations=ends,
                        truncations=np.zeros(count, np.bool_),
                    )
                )
    folder.mkdir(parents=True, exist_ok=True)
    with _datasets_in(folder):
        for name, episodes in buffers.items():
            if (folder / name).exists():
                raise StoreError(f"{folder / name} exists already")
            game = games[name]
            minari.create_dataset_from_buffers(
                name,
                buffer=episodes,
                observation_space=AS_DICT.space(game),
                action_space=spaces.Discrete(game.facts.num_actions),
                algorithm_name="plyground tournament",
                description=f"Games of {game.spec}; one episode for each player of a game.",
            )
    return {name: len(episodes) for name, episodes in buffers.items()}


def export(store: Path, out: Path | None) -> None:
    """The format minari of ``plyground export``: a folder of datasets."""
    if out is None:
        raise SpecificationError("give the folder of the datasets: --format minari --out FOLDER")
    with Store(store) as games:
        for name, episodes in export_minari(games, out).items():
            note(f"{episodes} episodes in {out / name}; {DATASETS_PATH}={out}")


export.writes_folder = True  # type: ignore[attr-defined]
