"""``openspiel:BOT``: bots of OpenSpiel as agents."""

from __future__ import annotations

from typing import Any

from ...agents.agent import Agent
from ...agents.bots import short_seed
from ...agents.decision import Decision
from ...agents.registry import register_agent
from ...envs.game import Game, Position
from ...envs.specification import Parameter, SpecificationError, refusing

MCTS = "mcts"
# of mcts, as in OpenSpiel's own open_spiel/python/examples/mcts.py
EXPLORATION, ROLLOUTS, SOLVES = 2.0, 1, True


@register_agent("openspiel")
class OpenSpielBot(Agent):
    """Plays like a bot of OpenSpiel.

    ``mcts`` is OpenSpiel's tree search with random rollouts. Any other name is one of
    ``pyspiel.registered_bots()`` that needs no parameters, such as ``uniform_random``. If OpenSpiel
    has a game with the same rules, the bot plays that one, which is fast; otherwise it plays
    plyground's game through :mod:`plyground.extras.bridges.adapters.openspiel`.
    """

    summary = "a bot of OpenSpiel: openspiel:mcts,simulations=100 (pip install open-spiel)"
    parameters = (
        Parameter("bot", str, MCTS, "mcts, or the name of a bot registered in OpenSpiel"),
        Parameter("simulations", int, 1000, "simulations of mcts per move", 1, 10**9),
    )
    argument = "bot"
    isolated = foreign = True
    effect = "imports OpenSpiel"

    def check_options(self) -> None:
        """Import OpenSpiel and look up the bot."""
        with refusing(ImportError, "openspiel needs OpenSpiel: pip install open-spiel"):
            import pyspiel
        name, bots = self.options["bot"], [MCTS, *sorted(pyspiel.registered_bots())]
        if name not in bots:
            raise SpecificationError(
                f"OpenSpiel has no bot {name!r} (there are: {', '.join(bots)})"
            )

    def prepare(self, game: Game) -> None:
        """Create OpenSpiel's game; the bots are created at their first move."""
        import pyspiel

        from .adapters.openspiel import load_game, own_game

        own = own_game(game)
        self._adapted_game = load_game(game)
        self._native_game = None if own is None else pyspiel.load_game(own)
        self._bots: dict[tuple[bool, int], Any] = {}

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        self._bots = {}

    def decide(self, position: Position) -> Decision:
        state, player = self._state(position), position.to_move
        is_adapted = hasattr(state, "position")
        if (is_adapted, player) not in self._bots:
            game = self._adapted_game if is_adapted else self._native_game
            self._bots[is_adapted, player] = self._make_bot(game, player)
        action = int(self._bots[is_adapted, player].step(state))
        simulations = self.options["simulations"] if self.options["bot"] == MCTS else 0
        return Decision(action, simulations=simulations)

    def _state(self, position: Position) -> Any:
        """OpenSpiel's state for the position, in its own game if the moves are known."""
        moves = position.moves
        if self._native_game is not None and moves is not None:
            state = self._native_game.new_initial_state()
            for action in moves:
                state.apply_action(action)
            return state
        state = self._adapted_game.new_initial_state()
        state.position = position.copy()
        return state

    def _make_bot(self, game: Any, player: int) -> Any:
        import pyspiel

        simulations, seed = self.options["simulations"], short_seed(self.seed + player) >> 1
        if self.options["bot"] != MCTS:
            return pyspiel.load_bot(self.options["bot"], game, player)
        if game is self._adapted_game:  # the C++ search cannot play games written in Python
            return _python_mcts(game, simulations, seed)
        evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, seed)
        return pyspiel.MCTSBot(
            game,
            evaluator,
            EXPLORATION,
            simulations,
            0,  # no memory limit
            SOLVES,
            seed,
            False,
        )

    def __getstate__(self) -> dict[str, Any]:
        # bots are objects of OpenSpiel, which cannot be copied
        return self.__dict__ | {
            "_bots": {},
            "_adapted_game": None,
            "_native_game": None,
            "_ready_for": None,
        }

    @property
    def version(self) -> str:
        """Includes OpenSpiel's version."""
        import importlib.metadata

        return f"{super().version}, open_spiel {importlib.metadata.version('open_spiel')}"


def _python_mcts(game: Any, simulations: int, seed: int) -> Any:
    """OpenSpiel's tree search written in Python."""
    import numpy as np
    from open_spiel.python.algorithms import mcts

    random = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(ROLLOUTS, random)
    return mcts.MCTSBot(
        game,
        EXPLORATION,
        simulations,
        evaluator,
        solve=SOLVES,
        random_state=random,
    )
