"""How ``mcts`` grows its tree with a network (``mcts:network=…``) instead of random playouts."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...envs.compiled.calls import KernelCalls
from ...envs.game import Game
from ...envs.loading.packages import load_knowledge
from ...envs.specification import Parameter, SpecificationError
from ..deadline import Deadline
from ..policies.compiled.batch import NetworkBatch, new_batch
from ..policies.named import effects_of_network, open_network
from ..policies.policy import PRECISION
from ..policies.policy_file import TO_COME, Network
from ..policies.zoo import ZooNetworks
from . import puct_kernels as puct_search
from .mcts_kernels import Tree
from .playouts import LARGEST_SLICE, SLICE_SECONDS

DEFAULT_BATCH = 8
C_PUCT = 1.5  # weight of the priors against the values
ENDLESS = 1 << 40
PATTERNS = "patterns"  # network=patterns: knowledge of the game in place of a network

NETWORK_PARAMETERS = (
    Parameter(
        "network",
        str,
        None,
        "network instead of playouts: zoo:NAME, a policy file (.onnx), the folder of a training "
        "run, or patterns (gomoku)",
    ),
    Parameter(
        "batch", int, DEFAULT_BATCH, "with network=: positions evaluated in one call", 1, 4096
    ),
    PRECISION._replace(help=f"with network=: {PRECISION.help}"),
    Parameter(
        "lower_bound",
        bool,
        True,
        "with network=: play the action of the highest lower confidence bound, "
        "not the most visited",
    ),
)
_ONLY_WITH, _NOT_WITH = (
    ("batch", "precision", "lower_bound"),
    ("playout", "threads"),
)


def load_guide(
    options: Mapping[str, Any], parameters: tuple[Parameter, ...]
) -> Network | ZooNetworks | HeuristicNetworks | None:
    """The network that ``network=`` names, or None.

    Raises:
        SpecificationError: the network cannot be loaded, or other options do not fit it.
    """
    defaults = {parameter.name: parameter.default for parameter in parameters}
    network = options["network"]
    for name in _ONLY_WITH if network is None else _NOT_WITH:
        if options[name] != defaults[name]:
            raise SpecificationError(
                f"{name}= is for searches with a network; give network= as well"
                if network is None
                else f"{name}= does not go with network=, which replaces playouts and uses one tree"
            )
    if network is None:
        return None
    return HeuristicNetworks() if network == PATTERNS else open_network(network)


def effects_of_guide(options: Mapping[str, str]) -> tuple[str, ...]:
    """The side effects of opening the network of ``network=``, see :meth:`.Agent.effects`."""
    network = options.get("network")
    return () if network == PATTERNS else effects_of_network(network)


class HeuristicNetworks:
    """``network=patterns``: logits and values by a game's heuristics, instead of a network."""

    version = PATTERNS

    def for_game(self, game: Game) -> Network:
        """The heuristic network of a game; SpecificationError if it has none."""
        load_knowledge(game.name)
        return heuristic_network(game.rules, game)


@functools.singledispatch
def heuristic_network(rules: Any, game: Game) -> Network:
    """A game's heuristic network: rules types register theirs here.

    Raises:
        SpecificationError: the game has no heuristic network.
    """
    raise SpecificationError(
        f"network={PATTERNS} plays gomoku, not {game.spec}; zoo:{game.name} names a network"
    )


class Guide:
    """Grows a tree by a network's evaluations; it has the attributes of :class:`.Playouts`."""

    has_priors, stopped = True, False

    def __init__(self, network: Network, game: Game, batch: int) -> None:
        network.check_guides()
        self._network, self._rules, self._compiled = network, game.rules, KernelCalls()
        self._options = puct_search.puct_options(
            game, C_PUCT, network.value == TO_COME, network.discount
        )
        self.discounted: bool = network.discount < 1.0
        self._leaves = puct_search.new_leaves(game, batch)
        self._game, self._most = game, batch
        actions = game.facts.num_actions
        self._nothing = np.zeros((0, actions), np.float32), np.zeros(0, np.float32)
        self._batch = self._new_batch()

    def _new_batch(self) -> NetworkBatch | None:
        network = self._network.compiled()
        return None if network is None else new_batch(network, self._game, self._most)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_batch": None}  # it has an address of this process

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._batch = self._new_batch()

    def grow(self, tree: Tree, stream: np.ndarray, simulations: float, deadline: float) -> int:
        """As :meth:`.Playouts.grow`; the stream is not used."""
        clock, late, rounds = Deadline(deadline), False, 1
        total, waiting, evaluations = 0, 0, self._nothing
        example = self._rules, self._options, tree, self._leaves
        while True:
            left = 0 if late else int(min(simulations - total - waiting, ENDLESS))
            clock.begin()
            if self._batch is None:
                waiting = self._compiled(puct_search.advance, *example, waiting, *evaluations, left)
                if waiting:
                    evaluations = self._network.evaluate(self._leaves.observations[:waiting])
            else:
                waiting = self._compiled(
                    puct_search.advance_by_network, *example, self._batch, waiting, left, rounds
                )
                if waiting == puct_search.BROKEN:
                    raise self._network.broken()
            late = clock.end()
            if self._batch is not None:
                rounds = min(clock.next_slice(rounds, SLICE_SECONDS), LARGEST_SLICE)
            count = int(self._leaves.simulations[0])
            total += count
            if waiting == 0 and (count == 0 or left == 0):
                return total
