"""Conformance checks for AEC environments, built-in or a user's: :func:`check_env`.

:mod:`plyground.envs.conformance.game_checks` publishes it.
"""

from __future__ import annotations

import copy
import functools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from ..aec import env as make_env
from ..game import Game, IllegalActionError, Position

MOST_STEPS = 10_000  # of one episode


class ConformanceError(AssertionError):
    """A game or an environment breaks its contract; the message states how and where."""


def check_env(
    env: AECEnv | Callable[[], AECEnv] | Game | str, games: int = 5, seed: int = 0
) -> None:
    """Check a turn-based PettingZoo environment with action masks by playing random episodes.

    Args:
        env: a function that makes the environment (such as ``connect_four_v0.env``), an environment
            (copies of it are checked), or a game or specification of a built-in one.
        games: the number of random episodes to play.
        seed: the seed of the random actions.

    Raises:
        ConformanceError: the environment breaks its contract; the message says how and where.

    In addition to PettingZoo's ``api_test``, it checks masks (only for the agent to move, and the
    same in ``infos``), rewards that sum to zero and agree with ``last()``, that equal seeds and
    actions give equal episodes, that copies (``deepcopy`` and ``pickle``) in mid-game are
    independent, the handling of illegal actions, and, if the environment has a ``position``, that
    everything agrees with it.
    """
    make: Any = env
    if isinstance(env, (Game, str)):
        make = functools.partial(make_env, env)
    elif isinstance(env, AECEnv):
        make = functools.partial(copy.deepcopy, env)
    run = _Run(make(), seed)
    run.check_spaces()
    for episode in range(games):
        run.play_one_episode(copies_after=episode + 1)
    run.check_illegal_action()
    _check_determinism(make, seed)
    run.env.close()


def same(one: Any, other: Any) -> bool:
    """Equality of observations, infos and other values that environments return."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return (
            isinstance(one, np.ndarray)
            and isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and np.array_equal(one, other)
        )
    return bool(one == other)


class _Run:
    """Random episodes of one environment."""

    def __init__(self, env: AECEnv, seed: int) -> None:
        self.env = env
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.actions: list[Any] = []
        if not isinstance(env, AECEnv):
            raise ConformanceError(f"{type(env).__name__} is not a PettingZoo AECEnv")

    def fault(self, complaint: str) -> ConformanceError:
        """An error that says what is wrong, and where."""
        where = f"after the actions {self.actions}" if self.actions else "after reset"
        return ConformanceError(f"{self.env}, {where}: {complaint}")

    def position(self) -> Position | None:
        """The environment's position, if it has such an attribute."""
        position = getattr(self.env.unwrapped, "position", None)
        return position if isinstance(position, Position) else None

    def check_spaces(self) -> None:
        env = self.env
        if len(getattr(env, "possible_agents", ())) != 2:
            raise self.fault("possible_agents does not list two agents")
        for agent in env.possible_agents:
            for name, space in (
                ("observation_space", env.observation_space),
                ("action_space", env.action_space),
            ):
                if space(agent) is not space(agent):
                    raise self.fault(
                        f"{name}({agent!r}) is another object at each call, so that seeding it has "
                        f"no effect"
                    )
            keys = set(getattr(env.observation_space(agent), "spaces", ()))
            if not {"observation", "action_mask"} <= keys:
                raise self.fault(
                    f"{agent}'s observation space has no 'observation' and 'action_mask'"
                )
            if not hasattr(env.action_space(agent), "n"):
                raise self.fault(f"{agent}'s action space is not Discrete")
        if not env.metadata.get("name") or "render_modes" not in env.metadata:
            raise self.fault("metadata lacks 'name' or 'render_modes'")

    def play_one_episode(self, copies_after: int) -> None:
        """One random episode; copies made on the way must go on independently."""
        env, self.actions = self.env, []
        env.reset(seed=self.seed)
        agents = list(env.possible_agents)
        if list(env.agents) != agents:
            raise self.fault(f"agents are {env.agents}, not all of possible_agents")
        if any(env.terminations.values()) or any(env.truncations.values()):
            raise self.fault("an agent has ended already")
        owed = dict.fromkeys(agents, 0.0)  # rewards not yet reported by last()
        total = dict.fromkeys(agents, 0.0)
        while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            if len(self.actions) >= MOST_STEPS:
                raise self.fault(f"the episode has not ended after {MOST_STEPS} moves")
            agent = env.agent_selection
            action = self.check_turn(agent)
            self.check_reported_reward(agent, owed)
            if len(self.actions) == copies_after:
                self.check_copies(action)
            result: Any = env.step(action)
            self.actions.append(int(action))
            if result is not None:
                raise self.fault(f"step returns {result!r}; it must return None")
            if sum(env.rewards.values()) != 0:
                raise self.fault(f"the rewards {env.rewards} do not add up to zero")
            for name in agents:
                owed[name] += env.rewards[name]
                total[name] += env.rewards[name]
        self.check_end(agents, owed, total)

    def check_turn(self, agent: str) -> Any:
        """Check what the agent to move and its opponent see; returns a random legal action."""
        env = self.env
        for name in env.agents:
            observation = env.observe(name)
            if not env.observation_space(name).contains(observation):
                raise self.fault(f"{name}'s observation is not in its observation space")
            if not same(observation, env.observe(name)):
                raise self.fault(f"observing {name} twice gives different observations")
            mask = observation["action_mask"]
            if name != agent and mask.any():
                raise self.fault(
                    f"{name} is not to move, but its mask allows actions "
                    f"{np.flatnonzero(mask).tolist()}"
                )
            info_mask = env.infos[name].get("action_mask", mask)
            if not np.array_equal(info_mask, mask):
                raise self.fault(f"infos[{name!r}] has a mask that differs from the observation")
        observation, _, terminated, truncated, info = env.last()
        if not same(observation, env.observe(agent)):
            raise self.fault(f"last() shows another observation than observe({agent!r})")
        attributes = env.terminations[agent], env.truncations[agent], env.infos[agent]
        if not all(map(same, (terminated, truncated, info), attributes)):
            raise self.fault(
                "last() reports another termination, truncation or info than the environment's "
                "attributes hold"
            )
        if env.last(observe=False)[0] is not None:
            raise self.fault("last(observe=False) shows an observation")
        legal = np.flatnonzero(observation["action_mask"]).tolist()
        if not legal:
            raise self.fault(f"{agent} is to move, but its mask allows nothing")
        position = self.position()
        if position is not None:
            player = env.possible_agents.index(agent)
            if position.to_move != player:
                raise self.fault(
                    f"{agent} is selected, but in the position player {position.to_move} is to move"
                )
            if legal != position.legal_actions():
                raise self.fault(
                    f"the mask allows {legal}, but in the position {position.legal_actions()} are "
                    f"legal"
                )
            for index, name in enumerate(env.possible_agents):
                planes = env.observe(name)["observation"]
                if not np.array_equal(planes, position.observation(index)):
                    raise self.fault(f"{name} does not observe the position")
        return legal[int(self.rng.integers(len(legal)))]

    def check_reported_reward(self, agent: str, owed: dict[str, float]) -> None:
        """``last()`` reports the agent's reward since its own last step."""
        reward = self.env.last(observe=False)[1]
        if reward != owed[agent]:
            raise self.fault(
                f"last() reports the reward {reward:g} to {agent}, which got {owed[agent]:g} since "
                f"its last step"
            )
        owed[agent] = 0.0

    def check_end(self, agents: list[str], owed: dict[str, float], total: dict[str, float]) -> None:
        env = self.env
        if not all(env.terminations.values()):
            raise self.fault(
                f"the game has ended for {env.agent_selection}, but not for all agents"
            )
        position = self.position()
        if position is not None:
            if not position.is_over:
                raise self.fault("the episode has ended, but in the position the game goes on")
            sums = tuple(total.values())
            if sums != position.returns:
                raise self.fault(
                    f"the rewards add up to {sums}, but the game's returns are {position.returns}"
                )
            for name in agents:
                mask = env.observe(name)["action_mask"]
                if mask.any():
                    raise self.fault(
                        f"the game is over, but {name}'s mask allows actions "
                        f"{np.flatnonzero(mask).tolist()}"
                    )
        for left in (1, 0):
            self.check_reported_reward(env.agent_selection, owed)
            env.step(None)
            if len(env.agents) != left:
                raise self.fault(
                    f"after {2 - left} of 2 agents stepped with None, {len(env.agents)} are left "
                    f"in agents"
                )
            tables = env.rewards, env.terminations, env.truncations, env.infos
            if any(set(table) != set(env.agents) for table in tables):
                raise self.fault(
                    "rewards, terminations, truncations and infos keep an agent that has left"
                )

    def check_copies(self, action: Any) -> None:
        """A copy in mid-game is in the same state, and stepping it leaves the original alone."""
        env = self.env
        makers: dict[str, Callable[[], AECEnv]] = {
            "deepcopy": lambda: copy.deepcopy(env),
            "pickle": lambda: pickle.loads(pickle.dumps(env)),
        }
        for way, make in makers.items():
            duplicate, before = make(), [env.observe(name) for name in env.agents]
            try:
                equal = duplicate.agent_selection == env.agent_selection and same(
                    duplicate.observe(env.agents[0]), before[0]
                )
            except (AttributeError, AssertionError) as error:  # not even reset
                raise self.fault(f"a copy made by {way} has forgotten the game ({error})") from None
            if not (equal and same(duplicate.rewards, env.rewards)):
                raise self.fault(f"a copy made by {way} is in another state")
            duplicate.step(action)
            after = [env.observe(name) for name in env.agents]
            if not all(map(same, before, after)):
                raise self.fault(f"stepping a copy made by {way} changes the original")

    def check_illegal_action(self) -> None:
        """Check that an illegal action is refused, or ends the game against its agent.

        A refusal is an error that changes nothing.
        """
        env = self.env
        for _ in range(20):
            env.reset(seed=self.seed)
            self.actions = []
            while not env.terminations[env.agent_selection]:
                agent, mask = env.agent_selection, env.observe(env.agent_selection)["action_mask"]
                illegal = np.flatnonzero(mask == 0)
                if len(illegal):
                    self.check_refusal(agent, int(illegal[0]))
                    return
                action = int(self.rng.choice(np.flatnonzero(mask)))
                env.step(action)
                self.actions.append(action)

    def check_refusal(self, agent: str, illegal: int) -> None:
        env, before, printing = self.env, self.env.observe(agent), EnvLogger._output
        # PettingZoo's warning about an illegal action, which is intended here
        EnvLogger.suppress_output()
        try:
            env.step(illegal)
        except (AssertionError, IllegalActionError):
            if not same(env.observe(agent), before):
                complaint = f"refusing the illegal action {illegal} changes what {agent} observes"
                raise self.fault(complaint) from None
            return
        finally:
            EnvLogger._output = printing
        if not (all(env.terminations.values()) and env.rewards[agent] < 0):
            raise self.fault(
                f"the illegal action {illegal} of {agent} is neither refused nor does it end the "
                f"game with a negative reward"
            )


def _check_determinism(make: Callable[[], AECEnv], seed: int) -> None:
    """Check that environments with the same seed and actions show the same episode."""
    one, other, rng = make(), make(), np.random.default_rng(seed)
    actions: list[int] = []
    one.reset(seed=seed)
    other.reset(seed=seed)
    while not (one.terminations[one.agent_selection] or one.truncations[one.agent_selection]):
        reports = [(env.agent_selection, *env.last()[:4]) for env in (one, other)]
        if not all(map(same, *reports)):
            raise ConformanceError(
                f"{one}, after the actions {actions}: two environments with the same seed and "
                f"actions differ"
            )
        actions.append(int(rng.choice(np.flatnonzero(reports[0][1]["action_mask"]))))
        one.step(actions[-1])
        other.step(actions[-1])
    one.close()
    other.close()
