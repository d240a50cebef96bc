"""The file of a dataset: Parquet or npz, its columns, its metadata, and its reader.

docs/extras/datasets.md lists the columns. The metadata state the game, the schema, the seed, the
source of the positions and the versions.
"""

from __future__ import annotations

import itertools
import json
import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypedDict

import numpy as np

from ....envs.game import Game, Position
from ....envs.loading.files import written_whole
from ....envs.loading.records import check_value, parse_json
from ....envs.registry import game_of_file
from ....envs.specification import SpecificationError, check_names, first_line, refusing

SCHEMA_VERSION = 1
METADATA_KEY = "plyground"
SOLVER = "the exact solver"
TEACHER = "teacher"  # the metadata key of the agent that gave the answers, if not the solver
ROWS_IN_GROUP = 65_536
FORMATS = (".parquet", ".npz")
# The columns of a file with their types.
COLUMNS = {
    "observation": np.int8,
    "action_mask": np.int8,
    "action_values": np.int16,
    "action_results": np.int8,
    "value": np.int16,
    "result": np.int8,
    "ply": np.int16,
    "to_move": np.int8,
    "key": np.uint64,
    "moves": np.int16,
}
# Exceptions of the readers for damaged files.
DAMAGES = (OSError, ValueError, LookupError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
_INSTALL = 'Parquet files need pyarrow: pip install "plyground[parquet]"; or choose a file FILE.npz'


class Metadata(TypedDict):
    """The parsed metadata of a file."""

    schema: int
    game: str
    rules: str


class Dataset:
    """Positions with the exact values of their actions, in memory.

    Attributes:
        arrays: the columns by name, each of shape (positions, …); ``moves`` is padded with −1.
        metadata: the metadata of the file.
        game: the game of the positions.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]) -> None:
        self.arrays: dict[str, np.ndarray] = dict(arrays)
        self.metadata: dict[str, Any] = dict(metadata)
        self.game: Game = game_of_file(metadata["game"], metadata["rules"])

    @property
    def teacher(self) -> str | None:
        """The specification of the agent that gave the answers; None for the exact solver.

        After joining files with different answers, all are listed, separated by "and".
        """
        return self.metadata.get(TEACHER)

    def __len__(self) -> int:
        return len(self.arrays["value"])

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        """One position: its row of every column."""
        return {name: array[index] for name, array in self.arrays.items()}

    def position(self, index: int) -> Position:
        """One position, as a game position."""
        moves = self.arrays["moves"][index]
        return self.game.position(moves[moves >= 0].tolist())

    def batches(
        self, size: int, seed: int | None = None, drop_last: bool = False
    ) -> Iterator[dict[str, np.ndarray]]:
        """Iterate over all positions in batches of ``size``: in the file's order, or shuffled."""
        order = np.arange(len(self))
        if seed is not None:
            np.random.default_rng(seed).shuffle(order)
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            if len(rows) < size and drop_last:
                return
            yield {name: array[rows] for name, array in self.arrays.items()}

    def torch(self) -> Any:
        """The dataset as a ``torch.utils.data.Dataset`` of dictionaries of tensors.

        ``key`` becomes int64 with the same bits, because few operations of PyTorch know uint64.
        """
        from torch import from_numpy
        from torch.utils.data import StackDataset

        tensors: dict[str, Any] = {
            name: from_numpy(array.view(np.int64) if array.dtype == np.uint64 else array)
            for name, array in self.arrays.items()
        }
        return StackDataset(**tensors)


def check_file_name(path: Path) -> None:
    """Refuse a file name with an unknown or unavailable format, with a SpecificationError."""
    if path.suffix not in FORMATS:
        raise SpecificationError(f"{path} is not a {' or '.join(FORMATS)} file name")
    if path.suffix == ".parquet":
        _pyarrow()
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise SpecificationError(f"{path} cannot be written: its folder does not exist")


def write(path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]) -> None:
    """Write a dataset; the format follows from the name. The file appears when it is complete.

    Raises:
        SpecificationError: the file cannot be written.
    """
    text = json.dumps({"schema": SCHEMA_VERSION, **metadata}, ensure_ascii=False)
    with refusing(OSError, f"{path} cannot be written"), written_whole(path) as stream:
        (_write_parquet if path.suffix == ".parquet" else _write_npz)(stream, arrays, text)


def load(path: str | Path, *more: str | Path) -> Dataset:
    """Read a dataset; several files are joined in this order.

    The values of a position are in the unit of its source: the solver, or a teacher.

    Raises:
        SpecificationError: there is no such file, it is not a dataset of this schema, or the
            files differ in their game.
    """
    first, *others = load_boards([Path(each) for each in (path, *more)])
    if others:
        raise SpecificationError(
            f"{', '.join(map(str, (path, *more)))} cannot be joined: they are of "
            f"{first.game.spec} and {others[0].game.spec}"
        )
    return first


def load_boards(paths: Sequence[Path]) -> list[Dataset]:
    """Read datasets, joined by their games; in the order of each game's first file.

    Raises:
        SpecificationError: as for :func:`load`; the games may differ.
    """
    games: dict[Game, list[Dataset]] = {}
    for path in paths:
        part = _load(path)
        games.setdefault(part.game, []).append(part)
    return [_joined(parts) for parts in games.values()]


def _joined(parts: Sequence[Dataset]) -> Dataset:
    """Join datasets of one game."""
    first = parts[0]
    width = max(part.arrays["moves"].shape[1] for part in parts)
    for part in parts:
        moves = part.arrays["moves"]
        missing = ((0, 0), (0, width - moves.shape[1]))
        part.arrays["moves"] = np.pad(moves, missing, constant_values=-1)
    arrays = {name: np.concatenate([part.arrays[name] for part in parts]) for name in first.arrays}
    teachers = names_of_teachers(parts)
    return Dataset(arrays, first.metadata | ({TEACHER: teachers} if teachers != SOLVER else {}))


def names_of_teachers(parts: Sequence[Dataset]) -> str:
    """The sources of the answers, separated by "and"."""
    return " and ".join(dict.fromkeys(part.teacher or SOLVER for part in parts))


def _load(path: Path) -> Dataset:
    if not path.is_file():
        raise SpecificationError(f"there is no dataset {path}")
    complaint = f"{path} is not a dataset of plyground"
    try:
        arrays, text = (_read_parquet if path.suffix == ".parquet" else _read_npz)(path)
    except SpecificationError:
        raise
    except Exception as error:  # readers raise anything for foreign or damaged files
        raise SpecificationError(f"{complaint}: {first_line(error)}") from None
    place = f"{complaint}: its metadata"
    metadata = parse_json(text.encode(errors="replace"), place)
    check_value(metadata, Metadata, place, more=True)
    if metadata["schema"] != SCHEMA_VERSION:
        raise SpecificationError(
            f"{path} is a dataset of schema {metadata['schema']}; this plyground reads schema "
            f"{SCHEMA_VERSION}"
        )
    with refusing(SpecificationError, complaint):
        dataset = Dataset(arrays, metadata)
        _check_columns(dataset.arrays, dataset.game)
    return dataset


def _check_columns(arrays: dict[str, np.ndarray], game: Game) -> None:
    """Refuse columns that do not fit a dataset; in Parquet the planes of a position are flat."""
    count = arrays["value"].size if "value" in arrays else 0
    planes: tuple[int, ...] = (count, *game.facts.observation_shape)
    actions = (count, game.facts.num_actions)
    shapes: dict[str, tuple[int | None, ...]] = dict.fromkeys(COLUMNS, (count,))
    shapes |= dict.fromkeys(("action_mask", "action_values", "action_results"), actions)
    shapes |= {"observation": planes, "moves": (count, None)}
    if "observation" in arrays and arrays["observation"].size == math.prod(planes):
        arrays["observation"] = arrays["observation"].reshape(planes)
    check_arrays(arrays, COLUMNS, shapes)
    best = arrays["action_values"].max(axis=1, initial=np.iinfo(np.int16).min)
    if not np.array_equal(arrays["value"], best):
        raise SpecificationError("the column value is not the maximum of action_values")


def check_arrays(
    arrays: Mapping[str, np.ndarray],
    kinds: Mapping[str, Any],
    shapes: Mapping[str, tuple[int | None, ...]],
) -> None:
    """Refuse columns that do not match a schema.

    Args:
        arrays: the columns by name.
        kinds: their types.
        shapes: their shapes; None means any length.

    Raises:
        SpecificationError: a column is missing, unknown, or has the wrong type or shape.
    """
    check_names("there is no column", arrays, kinds)
    for name, kind in kinds.items():
        if name not in arrays:
            raise SpecificationError(f"the column {name} is missing")
        array, shape = arrays[name], shapes[name]
        fits = len(shape) == array.ndim and all(
            here in (None, there) for here, there in zip(shape, array.shape)
        )
        if array.dtype != kind or not fits:
            lengths = " × ".join("any" if each is None else str(each) for each in shape)
            raise SpecificationError(
                f"the column {name} is {array.dtype} of shape {array.shape}; it must be "
                f"{np.dtype(kind)} of {lengths}"
            )


def _pyarrow() -> Any:
    with refusing(ImportError, _INSTALL):
        import pyarrow
        import pyarrow.parquet
    return pyarrow


def _write_npz(stream: BinaryIO, arrays: Mapping[str, np.ndarray], text: str) -> None:
    np.savez_compressed(stream, **{METADATA_KEY: np.array(text)}, **arrays)  # type: ignore[arg-type]


def _read_npz(path: Path) -> tuple[dict[str, np.ndarray], str]:
    arrays = read_arrays(path)
    return arrays, str(arrays.pop(METADATA_KEY))


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an npz file, read without executing code.

    Raises:
        SpecificationError: it cannot be read, or is not an npz file.
    """
    with refusing(DAMAGES, f"{path} is damaged"), np.load(path, allow_pickle=False) as file:
        return dict(file)


def _write_parquet(stream: BinaryIO, arrays: Mapping[str, np.ndarray], text: str) -> None:
    """Columns with several numbers per position become lists, of fixed length except moves."""
    pa = _pyarrow()
    columns = {}
    for name, array in arrays.items():
        if name == "moves":
            lists = [row[row >= 0] for row in array]
            columns[name] = pa.array(lists, pa.list_(pa.int16()))
        elif array.ndim == 1:
            columns[name] = pa.array(array)
        else:
            flat = np.ascontiguousarray(array).reshape(-1)
            width = int(np.prod(array.shape[1:]))
            columns[name] = pa.FixedSizeListArray.from_arrays(pa.array(flat), width)
    table = pa.table(columns).replace_schema_metadata({METADATA_KEY: text})
    pa.parquet.write_table(table, stream, compression="zstd", row_group_size=ROWS_IN_GROUP)


def _read_parquet(path: Path) -> tuple[dict[str, np.ndarray], str]:
    pa = _pyarrow()
    table = pa.parquet.read_table(path)
    text = (table.schema.metadata or {}).get(METADATA_KEY.encode())
    if text is None:
        raise ValueError("its metadata has no key 'plyground'")
    arrays = {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if name == "moves":
            lists = column.to_pylist()
            padded = itertools.zip_longest(*lists, fillvalue=-1)
            arrays[name] = np.array(list(padded), np.int16).T.reshape(len(lists), -1)
        elif pa.types.is_fixed_size_list(column.type):
            flat = column.flatten().to_numpy(zero_copy_only=False)
            arrays[name] = flat.reshape(len(column), -1)
        else:
            arrays[name] = column.to_numpy(zero_copy_only=False)
    return arrays, text.decode()
