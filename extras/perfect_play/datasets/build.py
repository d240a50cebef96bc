"""Creating a dataset: draw positions, solve them in chunks, write the file.

A stopped build can be resumed: finished chunks are kept in the folder ``FILE.parts`` until the file
is complete.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....agents.registry import make_agent
from ....agents.solvers.chunks import solve_chunks
from ....agents.solvers.solver import DEFAULT_MEMORY_MB, solver_class_of
from ....envs import __version__
from ....envs.game import Game
from ....envs.loading.files import written_whole
from ....envs.loading.locks import locked
from ....envs.loading.records import read_json
from ....envs.specification import SpecificationError, refusing
from ....envs.workers.jobs import HERE, JobPlace
from .file import TEACHER, check_arrays, check_file_name, read_arrays, write
from .labels import Labels, label
from .positions import (
    MAX_GAMES_WITHOUT_NEW,
    Actions,
    PositionSet,
    Report,
    check_plies,
    games_of_agent,
    positions_of_games,
    positions_of_random_play,
)
from .teacher import Lesson, labels_of, lessons

CHUNK = 500  # positions that are solved and saved together


class Source(NamedTuple):
    """The source of positions.

    Attributes:
        name: ``random``, the specification of an agent, or the name of a store.
        games: the actions of finished games, for a store; None otherwise.
    """

    name: str = "random"
    games: Iterable[Actions] | None = None


RANDOM_PLAY = Source()


class BuildProgress(NamedTuple):
    """Callbacks during a build, each called with (done, total)."""

    drawn: Report | None = None
    solved: Report | None = None


SILENT = BuildProgress()


def build_dataset(
    game: Game,
    count: int,
    out: Path,
    *,
    plies: range | None = None,
    seed: int = 1,
    source: Source = RANDOM_PLAY,
    place: JobPlace = HERE,
    memory_mb: int = DEFAULT_MEMORY_MB,
    progress: BuildProgress = SILENT,
) -> int:
    """Write a dataset; returns its number of positions.

    It has fewer positions than ``count`` if there are no more. The same arguments give the same
    file, wherever its positions are solved. A stopped build is resumed.

    Raises:
        SpecificationError: no solver for the game, impossible plies, a file that cannot be written
            or that another process is writing, or parts of another dataset under the same name.
    """
    check_file_name(out)
    solver_class_of(game)
    plies = range(game.facts.longest_game) if plies is None else plies
    check_plies(game, plies)
    if source.games is None:
        make_agent(source.name, game)  # an unknown one is refused before anything is written
    settings = _metadata(game, count, plies, seed, source.name)
    with locked(out, "made"):
        parts = _Parts(out.with_name(out.name + ".parts"), settings)
        positions = parts.positions(lambda: _draw(game, count, plies, seed, source, progress.drawn))
        if not positions:
            parts.remove()
            raise SpecificationError(f"no position of {game.spec} was found at these plies")
        chunks = [positions[start : start + CHUNK] for start in range(0, len(positions), CHUNK)]
        labels = _solve(game, chunks, parts, place, memory_mb, progress.solved)
        write(out, columns_of(game, positions, labels), settings | {"positions": len(positions)})
        parts.remove()
    return len(positions)


def build_taught_dataset(
    game: Game,
    count: int,
    out: Path,
    teacher: str,
    *,
    plies: range | None = None,
    seed: int = 1,
    place: JobPlace = HERE,
    progress: Report | None = None,
) -> int:
    """Write a dataset of a teacher's moves; returns its number of positions.

    It contains all distinct positions (up to symmetry) of the teacher's games at these plies. The
    same arguments give the same file. A stopped build starts again.

    Raises:
        SpecificationError: no such teacher, impossible plies, or a file that cannot be written or
            that another process is writing.
    """
    check_file_name(out)
    plies = range(game.facts.longest_game) if plies is None else plies
    check_plies(game, plies)
    spec = make_agent(teacher, game).spec
    with locked(out, "made"):
        answers = _taught(game, count, plies, lessons(game, teacher, seed, place), progress)
        positions = [lesson.actions for lesson in answers]
        metadata = _metadata(game, len(answers), plies, seed, spec) | {TEACHER: spec}
        write(out, columns_of(game, positions, labels_of(game, answers)), metadata)
    return len(answers)


def _taught(
    game: Game, count: int, plies: range, games: Iterable[list[Lesson]], progress: Report | None
) -> list[Lesson]:
    """A teacher's moves in the distinct positions of its games."""
    positions, answers, without_new = PositionSet(game), list[Lesson](), 0
    for game_lessons in games:
        before = len(answers)
        for lesson in game_lessons:
            if len(lesson.actions) in plies and len(answers) < count:
                if positions.add(game.position(lesson.actions)):
                    answers.append(lesson)
        if progress is not None:
            progress(len(answers), count)
        without_new = 0 if len(answers) > before else without_new + 1
        if len(answers) == count or without_new >= MAX_GAMES_WITHOUT_NEW:
            break
    if not answers:
        raise SpecificationError(f"no position of {game.spec} was found at these plies")
    return answers


def columns_of(game: Game, positions: list[Actions], labels: Labels) -> dict[str, np.ndarray]:
    """The columns of a dataset, from its positions (the actions that lead to them) and labels."""
    count, facts = len(positions), game.facts
    moves = np.full((count, max(map(len, positions), default=0)), -1, np.int16)
    arrays = {
        "observation": np.zeros((count, *facts.observation_shape), np.int8),
        "action_mask": np.zeros((count, facts.num_actions), np.int8),
        "action_values": labels.values,
        "action_results": labels.results,
        "value": labels.values.max(axis=1, initial=np.iinfo(np.int16).min),
        "result": labels.results.max(axis=1, initial=np.iinfo(np.int8).min),
        "ply": np.array([len(actions) for actions in positions], np.int16),
        "to_move": np.zeros(count, np.int8),
        "key": np.zeros(count, np.uint64),
        "moves": moves,
    }
    for row, actions in enumerate(positions):
        position = game.position(actions)
        moves[row, : len(actions)] = actions
        arrays["observation"][row] = position.observation()
        arrays["action_mask"][row] = position.action_mask()
        arrays["to_move"][row] = position.to_move
        arrays["key"][row] = position.key
    return arrays


def _metadata(game: Game, count: int, plies: range, seed: int, source: str) -> dict[str, Any]:
    """The metadata of a file."""
    return {
        "game": game.spec,
        "rules": game.declaration.game_id,
        "plyground": __version__,
        "positions": count,
        "plies": [plies.start, plies.stop - 1],
        "seed": seed,
        "source": source,
    }


def _draw(
    game: Game, count: int, plies: range, seed: int, source: Source, report: Report | None
) -> list[Actions]:
    """The positions of a source, in a shuffled order, so that all chunks take about as long."""
    if source.games is not None:
        positions = positions_of_games(game, source.games, count, plies, report)
    elif source.name == "random":
        positions = positions_of_random_play(game, count, plies, seed, report)
    else:
        games = games_of_agent(game, make_agent(source.name, game), seed)
        positions = positions_of_games(game, games, count, plies, report)
    order = np.random.default_rng(seed).permutation(len(positions))
    return [positions[index] for index in order]


def _solve(
    game: Game,
    chunks: Sequence[list[Actions]],
    parts: _Parts,
    place: JobPlace,
    memory_mb: int,
    report: Report | None,
) -> Labels:
    """The labels of all chunks; finished ones of an earlier build are read."""
    labels_by_chunk = {
        number: part
        for number, chunk in enumerate(chunks)
        if (part := parts.labels(number, game, chunk))
    }
    missing = [number for number in range(len(chunks)) if number not in labels_by_chunk]
    count, total = sum(len(chunks[number]) for number in labels_by_chunk), sum(map(len, chunks))
    if report is not None:
        report(count, total)
    rest = [chunks[number] for number in missing]
    for index, labels in solve_chunks(game, label, rest, place, memory_mb):
        number = missing[index]
        parts.keep(number, chunks[number], labels)
        labels_by_chunk[number] = labels
        count += len(chunks[number])
        if report is not None:
            report(count, total)
    parts_in_order = [labels_by_chunk[number] for number in range(len(chunks))]
    return Labels(*(np.concatenate(fields) for fields in zip(*parts_in_order)))


class _Parts:
    """The folder of an unfinished dataset.

    Raises:
        SpecificationError: the folder belongs to another dataset, or cannot be written.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.folder = folder
        path = folder / "settings.json"
        try:
            folder.mkdir(exist_ok=True)
            if not path.exists():
                self._write(path, json.dumps(settings).encode())
        except OSError as error:
            raise SpecificationError(f"{folder} cannot be used: {error.strerror}") from None
        if read_json(path) != settings:
            raise SpecificationError(
                f"{folder} contains parts of another dataset; finish it with the same settings, "
                f"remove the folder, or choose another file name"
            )

    def positions(self, draw: Callable[[], list[Actions]]) -> list[Actions]:
        """The positions, drawn once and then kept."""
        path = self.folder / "positions.npz"
        if path.exists():
            arrays = self._load(path, {"actions": np.int16, "lengths": np.int64}, {})
            lengths, actions = arrays["lengths"], arrays["actions"]
            if lengths.min(initial=0) < 0 or lengths.sum() != len(actions):
                raise SpecificationError(f"{path} is damaged: its lengths do not match its actions")
            return [tuple(part.tolist()) for part in np.split(actions, np.cumsum(lengths)[:-1])]
        positions_of_source = draw()
        actions = np.array([action for each in positions_of_source for action in each], np.int16)
        lengths = np.array([len(each) for each in positions_of_source], np.int64)
        self._save(path, actions=actions, lengths=lengths)
        return positions_of_source

    def labels(self, number: int, game: Game, positions: list[Actions]) -> Labels | None:
        """The labels of a chunk, if it was solved before."""
        path = self._chunk(number)
        if not path.exists():
            return None
        shape = (len(positions), game.facts.num_actions)
        kinds = {"values": np.int16, "results": np.int8, "positions": np.uint8}
        arrays = self._load(path, kinds, {"values": shape, "results": shape})
        if not np.array_equal(arrays["positions"], _digest(positions)):
            raise SpecificationError(f"{path} contains values of other positions")
        return Labels(arrays["values"], arrays["results"])

    def keep(self, number: int, positions: list[Actions], labels: Labels) -> None:
        """Save the labels of a chunk."""
        self._save(self._chunk(number), positions=_digest(positions), **labels._asdict())

    def _load(
        self, path: Path, kinds: dict[str, Any], shapes: dict[str, Any]
    ) -> dict[str, np.ndarray]:
        arrays = read_arrays(path)
        with refusing(SpecificationError, f"{path} is damaged"):
            check_arrays(arrays, kinds, dict.fromkeys(kinds, (None,)) | shapes)
        return arrays

    def remove(self) -> None:
        """Remove the folder; the dataset is complete."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _chunk(self, number: int) -> Path:
        return self.folder / f"{number:06d}.npz"

    def _save(self, path: Path, **arrays: np.ndarray) -> None:
        try:
            with written_whole(path) as stream:
                np.savez(stream, **arrays)  # type: ignore[arg-type]
        except OSError as error:
            raise SpecificationError(f"{path} cannot be written: {error.strerror}") from None

    def _write(self, path: Path, data: bytes) -> None:
        with written_whole(path) as stream:
            stream.write(data)


def _digest(positions: list[Actions]) -> np.ndarray:
    """The identity of positions."""
    return np.frombuffer(hashlib.sha256(repr(positions).encode()).digest(), np.uint8)
