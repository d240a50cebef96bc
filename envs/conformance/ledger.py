"""A record of what a library and an environment exchange, and the classic mistakes in it.

``trace(env)`` wraps an environment and keeps a ledger of everything played. :meth:`Ledger.learnt`
adds the library's side, the transitions that it learns from. The two must agree.

It detects these mistakes: an illegal action was taken; the reward at the end was lost; the wrong
    player was credited; a reset observation, or an action that was never played, was learnt from;
    losses were never seen. It warns of games that repeat each other move for move: their mean says
    no more than one of them.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

if TYPE_CHECKING:
    AnyVectorWrapper = VectorWrapper[Any, Any, Any, Any, Any]
else:
    AnyVectorWrapper = VectorWrapper  # no generic class before Gymnasium 1.3


NEWEST_GAMES, FEWEST_GAMES = 10, 4  # of these at most half may repeat others


class Transition(NamedTuple):
    """One action of a player, and its consequences until its next turn or the end.

    Attributes:
        player: who acted: the agent's name in AEC environments, otherwise the learner's seat.
        observation: what it saw, as bytes of float32 numbers.
        action: what it played.
        reward: the reward.
        after: the next observation, as bytes.
        is_last: whether the game was over.
        legal: whether the action was legal; None without a mask.
    """

    player: Any
    observation: bytes
    action: int
    reward: float
    after: bytes
    is_last: bool
    legal: bool | None


class Ledger:
    """The transitions of an environment, and those that a library learnt from.

    Attributes:
        transitions: all transitions of the environment so far.
    """

    def __init__(self) -> None:
        self.transitions: list[Transition] = []
        self._learnt: list[Transition] = []
        self._first: set[bytes] = set()
        self._last: set[bytes] = set()
        self._courses: dict[Hashable, int] = {}  # of the running games
        self._newest: deque[int] = deque(maxlen=NEWEST_GAMES)
        self._has_warned = False

    def learnt(
        self,
        observation: Any,
        action: Any,
        reward: float,
        next_observation: Any = None,
        done: bool = False,
        player: Any = None,
    ) -> None:
        """Record a transition that the library learns from, in any order.

        Args:
            observation: the observation; its type and axes may differ from the environment's, the
                order of its numbers must not.
            action: the action.
            reward: the reward used for learning.
            next_observation: the next observation; None: the library does not say.
            done: whether it was the last of its game.
            player: who acted, as in :class:`Transition`; None: the library does not say.
        """
        after = b"" if next_observation is None else numbers_of(next_observation)
        self._learnt.append(
            Transition(
                player,
                numbers_of(observation),
                int(np.asarray(action).item()),
                float(np.asarray(reward).item()),
                after,
                bool(done),
                None,
            )
        )

    def add_start(self, observation: Any) -> None:
        """Record the first observation of a game."""
        self._first.add(numbers_of(observation))

    def add(self, transition: Transition, game: Hashable = 0) -> None:
        """Record a transition of the environment, in one of the parallel games."""
        self.transitions.append(transition)
        step = (self._courses.pop(game, 0), transition.observation, transition.action)
        if transition.is_last:
            self._last.add(transition.after)
            self._newest.append(hash(step))
            self._warn_of_repetitions()
        else:
            self._courses[game] = hash(step)

    def _warn_of_repetitions(self) -> None:
        """Warn once if at least half of the newest games repeat others."""
        games, different = len(self._newest), len(set(self._newest))
        if games >= FEWEST_GAMES and 2 * different <= games and not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"the newest {games} games are only {different} different ones, move for move; "
                f"their mean says little. opening_plies=4 begins each game with random moves",
                stacklevel=2,
            )

    def findings(self) -> list[str]:
        """The mistakes, each as a sentence with its number of cases; empty if there are none."""
        counts: Counter[str] = Counter()
        counts["an illegal action was taken"] = sum(one.legal is False for one in self.transitions)
        by_action = defaultdict(list)
        for one in self.transitions:
            by_action[one.observation, one.action].append(one)
        for learnt in self._learnt:
            counts[self._compare(learnt, by_action[learnt.observation, learnt.action])] += 1
        if self._learnt:
            counts |= self._unseen()
        return [f"{what} ({count} times)" for what, count in counts.items() if what and count > 0]

    def check(self) -> None:
        """Raise AssertionError with all findings, if there are any."""
        if mistakes := self.findings():
            raise AssertionError("; ".join(mistakes))

    def _compare(self, learnt: Transition, candidates: list[Transition]) -> str:
        """The mistake in a transition that was learnt from; "" if there is none."""
        if not candidates:
            if learnt.observation in self._last:
                return "an action after the end of a game, which was never played, was learnt from"
            return "a transition that never happened was learnt from"
        if any(_agree(learnt, one) for one in candidates):
            return ""
        one = next(
            (one for one in candidates if learnt.player in (None, one.player)), candidates[0]
        )
        if one.reward != 0.0 and learnt.reward == -one.reward:
            return "the wrong player was credited: the reward has the opposite sign"
        if learnt.player not in (None, one.player):
            return "the wrong player was credited: another one acted"
        if one.is_last and not learnt.is_last and learnt.after in self._first:
            return "a reset observation was learnt from: it was taken for what follows the end"
        if one.is_last and one.reward != 0.0 and learnt.reward == 0.0:
            return "the reward at the end of a game was lost"
        if one.is_last and not learnt.is_last:
            return "the end of a game was taken for a step like any other"
        if learnt.reward != one.reward:
            return "a transition was learnt with another reward than the environment gave"
        return "a transition was learnt with another next observation than the environment gave"

    def _unseen(self) -> Counter[str]:
        """The transitions that were not learnt from."""
        counts: Counter[str] = Counter()
        learnt = {(one.observation, one.action) for one in self._learnt}
        ends = [one for one in self.transitions if one.is_last]
        if ends and not any((one.observation, one.action) in learnt for one in ends):
            counts["the last transition of a game was never learnt from"] = len(ends)
        lost = sum(one.reward < 0 for one in ends)
        if lost and not any(one.reward < 0 for one in self._learnt):
            counts["a game was lost, and no loss was ever seen"] = lost
        return counts


def _agree(learnt: Transition, one: Transition) -> bool:
    """Whether a transition was learnt as it happened; the observation after an end is ignored."""
    return (
        learnt.player in (None, one.player)
        and abs(learnt.reward - one.reward) < 1e-6
        and learnt.is_last == one.is_last
        and (one.is_last or learnt.after in (b"", one.after))
    )


def numbers_of(observation: Any) -> bytes:
    """An observation's numbers as bytes, regardless of type and axes; masks are left out."""
    if isinstance(observation, Mapping):
        parts = [value for key, value in sorted(observation.items()) if "mask" not in key]
        return b"".join(map(numbers_of, parts))
    if hasattr(observation, "detach"):  # a tensor
        observation = observation.detach().cpu().numpy()
    return np.ascontiguousarray(observation, np.float32).tobytes()


class TracedEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A Gymnasium environment that keeps a :class:`Ledger`, its attribute ``ledger``."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.ledger: Ledger = Ledger()
        self._observation = b""
        self._mask: Any = None
        self._seat: int | None = None

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """As the environment's."""
        observation, info = self.env.reset(**options)
        self.ledger.add_start(observation)
        self._remember(observation, info)
        return observation, info

    def _remember(self, observation: Any, info: dict[str, Any]) -> None:
        self._observation, self._mask = numbers_of(observation), info.get("action_mask")
        self._seat = int(info["seat"]) if "seat" in info else None

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the environment's."""
        before, mask, seat = self._observation, self._mask, self._seat
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._remember(observation, info)
        is_last = bool(terminated or truncated)
        number = int(np.asarray(action).item())
        legal = _is_legal(mask, number)
        self.ledger.add(
            Transition(seat, before, number, float(reward), self._observation, is_last, legal)
        )
        return observation, reward, terminated, truncated, info


class TracedVectorEnv(AnyVectorWrapper):
    """A vector environment that keeps a :class:`Ledger`, its attribute ``ledger``."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self.ledger: Ledger = Ledger()
        self._mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._over = np.zeros(env.num_envs, np.bool_)

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """As the environment's."""
        which = (options.get("options") or {}).get("reset_mask", np.ones_like(self._over))
        observations, infos = self.env.reset(**options)
        self._over &= ~which
        self._remember(observations, infos)
        for game in np.flatnonzero(which).tolist():
            self.ledger.add_start(_row(observations, game))
        return observations, infos

    def _remember(self, observations: Any, infos: dict[str, Any]) -> None:
        rows = range(self.env.num_envs)
        self._observation = [numbers_of(_row(observations, game)) for game in rows]
        masks, seats = infos.get("action_mask"), infos.get("seat")
        self._masks = None if masks is None else masks.copy()
        self._seats = [None] * len(rows) if seats is None else np.asarray(seats).tolist()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """As the environment's."""
        before, masks, seats = self._observation, self._masks, self._seats
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        self._remember(observations, infos)
        is_last = np.logical_or(terminated, truncated)
        for game, action in enumerate(np.asarray(actions).tolist()):
            if self._over[game] and self._mode is AutoresetMode.NEXT_STEP:
                self.ledger.add_start(_row(observations, game))
                continue
            after = self._observation[game]
            if is_last[game] and self._mode is AutoresetMode.SAME_STEP:
                after = numbers_of(infos["final_obs"][game])
                self.ledger.add_start(_row(observations, game))
            legal = _is_legal(None if masks is None else masks[game], action)
            outcome = (float(rewards[game]), after, bool(is_last[game]), legal)
            self.ledger.add(Transition(seats[game], before[game], action, *outcome), game)
        self._over = is_last.copy()
        return observations, rewards, terminated, truncated, infos


class TracedAECEnv(BaseWrapper):  # type: ignore[misc]  # PettingZoo publishes no types
    """An AEC environment that keeps a :class:`Ledger`, its attribute ``ledger``."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.ledger: Ledger = Ledger()
        self._open: dict[str, tuple[bytes, int, bool | None]] = {}
        self._gained: dict[str, float] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """As the environment's."""
        self._open.clear()
        super().reset(seed=seed, options=options)
        self.ledger.add_start(self.env.observe(self.env.agent_selection))

    def step(self, action: Any) -> None:
        """As the environment's."""
        env: Any = self.env
        agent = env.agent_selection
        if not (env.terminations[agent] or env.truncations[agent]):
            before = env.observe(agent)
            self._close(agent, numbers_of(before), is_last=False)
            mask = before.get("action_mask") if isinstance(before, Mapping) else None
            mask = env.infos[agent].get("action_mask") if mask is None else mask
            self._open[agent] = numbers_of(before), int(action), _is_legal(mask, int(action))
            self._gained[agent] = 0.0
            super().step(action)
            for one, reward in env.rewards.items():
                self._gained[one] = self._gained.get(one, 0.0) + float(reward)
            for one in [one for one in self._open if env.terminations[one] or env.truncations[one]]:
                self._close(one, numbers_of(env.observe(one)), is_last=True)
        else:
            super().step(action)

    def _close(self, agent: str, after: bytes, is_last: bool) -> None:
        """Complete the player's transition: it is its turn again, or the game is over."""
        if agent in self._open:
            observation, action, legal = self._open.pop(agent)
            reward = self._gained[agent]
            self.ledger.add(
                Transition(agent, observation, action, reward, after, is_last, legal), agent
            )


def _row(observations: Any, game: int) -> Any:
    if isinstance(observations, Mapping):
        return {key: value[game] for key, value in observations.items()}
    return observations[game]


def _is_legal(mask: Any, action: int) -> bool | None:
    """Whether a mask allows an action; None without a mask."""
    return None if mask is None else 0 <= action < len(mask) and bool(mask[action])


def trace(env: Any) -> Any:
    """The wrapped environment, with a :class:`Ledger` of its transitions: ``env.ledger``.

    Args:
        env: a Gymnasium environment, a vector environment, or a PettingZoo AEC environment.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(env, VectorEnv):
        return TracedVectorEnv(env)
    if isinstance(env, gymnasium.Env):
        return TracedEnv(env)
    if isinstance(env, AECEnv):
        return TracedAECEnv(env)
    raise TypeError(
        f"trace takes a Gymnasium, a vector or an AEC environment, not {type(env).__name__}"
    )
