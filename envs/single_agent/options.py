"""The options of environments with automatic opponents, declared once.

Users write them as keywords: ``gymnasium.make(…, seat=0)``.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from gymnasium.vector import AutoresetMode


class LearnerOptions(TypedDict, total=False):
    """Options of every environment for learners.

    Attributes:
        seat: the learner's, 0 (moves first) or 1, or ``"random"``, the default: drawn for every
            game.
        illegal: ``"penalty"``, the default: an illegal action ends the game, with the reward that
            brings the episode's sum to the game's lowest return (−1 where a loss is −1);
            ``"raise"``: IllegalActionError, and the game stays as it is.
        opening_plies: every game begins with random moves of both players, from none to this many,
            drawn anew; 0 by default.
        long_openings: the share of games, 0 by default, that begin with up to
            ``long_opening_plies`` random moves, so that positions of all phases are learnt.
        long_opening_plies: see there.
        regret: what judges the learner's actions, an agent or its specification, such as
            ``"alphabeta:depth=4"`` or ``"solver:moves=all"``: the reward of an action is then
            its value less that of the best one, at most 0. None, the default: the reward is the
            learner's gain.
        observation, layout, dtype, mask_key, planes_key: those of
            :class:`~plyground.envs.environments.observations.ObservationOptions`.
    """

    seat: int | Literal["random"]
    illegal: Literal["penalty", "raise"]
    opening_plies: int
    long_openings: float
    long_opening_plies: int
    regret: Any
    observation: Literal["planes", "dict"]
    layout: Literal["hwc", "chw", "flat"]
    dtype: Any
    mask_key: str
    planes_key: str


class SingleOptions(LearnerOptions, total=False):
    """Options of the environment of one game.

    Attributes:
        render_mode: ``"human"`` (a window), ``"rgb_array"`` (uint8 pixels), ``"ansi"`` (text) or
            None, the default.
    """

    render_mode: str | None


class VectorOptions(LearnerOptions, total=False):
    """Options of the vector environment.

    Attributes:
        device: ``"cpu"``, the default, or a GPU, ``"cuda"`` or ``"cuda:1"``: see
            :class:`~plyground.envs.single_agent.device_env.DeviceVectorEnv`.
        threads: threads that share the games, 1 by default; for compiled opponents only.
        copy: whether observations and masks are copies, as by default; if not, the next step
            overwrites them.
        autoreset_mode: an ``AutoresetMode`` or its name, ``"same-step"`` (the default),
            ``"next-step"`` or ``"disabled"``.
        render_mode: ``"rgb_array"`` (uint8 pixels), ``"ansi"`` (text) or None, the default.
    """

    device: str
    threads: int
    copy: bool
    autoreset_mode: AutoresetMode | str
    render_mode: str | None
