"""Shared options of environments: observations, and the start of an episode.

AEC, Gymnasium and vector environments take the same options. Without options nothing is converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from ..game import Game, Position
from ..registry import game_called
from ..specification import SpecificationError

MASK = "action_mask"
KINDS = ("planes", "dict")
LAYOUTS = ("hwc", "chw", "flat")
DTYPES = ("int8", "uint8", "int32", "int64", "float16", "float32", "float64")
NO_GAME = (
    "an observation alone does not identify its game; make the agent for a game: "
    "make_agent(spec, game=…) or as_policy(agent, game)"
)


class ObservationOptions(NamedTuple):
    """The observation options of an environment.

    Attributes:
        observation: ``"planes"``, or ``"dict"``: a dictionary of the planes and the action mask.
        layout: the layout of the planes: ``"hwc"`` (rows, columns, planes), ``"chw"`` (planes,
            rows, columns) or ``"flat"``, the numbers of ``"hwc"`` in one row.
        dtype: the type of the planes' numbers, which are 0 and 1 in each: int8, uint8, int32,
            int64, float16, float32 or float64. The mask is int8.
        mask_key: the mask's name in the dictionary.
        planes_key: the planes' name in the dictionary.
    """

    observation: str = "planes"
    layout: str = "hwc"
    dtype: Any = "int8"
    mask_key: str = MASK
    planes_key: str = "observation"

    @classmethod
    def read(cls, defaults: ObservationOptions, keywords: dict[str, Any]) -> ObservationOptions:
        """Extract the options from keywords that include others.

        Raises:
            SpecificationError: an invalid value.
        """
        options = {name: keywords.pop(name) for name in cls._fields if name in keywords}
        return defaults._replace(**options)._validate()

    def _validate(self) -> ObservationOptions:
        for name, value, choices in (
            ("observation", self.observation, KINDS),
            ("layout", self.layout, LAYOUTS),
        ):
            if value not in choices:
                raise SpecificationError(
                    f"{name}={value!r} is not possible; it is one of {', '.join(choices)}"
                )
        try:
            dtype = np.dtype(self.dtype).name
        except TypeError:
            dtype = None
        if dtype not in DTYPES:
            raise SpecificationError(
                f"dtype={self.dtype!r} is not possible; it is one of {', '.join(DTYPES)}"
            )
        for name, key in (("mask_key", self.mask_key), ("planes_key", self.planes_key)):
            if not isinstance(key, str) or not key:
                raise SpecificationError(f"{name}={key!r} is not possible; it is a text")
        if self.mask_key == self.planes_key:
            raise SpecificationError(
                f"mask_key and planes_key are both {self.mask_key!r}; they must differ"
            )
        return self._replace(dtype=dtype)

    @property
    def leaves_planes(self) -> bool:
        """Whether planes are not converted: int8 of shape (rows, columns, planes)."""
        return self.layout == "hwc" and self.dtype == "int8"

    def space(self, game: Game) -> spaces.Box | spaces.Dict:
        """The space of the observations."""
        shape = self.planes(np.empty(game.facts.observation_shape, np.int8)).shape
        planes = spaces.Box(0, 1, shape, np.dtype(self.dtype).type)
        if self.observation == "planes":
            return planes
        mask = spaces.Box(0, 1, (game.facts.num_actions,), np.int8)
        return spaces.Dict({self.planes_key: planes, self.mask_key: mask})

    def planes(self, planes: np.ndarray) -> np.ndarray:
        """Planes of shape (…, rows, columns, planes) in the chosen layout and type."""
        if self.layout == "chw":
            planes = np.moveaxis(planes, -1, -3)
        elif self.layout == "flat":
            planes = planes.reshape(*planes.shape[:-3], -1)
        return np.ascontiguousarray(planes, dtype=self.dtype)

    def show(self, planes: np.ndarray, mask: np.ndarray) -> Any:
        """The observation of one position or of many; arrays may be shared with the input."""
        if not self.leaves_planes:
            planes = self.planes(planes)
        if self.observation == "planes":
            return planes
        return {self.planes_key: planes, self.mask_key: mask}


def find_layout(shape: Any, planes_shape: tuple[int, ...]) -> str | None:
    """The layout for a shape, or None.

    Args:
        shape: the shape of an observation.
        planes_shape: (rows, columns, planes), as the game writes them.
    """
    rows, cols, planes = planes_shape
    layouts = {"hwc": planes_shape, "chw": (planes, rows, cols), "flat": (rows * cols * planes,)}
    return next((name for name, its_shape in layouts.items() if its_shape == shape), None)


def planes_and_masks(
    game: Game, observation: Any, info: Any = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """The planes and action masks of a game from an observation of an environment.

    Args:
        game: the game.
        observation: one or many positions: planes in any layout and of any type, or a dictionary of
            them with ``action_mask``.
        info: a dictionary with ``action_mask``, or one for each position.

    Returns:
        int8 arrays of shape (rows, columns, planes) and (num_actions,), or both with n in front of
        it; None for missing masks.

    Raises:
        ValueError: it is not an observation of the game.
    """
    mask = None
    if isinstance(observation, Mapping):
        mask = observation.get(MASK)
        others = [name for name in observation if name != MASK]
        if len(others) != 1:
            raise ValueError(
                f"an observation is a dictionary of planes and {MASK}, not of "
                f"{', '.join(map(str, observation)) or 'nothing'}"
            )
        observation = observation[others[0]]
    if mask is None and isinstance(info, Mapping):
        mask = info.get(MASK)
    elif mask is None and isinstance(info, (list, tuple)) and all(MASK in one for one in info):
        mask = np.stack([one[MASK] for one in info])
    planes, shape = np.asarray(observation), game.facts.observation_shape
    for ahead in (0, 1):
        layout = find_layout(planes.shape[ahead:], shape)
        if layout is not None:
            break
    else:
        raise ValueError(
            f"{game.spec} is observed as an array of shape {shape}, channels first, flat, or many "
            f"of these, not {planes.shape}"
        )
    if layout == "chw":
        planes = np.moveaxis(planes, ahead, -1)
    planes = np.ascontiguousarray(planes.reshape(*planes.shape[:ahead], *shape), np.int8)
    return planes, None if mask is None else np.asarray(mask, np.int8)


def starting_position(game: Game, start: Any) -> Position:
    """A copy of the position where an episode begins.

    Args:
        game: the game.
        start: a Position, or the actions that lead to it (numbers, or their names).

    Raises:
        ValueError: a position of another game, one that is over or that no game reaches, or actions
            that lead to none.
    """
    if isinstance(start, Position):
        if start.game != game:
            raise ValueError(
                f"this is an environment of {game.spec}; {start!r} is not one of its positions"
            )
        for problem in start.problems():
            raise ValueError(f"no game reaches {start.to_text()!r}: {problem}")
        position = start.copy()
    elif isinstance(start, (list, tuple, np.ndarray)):
        position = game.position(start)
    else:
        raise ValueError(f"options['position'] is a Position or a list of actions, not {start!r}")
    if position.is_over:
        raise ValueError(f"no game can begin where it is over ({position.outcome})")
    return position


AS_PLANES = ObservationOptions()
AS_DICT = ObservationOptions("dict")


def position_shown(situation: Any, game: Game | None) -> Position:
    """The position of a situation in which an action is chosen.

    Args:
        situation: a live AEC environment, plyground's or PettingZoo's own of the same game, or an
            observation dictionary.
        game: the game of an observation; None: unknown.

    Raises:
        ValueError: the game is over, has not begun, or is unknown; or the observation fits no
            position.
        TypeError: it is none of these.
    """
    if isinstance(situation, Mapping) and "observation" in situation:
        if game is None:
            raise ValueError(NO_GAME)
        if MASK in situation and not np.any(situation[MASK]):
            raise ValueError(
                "there is nothing to decide: the action mask is all zeros (the game is over, or "
                "another player is to move)"
            )
        return game.position_from_observation(situation["observation"])
    inner = getattr(situation, "unwrapped", situation)
    position = getattr(inner, "position", None)
    if isinstance(position, Position):
        return position
    metadata = getattr(inner, "metadata", None)
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    classic = game_called(name, "pettingzoo") if isinstance(name, str) else None
    if classic is None:
        raise TypeError(
            f"an agent acts on a Position, an environment of plyground or of PettingZoo's same "
            f"games, or an observation dictionary, not on {type(situation).__name__}"
        )
    if not hasattr(inner, "agent_selection"):
        raise ValueError(f"there is nothing to decide: {name} was not reset")
    return classic.position_from_observation(inner.observe(inner.agent_selection)["observation"])
