"""Conformance checks for games: what agents and environments rely on in rule functions.

:func:`check_game` plays random games and checks every position; the first violation raises a
:class:`ConformanceError` that says in one sentence what is wrong, and after which actions.
:func:`check_env` does the same for environments.

``examples/own_game.py`` checks a user's game.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import rules as r
from ..compiled.randomness import new_stream
from ..game import Game, IllegalActionError, Position
from ..profile import Ending
from ..registry import make_game
from .env_checks import ConformanceError

REQUIRED = (
    "start",
    "legal_actions",
    "play",
    "to_move",
    "is_over",
    "returns",
    "observe",
    "from_observation",
    "key",
)
# spare room after the action buffer, so that a game with more actions than declared is detected
# instead of crashing
SPARE = 1024
# positions remembered at most; enough to meet many transpositions
MOST_KEYS, MOST_BYTES = 20_000, 2**26
# the size of the random sample of actions checked in each position of a game with many actions
MOST_LOOKED_AT = 1000
CONTINUATIONS = 4  # random continuations for comparing two positions with the same key


def check_game(game: Game | str | Any, games: int = 10, seed: int = 0) -> None:
    """Check a game by playing random games.

    Args:
        game: the game, its specification (``"connect_four:rows=5"``), or an instance of its rules
            type (``ConnectFour(rows=5)``).
        games: the number of random games to play; errors in rare positions need more.
        seed: the seed of the random moves; the same seed finds the same errors.

    Raises:
        ConformanceError: the game breaks its contract; the message says how, and after which
            actions.

    It checks, in this order: that all rule functions exist; the declared facts; the names of
    actions; the symmetries; the areas of actions on the picture. In every position reached: legal
    actions and mask, refusal of illegal actions, zero-sum returns within the declared range, that
    observations determine the position and its ply, copies, keys, images under the symmetries,
    ``order_actions``, ``random_action``, heuristics.
    After every move: turn order and length of the game. At the end: that keys distinguish positions
        and that both players moved.
    """
    made = make_game(game) if isinstance(game, (str, Game)) else Game(game)
    _check_rule_functions(made)
    _check_facts(made)
    _check_names(made)
    _check_symmetry_table(made)
    _check_areas(made)
    run = _Run(made, seed)
    for _ in range(games):
        run.play_one_game()
    run.check_after_all_games()


def _fault(game: Game, complaint: str) -> ConformanceError:
    return ConformanceError(f"{game.spec}: {complaint}")


def _check_rule_functions(game: Game) -> None:
    rules_type = type(game.rules)
    for name in REQUIRED:
        function: Any = getattr(r, name)
        if function.body_for(rules_type) is None:
            raise _fault(
                game,
                f"{rules_type.__name__} has no rule {name!r}; register it with "
                f"rules.{name}.register_body",
            )


def _check_facts(game: Game) -> None:
    facts = game.facts
    if facts.longest_game <= 0:
        raise _fault(
            game, f"facts.longest_game is {facts.longest_game}, but a game takes at least one move"
        )
    shape = facts.observation_shape
    if not (len(shape) == 3 and min(shape) > 0):
        raise _fault(game, f"facts.observation_shape is {shape}, not (rows, columns, planes)")
    if not (facts.min_return == -facts.max_return and facts.max_return > 0):
        raise _fault(
            game,
            f"facts say returns from {facts.min_return:g} to {facts.max_return:g}, which is not "
            f"symmetric about zero as zero-sum returns are",
        )


def _check_names(game: Game) -> None:
    """Check that all actions are declared, and that each name is parsed as its action."""
    board, count = r.board(game.rules), game.facts.num_actions
    for part in ("actions", "cells", "areas", "second_areas", "sources"):
        length = len(getattr(board, part))
        if length not in (0, count):
            raise _fault(game, f"its board has {length} {part} for {count} actions")
    for action in range(count):
        name = game.action_to_text(action)
        try:
            result: Any = game.text_to_action(name)
        except IllegalActionError as error:
            result = f"an error ({error})"
        if result != action:
            raise _fault(
                game,
                f"action {action} is called {name!r}, but text_to_action({name!r}) gives {result}",
            )


def _check_symmetry_table(game: Game) -> None:
    table, count = game.symmetries, game.facts.num_actions
    form = getattr(table, "dtype", None), getattr(table, "shape", ())[1:]
    if form != (np.int16, (count,)) or not len(table):
        raise _fault(game, f"symmetries must be an int16 array of shape (symmetries, {count})")
    identity = np.arange(count)
    if not np.array_equal(table[0], identity):
        raise _fault(game, "the first symmetry is not the identity")
    for index, row in enumerate(table):
        if not np.array_equal(np.sort(row), identity):
            raise _fault(game, f"symmetry {index} is not a permutation of the actions")
    if len({row.tobytes() for row in table}) != len(table):
        raise _fault(game, "a symmetry is listed twice")


def _check_areas(game: Game) -> None:
    """Check that the click areas of actions are inside the picture and do not overlap."""
    board, count = r.board(game.rules), game.facts.num_actions
    if not {None, *(place for place in board.places if place.area)}.issuperset(board.sources):
        raise _fault(game, "a source of its board must be a place with an area, or None")
    areas = enumerate([*board.areas, *board.second_areas])
    pairs = [(number, area) for number, area in areas if area is not None]
    picture = r.picture(game.rules, game.initial_position().record, None)
    for number, area in pairs:
        action = number % count
        name = f"the area of action {action} ({game.action_to_text(action)})"
        if not all(0 <= x <= picture.width and 0 <= y <= picture.height for x, y in area.points):
            raise _fault(game, f"{name} does not lie in the picture")
        if not area.contains(*area.centre):
            raise _fault(game, f"{name} is not a convex polygon")
        for other, its_area in pairs:
            same_source = board.source(other % count) == board.source(action)
            if other != number and same_source and its_area.contains(*area.centre):
                raise _fault(game, f"{name} overlaps that of action {other % count}")


class _Run:
    """Random games of one game, and the records kept between them."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.actions: list[int] = []
        self.movers: set[int] = set()
        self.by_key: dict[int, dict[bytes, Position]] = {}

    def fault(self, complaint: str) -> ConformanceError:
        """An error that says what is wrong, and in which position."""
        names = ", ".join(
            self.game.action_to_text(action)
            if 0 <= action < self.game.facts.num_actions
            else str(action)
            for action in self.actions
        )
        where = f"after {names}" if names else "at the start"
        return ConformanceError(f"{self.game.spec}, {where}: {complaint}")

    def play_one_game(self) -> None:
        """Play one random game from start to end, and check every position."""
        facts, self.actions = self.game.facts, []
        position = self.game.initial_position()
        self.check_position(position)
        if position.is_over:
            raise self.fault("the game is over before the first move")
        while not position.is_over:
            if len(self.actions) >= facts.longest_game:
                raise self.fault(
                    f"the game goes on after {facts.longest_game} moves, which facts.longest_game "
                    f"says is the most"
                )
            mover, legal = position.to_move, position.legal_actions()
            action = legal[int(self.rng.integers(len(legal)))]
            following = self.check_move(position, action)
            self.actions.append(action)
            self.movers.add(mover)
            alternates = facts.moves_again or following.is_over or following.to_move != mover
            if not alternates:
                raise self.fault(
                    f"player {mover} moves twice in a row, which facts.moves_again rules out: "
                    f"does play forget to switch the turn?"
                )
            position = following
            self.check_position(position)
        if not isinstance(r.outcome_reason(self.game.rules, position.record), (str, Ending)):
            raise self.fault("outcome_reason gives no text")

    def sample(self, actions: Sequence[int]) -> Sequence[int]:
        """These actions, or a random sample if there are very many."""
        if len(actions) <= MOST_LOOKED_AT:
            return actions
        return [int(action) for action in self.rng.choice(actions, MOST_LOOKED_AT, replace=False)]

    def check_move(self, position: Position, action: int) -> Position:
        """The position after an action, reached in two ways that must agree."""
        before = position.copy()
        following = position.after(action)
        if position != before:
            raise self.fault(f"playing action {action} on a copy changes the original")
        if before.play(action) != following:
            raise self.fault(
                f"playing action {action} twice from equal positions leads to different ones"
            )
        return following

    def check_position(self, position: Position) -> None:
        """The checks of a single position."""
        self.check_legal_actions(position)
        self.check_returns(position)
        self.check_observation(position)
        self.check_copies(position)
        self.check_symmetries(position)
        self.check_helpers(position)
        self.remember_keys(position)

    def check_legal_actions(self, position: Position) -> None:
        rules, count = self.game.rules, self.game.facts.num_actions
        if position.to_move not in (0, 1):
            raise self.fault(f"to_move is {position.to_move}, which is not a player")
        buffer = np.full(count + SPARE, -1, np.int16)
        length = r.legal_actions(rules, position.record, buffer)
        if not 0 <= length <= count:
            raise self.fault(f"legal_actions returns {length}, but there are {count} actions")
        legal = buffer[:length].tolist()
        if not all(0 <= action < count for action in legal):
            raise self.fault(f"legal_actions lists {legal}, but actions are 0 to {count - 1}")
        if legal != sorted(set(legal)):
            raise self.fault(
                f"legal_actions lists {legal}, which is not in ascending order without repetition"
            )
        over = position.is_over
        if over and legal:
            raise self.fault(f"the game is over, but legal_actions lists {legal}")
        if not over and not legal:
            raise self.fault("the game is not over, but no action is legal")
        legal_set = set(legal)
        for action in [-1, *self.sample(range(count)), count]:
            answer = bool(r.is_legal(rules, position.record, action))
            if answer != (action in legal_set):
                raise self.fault(
                    f"is_legal says {'yes' if answer else 'no'} to action {action}, legal_actions "
                    f"lists {legal}"
                )
        if np.flatnonzero(position.action_mask()).tolist() != legal:
            raise self.fault("the action mask differs from the legal actions")
        illegal = [action for action in range(count) if action not in legal_set][:3]
        for wrong in [*illegal, -1, count]:
            before = position.copy()
            try:
                position.play(wrong)
            except IllegalActionError:
                if position != before:
                    complaint = f"refusing the illegal action {wrong} changes the position"
                    raise self.fault(complaint) from None
            else:
                raise self.fault(f"the illegal action {wrong} is not refused")

    def check_returns(self, position: Position) -> None:
        facts, returns = self.game.facts, position.returns
        if sum(returns) != 0:
            raise self.fault(f"the returns {returns[0]:g} and {returns[1]:g} do not add up to zero")
        if not all(facts.min_return <= value <= facts.max_return for value in returns):
            raise self.fault(
                f"the returns {returns[0]:g} and {returns[1]:g} are outside of what facts "
                f"declares, {facts.min_return:g} to {facts.max_return:g}"
            )

    def check_observation(self, position: Position) -> None:
        for player in (0, 1):
            planes = position.observation(player)
            others = sorted(set(planes.ravel().tolist()) - {0, 1})
            if others:
                raise self.fault(
                    f"player {player} observes the value {others[0]}; values are 0 and 1"
                )
            if not np.array_equal(planes, position.observation(player)):
                raise self.fault(f"player {player} observes the same position in two ways")
        try:
            again = self.game.position_from_observation(position.observation())
        except ValueError as error:
            raise ConformanceError(
                f"{self.game.spec}, from_observation cannot read what observe writes: {error}"
            ) from None
        if again != position:
            raise self.fault(
                f"the observation does not determine the position: restoring it gives "
                f"{_differences(again, position)}"
            )
        if again.key != position.key:
            raise self.fault("equal positions have different keys")
        with contextlib.suppress(NotImplementedError):  # counting plies is optional
            ply = again.ply
            if ply != len(self.actions):
                raise self.fault(f"the position says ply {ply} after {len(self.actions)} actions")

    def check_copies(self, position: Position) -> None:
        copies = {
            "copy()": position.copy(),
            "deepcopy": copy.deepcopy(position),
            "pickle": pickle.loads(pickle.dumps(position)),
        }
        for way, duplicate in copies.items():
            if not (duplicate == position and duplicate.key == position.key):
                raise self.fault(f"a copy made by {way} differs from the position")
        if not str(position):
            raise self.fault("board_text gives no text")

    def check_symmetries(self, position: Position) -> None:
        if len(self.game.symmetries) == 1:
            return
        legal = position.legal_actions()
        action = legal[int(self.rng.integers(len(legal)))] if legal else None
        for index, row in enumerate(self.game.symmetries):
            image = position.transformed(index)
            images = sorted(row[legal].tolist())
            if image.legal_actions() != images:
                raise self.fault(
                    f"symmetry {index} takes the legal actions to {images}, but legal in the image "
                    f"are {image.legal_actions()}"
                )
            if any(
                getattr(image, name) != getattr(position, name)
                for name in ("to_move", "is_over", "returns")
            ):
                complaint = f"the image under symmetry {index} has another mover, end or returns"
                raise self.fault(complaint)
            if index == 0 and image != position:
                raise self.fault("the identity changes the position")
            if action is None:
                continue
            if position.after(action).transformed(index) != image.after(int(row[action])):
                raise self.fault(
                    f"symmetry {index} is none: playing action {action}, then transforming, is "
                    f"not transforming, then playing its image"
                )

    def check_helpers(self, position: Position) -> None:
        """``order_actions``, ``propose``, ``random_action`` and the heuristics."""
        rules, legal = self.game.rules, position.legal_actions()
        if not legal:
            return
        order = np.array(legal, np.int16)
        r.order_actions(rules, position.record, order, len(legal))
        if sorted(order.tolist()) != legal:
            raise self.fault(f"order_actions makes {order.tolist()} of the legal actions {legal}")
        scratch, drawn = np.empty(self.game.facts.num_actions, np.int16), []
        estimates = np.empty(len(scratch), np.float32)
        count = r.propose(rules, position.record, scratch, estimates)
        proposals = scratch[:count].tolist()
        if not 0 < len(set(proposals) & set(legal)) == count:
            raise self.fault(f"propose lists {proposals}; legal actions: {legal}")
        for _ in range(2):
            stream = new_stream(self.seed, len(self.actions))
            drawn.append(
                [int(r.random_action(rules, position.record, stream, scratch)) for _ in range(4)]
            )
        if not set(drawn[0]) <= set(legal):
            raise self.fault(f"random_action draws {drawn[0]}; legal actions: {legal}")
        if drawn[0] != drawn[1]:
            raise self.fault("random_action draws different actions from equal random streams")
        for index, name in enumerate(self.game.declaration.heuristics):
            for player in (0, 1):
                value = r.evaluate(rules, position.record, player, index)
                if not isinstance(value, (int, np.integer)):
                    raise self.fault(
                        f"the heuristic {name} gives {value!r}, not a whole number of points"
                    )

    def remember_keys(self, position: Position) -> None:
        """Record the keys of the position and of its successors for the check after all games."""
        if len(self.by_key) > min(MOST_KEYS, MOST_BYTES // position.record.nbytes):
            return
        actions = self.sample(position.legal_actions())
        for node in (position, *map(position.after, actions)):
            self.by_key.setdefault(node.key, {}).setdefault(node.record.tobytes(), node)

    def check_after_all_games(self) -> None:
        """Checks over all positions: keys distinguish them, and both players move."""
        self.actions = []
        if self.movers != {0, 1}:
            raise _fault(self.game, f"player {1 - min(self.movers)} never got to move")
        for same_key in self.by_key.values():
            first, *others = same_key.values()
            for other in others:
                for continuation in range(CONTINUATIONS):
                    self.check_interchangeable(first, other, continuation)

    def check_interchangeable(self, first: Position, other: Position, continuation: int) -> None:
        """Check that two positions with the same key have the same future."""
        one, two, rng = first.copy(), other.copy(), np.random.default_rng((self.seed, continuation))
        while True:
            views = [
                (position.to_move, position.is_over, position.returns, position.legal_actions())
                for position in (one, two)
            ]
            if views[0] != views[1]:
                raise _fault(
                    self.game,
                    f"key cannot tell these two positions apart, which go on "
                    f"differently:\n{first}\nand\n{other}",
                )
            if not views[0][3]:
                return
            action = views[0][3][int(rng.integers(len(views[0][3])))]
            one.play(action)
            two.play(action)


def _differences(position: Position, other: Position) -> str:
    """The record fields in which two positions differ, and the boards if these differ."""
    fields = []
    for name in position.record.dtype.names:
        value, its_value = np.asarray(position.record[name]), np.asarray(other.record[name])
        places = np.argwhere(value != its_value).tolist()
        if places:
            index = tuple(places[0])
            more = f" (and {len(places) - 1} more places of it)" if len(places) > 1 else ""
            where = f"[{', '.join(map(str, index))}]" if index else ""
            fields.append(f"{name}{where} {value[index]} instead of {its_value[index]}{more}")
    boards = f"\n{position}\ninstead of\n{other}" if str(position) != str(other) else ""
    return ", ".join(fields or ["another padding of the record"]) + boards
