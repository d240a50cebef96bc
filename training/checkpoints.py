"""The content of a checkpoint, as bytes and as a state; reading it executes no code."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from ..envs.loading.records import Count, Range, Share, check_likeness, check_value
from ..envs.specification import SpecificationError, first_line
from .folder import Measured, RunFolder, TrainingError, newest_checkpoint

Seconds = Annotated[float, Range(low=0)]


class _ResultRow(TypedDict):
    """A score of a policy against an opponent."""

    opponent: str
    score: Measured
    low: Measured
    high: Measured


class _RunState(TypedDict):
    """What a checkpoint holds beside its learner's state."""

    description: str
    seconds: tuple[Seconds, Seconds]
    measuring_seconds: NotRequired[Seconds]  # of versions that count them
    cores: Seconds
    best: float | None
    best_rows: list[_ResultRow]
    scores: dict[str, Measured]
    evaluated: Count
    taken: tuple[Count, Count, Share]
    waiting: list[Count]
    intervals: dict[str, tuple[Measured, Measured]]
    snapshot: tuple[Share, Count]
    unrated: list[Count]
    measuring: tuple[Seconds, Seconds]


@contextlib.contextmanager
def refusing_checkpoint(path: Path) -> Iterator[None]:
    """Convert errors of torch and a learner about an invalid state to a TrainingError."""
    try:
        yield
    except TrainingError:
        raise
    except SpecificationError as error:
        raise TrainingError(str(error)) from None
    except Exception as error:
        raise TrainingError(
            f"{path} holds no checkpoint of such a run: {first_line(error)}"
        ) from None


def initial_learner(run: Path) -> dict[str, Any]:
    """The state of the learner in a run's newest checkpoint, as the start of another run.

    Raises:
        TrainingError: the folder has no intact checkpoint.
    """
    payload = newest_checkpoint(run)
    if payload is None:
        raise TrainingError(f"initial={run} is not possible: it has no intact checkpoint")
    with refusing_checkpoint(run):
        return dict(unpack(payload)["learner"])


def restore_newest(
    folder: RunFolder, learner: Any, on_note: Callable[[str], None]
) -> dict[str, Any] | None:
    """Restore a learner from a run's newest checkpoint; returns its content, None without one.

    Raises:
        TrainingError: it belongs to another run, or is not a checkpoint of a run.
    """
    checkpoint, notes = folder.load_checkpoint()
    for note in notes:
        on_note(note)
    if checkpoint is None:
        if not folder.is_new:
            on_note(f"{folder.path} has no checkpoint yet; starting from the beginning")
        folder.lengthen()
        return None
    path = checkpoint.path
    with refusing_checkpoint(path):
        state = unpack(checkpoint.payload)
        check_value(state, _RunState, str(path), more=True)
        folder.check_checkpoint(path, state["description"])
        check_likeness(state, learner.state(), str(path))
        learner.load_state(state)
    if learner.step != int(path.stem):
        raise TrainingError(f"{path} is no checkpoint of its step, but of {learner.step:,}")
    folder.lengthen()
    return state


def pack(state: dict[str, Any]) -> bytes:
    """A checkpoint's content as bytes."""
    import torch

    buffer = io.BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()


def unpack(payload: bytes) -> dict[str, Any]:
    """The inverse of :func:`pack`; reading a checkpoint executes no code."""
    import torch

    return dict(torch.load(io.BytesIO(payload), map_location="cpu", weights_only=True))
