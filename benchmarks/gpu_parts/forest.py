"""Self-play on a GPU, trees included; a part of ``../gpu.py``.

Before any speed, the games and trees of every game are compared with those of the processor, to the
bit, in some turns with random outputs of a network. Then simulations per second at connect four:
with as many games as a trial chooses, on all processors and on two, and beside it mctx and Pgx,
whose searches have 32 simulations, with networks of the same shape.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from plyground import make_game
from plyground.agents.search import forest_games
from plyground.agents.search.device_forest import DeviceForest
from plyground.agents.search.forest import SearchSettings, new_streams, search_options
from plyground.envs.registry import game_names
from plyground.training.alphazero.learner import AlphaZeroLearner
from plyground.training.alphazero.on_device import DeviceSelfPlayer, with_games

from .mctx import has_mctx, mctx_simulations_a_second
from .places import Place

COMPARED, TURNS, SIMULATIONS = 64, 100, 16
SHAPES = ("32x3", "128x6")
LEAVES = {"connect_four": (0, 4, 8, 14), "othello": (0, 4, 6, 8, 10)}  # plies left where solved
GAMES = 16_384  # of these
FEWEST_IN_TEST = 8  # games of the trial without a card


def differences(spec: str, place: Place) -> int:
    """The turns of games on the device that differ from the processor's; 0, as it should be."""
    game = make_game(spec)
    options = search_options(game, SearchSettings(simulations=str(SIMULATIONS)), 0.0)
    count = 4 if place.quick else COMPARED
    forest = DeviceForest(game, options, count, 7, SIMULATIONS, 64, place.device)
    alone = [forest_games.new_self_play(game, options, 1, 7, SIMULATIONS, 64) for _ in range(count)]
    for play, stream in zip(alone, new_streams(count, 7)):
        play.games.streams[0] = stream
        forest_games.begin_games(game.rules, play)
    random, wrong = np.random.default_rng(3), 0
    waiting = np.zeros(count, np.int64)
    for _ in range(TURNS):
        logits = random.normal(size=(count, game.facts.num_actions)).astype(np.float32)
        values = np.tanh(random.normal(size=count)).astype(np.float32)
        forest.logits.copy_(torch.from_numpy(logits))
        forest.values.copy_(torch.from_numpy(values))
        forest.advance()
        forest.take_samples()
        leaves, there = forest.observations.cpu().numpy(), forest.games()
        for i, play in enumerate(alone):
            answer = logits[i : i + 1], values[i : i + 1]
            waiting[i] = forest_games.advance(game.rules, play, waiting[i], *answer)
            play.samples.count[0] = 0
            wrong += leaves[i].tobytes() != play.forest.leaves.observations[0].tobytes()
            wrong += there.positions[i].tobytes() != play.games.positions[0].tobytes()
        wrong += forest.waiting.tolist() != waiting.tolist()
    return wrong


def player_of(shape: str, place: Place) -> DeviceSelfPlayer:
    """Self-play at connect four with a network of this shape, of as many games as a trial says."""
    game = make_game("connect_four")
    settings = place.settings(game, shape, games=0, simulations=32)
    with TemporaryDirectory() as folder:
        fewest = {} if place.is_gpu else {"fewest": FEWEST_IN_TEST}
        settings = with_games(game, settings, place.device, Path(folder), print, **fewest)
    player = DeviceSelfPlayer(game, settings, place.device, 1)
    player.begin_round(AlphaZeroLearner(game, settings, 1, place.device.place).weights(), 0.5)
    return player


def measure_forest(place: Place) -> bool:
    """Keep the results; returns whether all games are equal to the processor's."""
    all_equal = True
    for spec in game_names()[: 2 if place.quick else None]:
        wrong = differences(spec, place)
        all_equal &= wrong == 0
        text = f"{wrong} DIFFERENCES" if wrong else "games and trees equal"
        place.keep(f"forest {spec}: {text}", {"part": "forest", "game": spec, "differences": wrong})
    if not all_equal:
        return False
    for shape in SHAPES[: 1 if place.quick else None]:
        player = player_of(shape, place)
        games, rate, _ = player.rate(place.seconds)
        row = {"part": "forest", "shape": shape, "games": games, "simulations_per_second": rate}
        processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {*sorted(processors)[:2]})
        row["on_two_processors"] = player.rate(place.seconds).simulations
        os.sched_setaffinity(0, processors)
        text = (
            f"forest {shape}: {games:,} games, {rate:,.0f} simulations/s; on two processors "
            f"{row['on_two_processors']:,.0f}"
        )
        if has_mctx():
            count = 64 if place.quick else 4096
            row["mctx"] = mctx_simulations_a_second(shape, count, 32, place.seconds)
            text += f"; mctx {row['mctx']:,.0f}"
        place.keep(text, row)
    return True


def measure_leaves(place: Place) -> None:
    """Simulations per second by the plies left where leaves are solved."""
    count, shape = (GAMES, "128x5") if place.is_gpu else (FEWEST_IN_TEST, SHAPES[0])
    for spec, all_plies in LEAVES.items():
        game = make_game(spec)
        settings = place.settings(game, shape, games=count, simulations="24,40", full_share=1)
        player = DeviceSelfPlayer(game, settings, place.device, 1)
        weights = AlphaZeroLearner(game, settings, 1, place.device.place).weights()
        for plies in all_plies[: 2 if place.quick else None]:
            search = settings.search.replace(solved_plies=plies)
            player.settings = settings.replace(search=search)
            player.begin_round(weights, 0.5)
            _, rate, turns = player.rate(place.seconds / 15)
            place.keep(
                f"leaves {spec}, at most {plies} plies left: {rate:,.0f} simulations/s, "
                f"{1000 / turns:.1f} ms a turn of {count:,} games",
                {"part": "leaves", "game": spec, "plies": plies, "games": count,
                 "simulations_per_second": rate, "turns_per_second": turns},
            )  # fmt: skip
