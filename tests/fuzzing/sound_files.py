"""A sound file of every kind that plyground reads, and the commands that make it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

from command_line import done
from plyground.agents.policies import zoo

from fuzzing.cases import TOML

PACKAGED, CARD = zoo.FOLDER, "tic_tac_toe/tic_tac_toe_3x3.json"
SETTINGS = {
    "ppo": "games=8 rollout=8 batch_size=32 epochs=1 dense=8",
    "dqn": "games=8 rollout=4 batch_size=16 minibatches=1 dense=8 memory=64 first_steps=16",
    "alphazero": "games=4 simulations=2 simulations_per_update=64 hours=0 "
    "batch_size=8 channels=4 blocks=0 hidden=4",
    "supervised": "batch_size=8 batches_per_update=2 channels=4 blocks=0 hidden=4",
}
LAST = "supervised"  # it learns from another file
STEPS = {"ppo": 128, "dqn": 64, "alphazero": 100, "supervised": 32}
COMMON = "evaluations=1 evaluation_pairs=1"
PROOF = ["solve", "dots_and_boxes:rows=2,cols=2", "--proof", "proof"]
BOOK = ["analyse", "tic_tac_toe", "--agent", "alphabeta:depth=1,book=plain.book"]
DATASET = ["dataset", "tic_tac_toe", "--positions", "600", "--out", "parts.npz"]


def training(algorithm: str, folder: str, seed: int = 1, steps: int | None = None) -> list[str]:
    """The command of a small run."""
    words = ["train", algorithm, "tic_tac_toe", "--out", folder, "--seed", str(seed)]
    words += ["--evaluate", "random", "--keep", "1"]
    words += {"alphazero": ["--workers", "1"], "supervised": ["--data", "plain.npz"]}.get(
        algorithm, []
    )
    values = f"steps={steps or STEPS[algorithm]} {COMMON} {SETTINGS[algorithm]}"
    return words + [word for each in values.split() for word in ("--set", each)]


def parts_of_a_dataset() -> None:
    """A build that was stopped after its first chunk."""
    from plyground import make_game
    from plyground.extras.perfect_play.datasets.build import BuildProgress, build_dataset

    def stop(done: int, total: int) -> None:
        if done > 0:
            raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt):
        game, out = make_game("tic_tac_toe"), Path("parts.npz")
        build_dataset(game, 600, out, progress=BuildProgress(solved=stop))


def networks() -> None:
    """The table of boards, and a network with its model card."""
    (Path("networks") / "tic_tac_toe").mkdir(parents=True)
    for path in (PACKAGED / "boards.json", *PACKAGED.glob(f"{CARD.removesuffix('.json')}.*")):
        shutil.copy(path, Path("networks") / path.relative_to(PACKAGED))


def made(words: list[str]) -> Callable[[], None]:
    def make() -> None:
        done(*words)

    return make


def small_book(name: str, agent: str) -> list[str]:
    return ["book", "tic_tac_toe", "--agent", agent, "--plies", "2", "--out", name]


def small_dataset(name: str, seed: int = 1) -> list[str]:
    words = ["dataset", "tic_tac_toe", "--positions", "60", "--out", name]
    return [*words, "--seed", str(seed)]


# What makes each sound file, or folder; those with "other" are there to swap parts with.
MAKERS: dict[str, Callable[[], None]] = {
    "plain.npz": made(small_dataset("plain.npz")),
    "other.npz": made(small_dataset("other.npz", 2)),
    "plain.parquet": made(small_dataset("plain.parquet")),
    "plain.book": made(small_book("plain.book", "greedy")),
    "other.book": made(small_book("other.book", "random")),
    "plain.toml": lambda: Path("plain.toml").write_text(TOML.replace("openings.txt", "random:2")),
    "proof": made(PROOF),
    "parts.npz.parts": parts_of_a_dataset,
    "networks": networks,
    **{name: made(training(name, name)) for name in SETTINGS},
    **{f"{name}_other": made(training(name, f"{name}_other", 2)) for name in SETTINGS},
}


def copy_sound(sound: Path, folder: Path, *names: str) -> None:
    """Copy sound files or folders; what is asked for first is made in the folder ``sound``."""
    for name in names:
        if not (sound / name).exists():
            with contextlib.chdir(sound):
                MAKERS[name]()
        if (sound / name).is_dir():
            shutil.copytree(sound / name, folder / name)
        else:
            shutil.copy(sound / name, folder / name)


# What is copied, and a command that reads it.
READERS: list[tuple[tuple[str, ...], list[str]]] = [
    *(((name,), training(name, name, steps=2 * STEPS[name])) for name in SETTINGS if name != LAST),
    (("plain.npz", LAST), training(LAST, LAST, steps=2 * STEPS[LAST])),
    (("ppo",), ["ladder", "ppo", "--pairs", "1"]),
    (("ppo",), ["curves", "ppo"]),
    (("parts.npz.parts",), DATASET),
    (("plain.book",), BOOK),
    (("plain.toml",), ["tournament", "plain.toml"]),
    (("proof",), [*PROOF, "--check", "2"]),
]
