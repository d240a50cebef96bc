"""The policy protocol, ``policy(observation, info) -> action``, for every kind of player.

:func:`as_policy` makes an :class:`~plyground.agents.agent.Agent` from a specification, a model of
stable-baselines3 or RLlib, or a user's function, class or object. Loops over PettingZoo and
Gymnasium environments, matches, tournaments, measurements, opponents and ``python:MODULE:NAME``
accept the same.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import marshal
import pickle
import uuid
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..envs.actions import whole_action, whole_actions
from ..envs.environments.observations import MASK, ObservationOptions, find_layout
from ..envs.game import Game, Position
from ..envs.loading.own_modules import DIGITS, loaded_version, place_of_function
from ..envs.loading.packages import version_of
from ..envs.loading.signatures import read_signature
from ..envs.registry import make_game
from .agent import Agent
from .decision import Decision
from .policies.policy import choose_each
from .registry import make_agent

FORMS = (
    "a function act(position), act(position, moves), act_batch(observations, masks) or "
    "policy(observation, info), an object with a method act(position) or act_batch(observations, "
    "masks), a model of stable-baselines3 or RLlib, or a class of such objects"
)
_SEED_BITS = 32  # the longest seed of numpy's RandomState and torch's generators


class NotAPolicyError(TypeError):
    """The object is not a player."""


def as_policy(player: Any, game: Game | str | None = None) -> Agent:
    """The agent that plays as ``player`` does; calling it is the protocol of policies.

    Args:
        player: an agent's specification; an agent; a model of stable-baselines3, sb3-contrib or
            RLlib; an object with ``act(position)`` or ``act_batch(observations, masks)``; a
            function; a class, or a function without required parameters, that returns one of these.
            The required parameters tell functions apart: one is the position; of two, the second is
            named ``moves`` (the actions played so far, None if unknown) or ``info`` (the function
            is a policy, see :meth:`~plyground.agents.agent.Agent.__call__`); any other two are the
            observations and the masks of many positions. Whatever it returns for an action is read
            by :func:`~plyground.envs.actions.whole_action`.
        game: the game, or its specification. An agent that is called with observations needs it.

    Raises:
        NotAPolicyError: the object is not a player.
        SpecificationError: there is no such agent, or it cannot play the game.
    """
    board = None if game is None else make_game(game)
    if isinstance(player, str):
        return make_agent(player, board)
    if isinstance(player, Agent):
        return player if board is None or player.bound_game == board else player.playing(board)
    if _is_factory(player):
        return as_policy(_made_by(player), board)
    form = _form_of(player)
    if form is None:
        raise NotAPolicyError(f"{player!r} does not play: an agent of your own is {FORMS}")
    return form(player, board)


def players_of(agents: Any) -> tuple[Any, ...]:
    """The players that a list names; a specification, a function or an object alone is one."""
    alone = isinstance(agents, str) or not isinstance(agents, Iterable)
    return (agents,) if alone else tuple(agents)


def _form_of(player: Any) -> type[Bot] | None:
    """The agent for a model, a function or an object; None if it is not a policy."""
    if callable(getattr(player, "predict", None)) and hasattr(player, "policy"):
        return ModelBot
    if callable(getattr(player, "forward_inference", None)):
        return _ModuleBot
    if callable(getattr(player, "act_batch", None)):
        return _BatchBot
    if callable(getattr(player, "act", None)):
        return Bot
    if not callable(player):
        return None
    signature = read_signature(player)
    required = signature.required
    others = set(required[1:])
    if required and signature.positions >= 1 and others <= {"moves"} & set(signature.keywords):
        return Bot
    if len(required) != 2 or signature.positions < 2:
        return None
    return _PolicyBot if required[1] == "info" else _BatchBot


def short_seed(seed: int) -> int:
    """A seed for third-party agents: 32 bits."""
    return int(seed % 2**_SEED_BITS)


def _is_function(player: Any) -> bool:
    return callable(player) and not any(
        callable(getattr(player, name, None))
        for name in ("act", "act_batch", "predict", "forward_inference")
    )


def _is_factory(player: Any) -> bool:
    return isinstance(player, type) or (
        _is_function(player) and not read_signature(player).required
    )


def _made_by(factory: Any) -> Any:
    """The object that a class or a function without parameters returns, if it is a player."""
    made = factory()
    if not isinstance(made, Agent) and (_is_factory(made) or _form_of(made) is None):
        name = getattr(factory, "__name__", type(factory).__name__)
        raise NotAPolicyError(
            f"{name}() returned a {type(made).__name__}, which has no method act(position)"
        )
    return made


class Bot(Agent):
    """A user's agent, called with a position for its action.

    ``reset(seed)``, if it has one, is called before every game with a seed of 32 bits, and
    ``close()`` when the agent is no longer needed. ``deterministic = True`` declares that it uses
    no random numbers and no clock and keeps no state between games.

    Args:
        bot: a function of the position, or an object with ``act``. It is called with the position,
            and with ``moves=`` if it has a parameter of that name.
        game: the game.
    """

    foreign = True
    bot: Any = None
    _version = ""

    def __init__(self, bot: Any, game: Game | None = None) -> None:
        super().__init__(game)
        self.bot = bot
        self._method = getattr(bot, "act", bot)
        self._wants_moves = "moves" in read_signature(self._method).keywords

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        if callable(reset := getattr(self.bot, "reset", None)):
            reset(short_seed(seed))

    def decide(self, position: Position) -> Decision:
        if self._wants_moves:
            return Decision(self._method(position, moves=position.moves))
        return Decision(self._method(position))

    def close(self) -> None:
        if callable(close := getattr(self.bot, "close", None)):
            close()

    @property
    def deterministic(self) -> bool:
        return getattr(self.bot, "deterministic", False) is True

    @property
    def origin(self) -> str:
        return place_of_function(self._method)

    @property
    def version(self) -> str:
        """A hash of its source files and of its state when this is first read.

        An agent that cannot be hashed gets a new identity in every process.
        """
        self._version = self._version or self._hashes()
        return self._version

    def _hashes(self) -> str:
        module = getattr(self.bot, "__module__", type(self.bot).__module__)
        source = loaded_version(module) or version_of(module) or "no file"
        try:
            content = hashlib.sha256(self._content()).hexdigest()[:DIGITS]
        except Exception:
            content = f"of this process alone ({uuid.uuid4().hex[:DIGITS]})"
        return f"source {source}, object {content}"

    def _content(self) -> bytes:
        """What distinguishes it from others of its kind."""
        return _bytes_of(self.bot)

    @property
    def spec(self) -> str:
        """Its name; it cannot be made again from it."""
        if _is_function(self.bot):
            return str(getattr(self.bot, "__name__", type(self.bot).__name__))
        own_text = any("__str__" in vars(each) for each in type(self.bot).__mro__[:-1])
        return str(self.bot) if own_text else type(self.bot).__name__

    def __repr__(self) -> str:
        return f"as_policy({self.bot!r})"


class _PolicyBot(Bot):
    """A user's function ``policy(observation, info)``.

    It is called with what :meth:`last` of PettingZoo environments returns: a dictionary of the
    planes (``observation``) and the ``action_mask``, and a dictionary with the mask.
    """

    def decide(self, position: Position) -> Decision:
        mask = position.action_mask()
        observation = {"observation": position.observation(), "action_mask": mask}
        return Decision(self.bot(observation, {"action_mask": mask}))

    def __call__(self, observation: Any, info: Any = None) -> Any:
        """As for every agent; without a game, the observation goes to the function unread."""
        if self.bound_game is None:
            answer = self.bot(observation, info)
            return answer if np.ndim(answer) else whole_action(answer)
        return super().__call__(observation, info)


class _BatchBot(Bot):
    """A function or an object that plays many positions at once.

    Args:
        bot: a function of observations and masks, or an object with ``act_batch``. If it has
            ``act(position)`` too, that is used for single positions.
        game: the game.
    """

    def __init__(self, bot: Any, game: Game | None = None) -> None:
        super().__init__(bot, game)
        self._acts_alone = callable(getattr(bot, "act", None))
        self._batch_method = getattr(bot, "act_batch", bot)

    @property
    def origin(self) -> str:
        return place_of_function(self._method if self._acts_alone else self._batch_method)

    @property
    def takes_streams(self) -> bool:
        """Whether it draws from the random streams of the games."""
        return getattr(self.bot, "takes_streams", False) is True

    def decide(self, position: Position) -> Decision:
        if self._acts_alone:
            return super().decide(position)
        observations, masks = position.observation()[None], position.action_mask()[None]
        return Decision(self.act_batch(observations, masks)[0])

    def act_batch(
        self, observations: np.ndarray, masks: np.ndarray, streams: Any = None
    ) -> np.ndarray:
        """Its actions: int64 of shape (n,).

        Args:
            observations: int8, (n, rows, columns, planes), as the side to move sees them.
            masks: int8, (n, num_actions).
            streams: uint64, (n, 1), passed on to a bot that takes them.

        Raises:
            IllegalActionError: it returned anything other than n whole numbers.
        """
        drawing = {} if streams is None else {"streams": streams}
        return whole_actions(self._batch_method(observations, masks, **drawing), len(masks))


class _NetworkBot(_BatchBot):
    """Another library's network as a player of many games at once; it plays legal actions only.

    Its observations may be planes as they are, channels first or flat, and of any type.

    Args:
        bot: the object that holds the network.
        game: the game.
        deterministic: whether it plays its most probable action, or draws by the probabilities.
    """

    takes_streams = True

    def __init__(self, bot: Any, game: Game | None = None, deterministic: bool = False) -> None:
        super().__init__(bot, game)
        self._deterministic = deterministic

    @property
    def deterministic(self) -> bool:
        return self._deterministic

    def act_batch(
        self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray | None = None
    ) -> np.ndarray:
        """A legal action for each of the positions: int64 of shape (n,).

        Draws advance ``streams``, or without them the agent's own stream.
        """
        import torch

        with torch.no_grad():
            values = self.logits(observations, masks).double().cpu()
        values = values.masked_fill(torch.as_tensor(masks) == 0, -torch.inf)
        actions: np.ndarray = values.argmax(dim=1).numpy()
        if self._deterministic:
            return actions
        rows = values.softmax(dim=1).numpy()
        if streams is not None:
            choose_each(rows, 1.0, streams, actions)
            return actions
        own = self.stream.reshape(1, 1)
        for number in range(len(rows)):
            choose_each(rows[number : number + 1], 1.0, own, actions[number:])
        return actions

    def logits(self, observations: np.ndarray, masks: np.ndarray) -> Any:
        """The network's output for every action: a tensor (n, num_actions)."""
        raise NotImplementedError

    def _content(self) -> bytes:
        weights = self._network().state_dict()
        return b"".join(
            name.encode() + weights[name].detach().cpu().numpy().tobytes()
            for name in sorted(weights)
        )

    def _network(self) -> Any:
        """The torch module."""
        return self.bot

    @property
    def spec(self) -> str:
        return type(self.bot).__name__


class ModelBot(_NetworkBot):
    """A model of stable-baselines3 or sb3-contrib: PPO, A2C, MaskablePPO, DQN, or another.

    It plays by its probabilities; a model without probabilities (DQN) plays the legal action of the
    highest value.
    """

    def __init__(self, bot: Any, game: Game | None = None, deterministic: bool = False) -> None:
        super().__init__(bot, game, deterministic or hasattr(bot.policy, "q_net"))

    def logits(self, observations: np.ndarray, masks: np.ndarray) -> Any:
        planes = _planes_for(self.bot.observation_space, observations)
        normal = getattr(self.bot, "_vec_normalize_env", None)
        if normal is not None:
            planes = normal.normalize_obs(planes)
        policy = self.bot.policy
        tensors, _ = policy.obs_to_tensor(planes)
        if hasattr(policy, "q_net"):
            return policy.q_net(tensors)
        return policy.get_distribution(tensors).distribution.logits

    def _network(self) -> Any:
        return self.bot.policy


class _ModuleBot(_NetworkBot):
    """A module of RLlib's new API stack (``RLModule``); it plays the most probable action.

    Its observations may include the action mask.
    """

    def __init__(self, bot: Any, game: Game | None = None) -> None:
        super().__init__(bot, game, deterministic=True)

    def logits(self, observations: np.ndarray, masks: np.ndarray) -> Any:
        import torch

        # RLlib's module for action masks keeps the space of the rest only under the usual name
        space = getattr(self.bot, "observation_space_with_mask", self.bot.observation_space)
        if hasattr(space, "spaces"):
            (key,) = (name for name in space.spaces if name != MASK)
            seen: Any = {
                key: torch.as_tensor(_planes_for(space[key], observations)),
                MASK: torch.as_tensor(masks),
            }
        else:
            seen = torch.as_tensor(_planes_for(space, observations))
        answer = self.bot.forward_inference({"obs": seen})
        if "action_dist_inputs" in answer:
            return answer["action_dist_inputs"]
        actions = torch.as_tensor(answer["actions"]).long()
        return torch.nn.functional.one_hot(actions, masks.shape[1])


def _bytes_of(thing: Any) -> bytes:
    """The code and state of a function or an object, as bytes equal in every process."""
    if isinstance(thing, functools.partial):
        return _bytes_of(thing.func) + pickle.dumps((thing.args, sorted(thing.keywords.items())))
    if inspect.ismethod(thing):
        return _bytes_of(thing.__func__) + _bytes_of(thing.__self__)
    if inspect.isfunction(thing):
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        state: Any = (thing.__defaults__, thing.__kwdefaults__, cells)
        return marshal.dumps(thing.__code__, 2) + pickle.dumps(state)  # without references
    methods = [
        marshal.dumps(member.__code__, 2)
        for each in type(thing).__mro__
        for member in vars(each).values()
        if inspect.isfunction(member)
    ]
    return b"".join(methods) + pickle.dumps(getattr(thing, "__dict__", None))


def _planes_for(space: Any, observations: np.ndarray) -> np.ndarray:
    """Observations (n, rows, columns, planes) in the layout and dtype of a space.

    Raises:
        ValueError: the space does not fit this game.
    """
    game_shape = observations.shape[1:]
    layout = find_layout(space.shape, game_shape)
    if layout is None:
        raise ValueError(
            f"a model for observations of shape {space.shape} cannot play a game that is observed "
            f"as {game_shape}"
        )
    return ObservationOptions(layout=layout, dtype=space.dtype).planes(observations)
