"""How ``mcts`` grows its tree with a network (``mcts:network=…``) in place of random playouts."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...envs.compiled.kernels import entry_point
from ...envs.game import Game
from ...envs.specification import Parameter, SpecificationError
from ..deadline import Deadline
from ..policies.compiled.batch import new_batch
from ..policies.policy import PRECISION, open_network
from ..policies.policy_file import TO_COME, Network
from ..policies.zoo import ZooNetworks
from . import puct_kernels as puct_search
from .mcts_kernels import Tree, new_tree, reset_tree

DEFAULT_BATCH = 8
ENDLESS = 1 << 40
SLICE_SECONDS, LARGEST_SLICE = 0.005, 1 << 20  # between two looks at the clock
PATTERNS = "patterns"  # network=patterns: knowledge of the game in place of a network

NETWORK_PARAMETERS = (
    Parameter(
        "network",
        str,
        None,
        "in place of playouts: zoo:NAME, a policy file (.onnx), the folder of a training run, or "
        "patterns (gomoku)",
    ),
    Parameter(
        "c_puct",
        float,
        1.5,
        "with network=: how much its probabilities weigh against the values found",
        0,
        100,
    ),
    Parameter(
        "batch", int, DEFAULT_BATCH, "with network=: positions it is asked about at once", 1, 4096
    ),
    PRECISION._replace(help=f"with network=: {PRECISION.help}"),
    Parameter(
        "lower_bound",
        bool,
        True,
        "with network=: play the action whose value is highest at the lower end of its confidence "
        "interval, not the one visited most",
    ),
)
_ONLY_WITH, _NOT_WITH = (
    ("c_puct", "batch", "precision", "lower_bound"),
    ("exploration", "playout", "cutoff", "heuristic", "threads"),
)


def load_guide(
    options: Mapping[str, Any], parameters: tuple[Parameter, ...]
) -> Network | ZooNetworks | HeuristicNetworks | None:
    """The network that ``network=`` names, or None.

    Raises:
        SpecificationError: the network cannot be had, or other options do not go with it.
    """
    defaults = {parameter.name: parameter.default for parameter in parameters}
    network = options["network"]
    for name in _ONLY_WITH if network is None else _NOT_WITH:
        if options[name] != defaults[name]:
            raise SpecificationError(
                f"{name}= is for searches with a network; give network= as well"
                if network is None
                else f"{name}= does not go with network=, which is asked in place of playouts, in "
                f"one tree"
            )
    if network is None:
        return None
    return HeuristicNetworks() if network == PATTERNS else open_network(network)


class HeuristicNetworks:
    """``network=patterns``: logits and values by a game's heuristics, in place of a network."""

    version = PATTERNS

    def for_game(self, game: Game) -> Network:
        """The heuristic network of a game; SpecificationError where it has none."""
        return heuristic_network(game.rules, game)


@functools.singledispatch
def heuristic_network(rules: Any, game: Game) -> Network:
    """What a game offers in place of a network: rules types register theirs here.

    Raises:
        SpecificationError: the game has none.
    """
    raise SpecificationError(
        f"network={PATTERNS} plays gomoku, not {game.spec}; zoo:{game.name} names a network"
    )


class Guide:
    """Grows one tree at a time with a network's evaluations."""

    def __init__(self, network: Network, game: Game, c_puct: float, batch: int) -> None:
        network.check_guides()
        self._network, self._rules, self._num_actions = network, game.rules, game.facts.num_actions
        self._options = puct_search.puct_options(
            game, c_puct, network.value == TO_COME, network.discount
        )
        # whether the tree counts near results more: what is proven is then no return
        self.discounted: bool = network.discount < 1.0
        self._leaves = puct_search.new_leaves(game, batch)
        self._game, self._most = game, batch
        self._nothing = np.zeros((0, self._num_actions), np.float32), np.zeros(0, np.float32)
        self._tree = new_tree(game, 2)
        self._compile()
        reset_tree(game.rules, self._tree)
        self.grow(self._tree, 2, float("inf"))

    def _compile(self) -> None:
        network = self._network.compiled()
        example = self._rules, self._options, self._tree, self._leaves
        if network is None:
            self._batch = None
            self._advance = entry_point(puct_search.advance, *example, 0, *self._nothing, 0)
        else:
            self._batch = new_batch(network, self._game, self._most)
            self._advance = entry_point(
                puct_search.advance_by_network, *example, self._batch, 0, 0, 0
            )

    def __getstate__(self) -> dict[str, Any]:
        # machine code and buffers, which are not copied
        anew = "_advance", "_batch"
        return {name: value for name, value in self.__dict__.items() if name not in anew}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compile()

    def grow(self, tree: Tree, simulations: float, deadline: float) -> int:
        """Run simulations; returns how many were run.

        It stops after ``simulations``, at a proven root, or at ``deadline`` (seconds of
        ``time.perf_counter``).
        """
        clock, late, rounds = Deadline(deadline), False, 1
        total, waiting, evaluations = 0, 0, self._nothing
        example = self._rules, self._options, tree, self._leaves
        while True:
            left = 0 if late else int(min(simulations - total - waiting, ENDLESS))
            clock.begin()
            if self._batch is None:
                waiting = self._advance(*example, waiting, *evaluations, left)
                if waiting:
                    evaluations = self._network.evaluate(self._leaves.observations[:waiting])
            else:
                waiting = self._advance(*example, self._batch, waiting, left, rounds)
                if waiting == puct_search.BROKEN:
                    raise self._network.broken()
            late = clock.end()
            if self._batch is not None:
                rounds = min(clock.next_slice(rounds, SLICE_SECONDS), LARGEST_SLICE)
            count = int(self._leaves.simulations[0])
            total += count
            if waiting == 0 and (count == 0 or left == 0):
                return total
