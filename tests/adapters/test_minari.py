"""Minari reads the games of a store as episodes of offline reinforcement learning."""

from __future__ import annotations

import importlib.metadata

import minari
import numpy as np
from checks import note
from plyground import make_game
from plyground.evaluation.plan import Plan
from plyground.evaluation.store.store import Store
from plyground.evaluation.tournament import Tournament
from plyground.extras.bridges.minari import export_minari


def test_a_dataset_holds_both_sides_of_every_game(tmp_path, monkeypatch):
    with Store(tmp_path / "games.db") as store:
        plans = [
            Plan("connect_four", ("greedy", "random"), 5),
            Plan("dots_and_boxes:rows=2,cols=2,reward=margin", ("greedy", "random"), 5),
        ]
        tournaments = [Tournament(plan, store) for plan in plans]
        for tournament in tournaments:
            tournament.run()
        played = [list(tournament.played()) for tournament in tournaments]
        written = export_minari(store, tmp_path / "datasets")
    assert list(written.values()) == [20, 20]
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    for name, tournament, games in zip(written, tournaments, played):
        dataset = minari.load_dataset(name)
        assert dataset.total_episodes == 2 * len(games)
        episodes = list(dataset.iterate_episodes())
        for number, game in enumerate(games):
            for player in (0, 1):
                episode = episodes[2 * number + player]
                assert episode.rewards.sum() == game.result.returns[player]
                assert episode.terminations.tolist() == [False] * (len(episode) - 1) + [True]
                masks = episode.observations["action_mask"]
                assert masks[np.arange(len(episode)), episode.actions].all()
                assert not masks[-1].any()
            assert sum(len(episodes[2 * number + player]) for player in (0, 1)) == len(
                game.result.moves
            ) - len(game.opening)
        board = make_game(tournament.plan.game)
        assert dataset.action_space.n == board.facts.num_actions
    note(library=f"Minari {importlib.metadata.version('minari')}")
