"""Self-play of many parallel games by tree search with a network: the kernels.

One call of :func:`advance` backs up the network's evaluations of the waiting leaves, and continues
every game until a leaf of its tree waits again. On the way it finishes searches, plays their moves,
finishes games, stores their samples, and begins new games.

Sources: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and
Go through self-play", Science 2018; Wu, "Accelerating self-play learning in Go", 2019 (full and
fast searches, openings drawn from the policy).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...envs import rules as r
from ...envs.compiled.kernels import inner_kernel, kernel
from ...envs.compiled.randomness import mix64, random_below, random_unit
from ...envs.compiled.threads import share
from ...envs.game import Game
from ...envs.single_agent.batch_kernels import clear
from ..own.search_form import blank_records
from ..solvers.leaf import UNSOLVED, leaf_value, new_leaf_solver
from . import forest_kernels as at_root
from .descent import ANY_CHILD, EXACT, ROOT
from .forest import (
    EXACT_VALUE,
    IS_SAMPLE,
    MOST_CONSIDERED,
    TALLY,
    Cache,
    Forest,
    Games,
    Samples,
    considered_visits,
    new_cache,
    new_forest,
    new_games,
    new_samples,
)
from .mcts_kernels import Tree, prove, reset_tree
from .puct_kernels import (
    MOST_WITHOUT_NETWORK,
    add_leaf,
    backup_proven,
    backup_value,
    expand_and_backup,
    set_priors,
    visit_leaf,
)

DIRICHLET_ALPHA = 10.0  # divided by the legal actions: 0.3 at chess, with about 35 (Silver et al.)
SAMPLED_PLIES = 10  # with puct, whose moves are drawn by their visits; 30 in longer games there


class SelfPlay(NamedTuple):
    """The whole state of self-play in one process."""

    options: Any  # see `search_options`
    full_table: Any  # int32, (actions + 1, simulations): see `considered_visits`
    fast_table: Any
    forest: Forest
    cache: Cache
    leaf_solver: Any  # see `leaf_value`
    games: Games
    samples: Samples
    tally: Any  # TALLY records, (1,)
    generation: Any  # int32, (1,): of the network


share(SelfPlay, "options", "full_table", "fast_table", "generation")


def new_self_play(
    game: Game, options: Any, count: int, seed: int, most: int, entries: int
) -> SelfPlay:
    """Games before their first move.

    Args:
        game: the game.
        options: of the search, see :func:`~plyground.agents.search.forest.search_options`.
        count: games at once.
        seed: the seed of all random numbers.
        most: the maximum simulations of a search in later options.
        entries: the entries of the cache; a power of two.
    """
    full, fast = tables(game, options)
    return SelfPlay(
        options,
        full,
        fast,
        new_forest(game, count, most),
        new_cache(game, count, entries),
        new_leaf_solver(game),
        new_games(game, count, seed),
        new_samples(game, 2 * count * game.facts.longest_game),
        blank_records(1, TALLY),
        np.ones(1, np.int32),
    )


def tables(game: Game, options: Any) -> tuple[np.ndarray, np.ndarray]:
    """The tables of sequential halving for full and fast searches."""
    most = min(MOST_CONSIDERED, game.facts.num_actions)
    return (
        considered_visits(most, options.simulations),
        considered_visits(most, options.fast_simulations),
    )


@kernel
def begin_games(rules, play):
    """Begin all games, each at a random ply of a random game.

    So samples come at once, endings first. Games that began together would end together.
    """
    games = play.games
    for game in range(games.states.size):
        begin_game(rules, play, game)
        games.states[game].opening = 0
        plies = random_below(games.streams[game], games.flags.shape[1])
        play_at_random(rules, play, game, plies)


@inner_kernel
def advance(rules, play, waiting, logits, values):
    """Continue all games until they wait for the network, or the sample buffer is full.

    ``logits`` (float32, (waiting, num_actions)) and ``values`` (float32, (waiting,)) are the
    network's outputs for the leaves collected last. Returns the number of waiting leaves.
    """
    for slot in range(waiting):
        process_evaluation(play, slot, logits, values)
    waiting = 0
    for game in range(play.games.states.size):
        if _advance_game(rules, play, game, waiting):
            waiting += 1
    play.tally[0].evaluations += waiting
    return waiting


@inner_kernel
def process_evaluation(play, slot, logits, values):
    """Expand a leaf by the network's evaluation, back that up, and store it in the cache."""
    forest, cache = play.forest, play.cache
    game = forest.trees[slot]
    expand_and_backup(play.options.puct, forest.nodes[game], forest.leaves, slot, logits, values)
    _store_root_value(play, game)
    key = cache.leaf_keys[slot]
    index = _cache_entry(cache, key)
    entry = cache.entries[index]
    entry.key, entry.generation, entry.value = key, play.generation[0], values[slot]
    for action in range(logits.shape[1]):
        cache.logits[index, action] = logits[slot, action]


@inner_kernel
def _cache_entry(cache, key):
    """The cache slot of a position."""
    return np.int64(mix64(key) & np.uint64(cache.entries.size - 1))


@inner_kernel
def _store_root_value(play, game):
    """Store the network's value of the root."""
    root = play.forest.nodes[game][ROOT]
    if root.visits == 1:
        play.games.states[game].raw = root.total if root.mover == 0 else -root.total


@inner_kernel
def _advance_game(rules, play, game, slot):
    """Advance one game until a leaf of its tree waits in the slot; False if none waits yet."""
    games, samples = play.games, play.samples
    state = games.states[game]
    for _ in range(MOST_WITHOUT_NETWORK):
        if samples.count[0] + games.flags.shape[1] > samples.marks.size:
            return False
        if state.goal == 0:
            begin_search(rules, play, game)
        elif state.done >= state.goal or play.forest.nodes[game][ROOT].proven == EXACT:
            _finish_search(rules, play, game)
        elif simulate(rules, play, game, slot):
            return True
    return False


@inner_kernel
def _tree_of(forest, game):
    """One tree of the forest, for the kernels of a single tree."""
    return Tree(
        forest.nodes[game],
        forest.positions[game],
        forest.leaves.paths[0],
        forest.actions,
        forest.sizes[game],
    )


@kernel
def begin_search(rules, play, game):
    """Reset the tree to a game's position; if only one action is legal, play it instead."""
    forest, games, options = play.forest, play.games, play.options
    state = games.states[game]
    count = r.legal_actions(rules, games.positions[game], forest.actions)
    if count == 1:
        play_action(rules, play, game, np.int64(forest.actions[0]))
        return
    forest.positions[game, 0] = games.positions[game]
    reset_tree(rules, _tree_of(forest, game))
    state.done = 0
    if state.opening > 0:
        state.full, state.goal = 0, 1
        return
    stream = games.streams[game]
    full = random_unit(stream) < options.full_share
    state.full = full
    state.goal = 1 + (options.simulations if full else options.fast_simulations)
    if options.gumbel:
        at_root.draw_gumbels(stream, games.noise[game], count)
    elif full:
        at_root.draw_dirichlet(stream, games.noise[game], count, DIRICHLET_ALPHA / count)


@inner_kernel
def simulate(rules, play, game, slot):
    """One simulation; returns whether it waits for the network."""
    forest, games, puct = play.forest, play.games, play.options.puct
    tree, path = _tree_of(forest, game), forest.leaves.paths[slot]
    nodes = tree.nodes
    first = _choose_first(play, nodes, game) if nodes[ROOT].visits > 0 else ANY_CHILD
    node, ply = visit_leaf(rules, puct, tree, forest.leaves, path, first)
    games.states[game].done += 1
    play.tally[0].simulations += 1
    if nodes[node].proven != EXACT:
        solve(rules, play, tree, node, tree.positions[1])
    if nodes[node].proven == EXACT:
        backup_proven(puct, nodes, path, ply)
        return False
    cache = play.cache
    key = r.key(rules, tree.positions[1])
    index = _cache_entry(cache, key)
    entry = cache.entries[index]
    if entry.key == key and entry.generation == play.generation[0]:
        set_priors(nodes, nodes[node], cache.logits, index)
        value = min(max(np.float64(entry.value) / puct.scale, -1.0), 1.0)
        backup_value(puct, nodes, path, ply, value)
        _store_root_value(play, game)
        return False
    add_leaf(rules, puct, tree, forest.leaves, slot, ply)
    forest.trees[slot] = game
    cache.leaf_keys[slot] = key
    return True


@kernel
def solve(rules, play, tree, leaf, position):
    """Prove an unproven node by the game's exact solver, if that answers at once.

    At the root all actions are proven, since the search must choose one.
    """
    if leaf != ROOT:
        _solve_node(rules, play, tree.nodes[leaf], position)
        return
    root, after = tree.nodes[ROOT], play.forest.leaves.children[0]
    for child in range(root.children, root.children + root.count):
        entry = tree.nodes[child]
        if entry.proven == EXACT:
            continue
        play.forest.leaves.children[0] = position
        r.play(rules, after, np.int64(entry.action))
        if not _solve_node(rules, play, entry, after):
            return
    prove(tree.nodes, root, play.options.puct.discount, play.options.puct.sure)


@kernel
def _solve_node(rules, play, entry, position):
    """Prove a node by the exact solver; returns whether it could."""
    options = play.options
    value, plies = leaf_value(rules, play.leaf_solver, position, options.solved_plies)
    if plies == UNSOLVED:
        return False
    entry.proven, entry.result = EXACT, value / options.puct.scale
    for _ in range(plies):  # rounded like a proof that is backed up the tree
        entry.result = np.float64(entry.result) * options.puct.discount
    return True


@inner_kernel
def _choose_first(play, nodes, game):
    """The root's child that the next simulation begins with."""
    games, options = play.games, play.options
    state = games.states[game]
    noise, full = games.noise[game], state.full
    if not options.gumbel:
        return at_root.choose_by_noisy_prior(options, nodes, noise, full)
    table = play.full_table if full else play.fast_table
    row = min(np.int64(nodes[ROOT].count), table.shape[0] - 1)
    # the first simulation was the root's own
    target_visits = np.int64(table[row, state.done - 1])
    return at_root.choose_by_halving(options, nodes, noise, state.raw, target_visits)


@kernel
def _finish_search(rules, play, game):
    """Record the result of a search, and play its move."""
    games, options = play.games, play.options
    state = games.states[game]
    nodes, stream = play.forest.nodes[game], games.streams[game]
    root = nodes[ROOT]
    if state.opening > 0:
        state.opening -= 1
        child = (
            at_root.best_proven(nodes)
            if root.proven == EXACT
            else at_root.draw_by_prior(nodes, stream)
        )
        play_action(rules, play, game, np.int64(nodes[child].action))
        return
    if state.full:
        record(rules, play, game)
    if root.proven == EXACT:
        child = at_root.best_proven(nodes)
    elif options.gumbel:
        child = at_root.recommend_by_halving(options, nodes, games.noise[game], state.raw)
    elif state.plies < SAMPLED_PLIES:
        child = at_root.draw_by_visits(nodes, stream)
    else:
        child = at_root.most_visited(nodes)
    play_action(rules, play, game, np.int64(nodes[child].action))


@kernel
def record(rules, play, game):
    """Keep the position, the recommended policy and the value of a full search."""
    games, options = play.games, play.options
    state = games.states[game]
    nodes, ply = play.forest.nodes[game], state.plies
    root, policy = nodes[ROOT], games.policies[game, ply]
    games.past[game, ply] = games.positions[game]
    for action in range(policy.size):
        policy[action] = 0.0
    games.flags[game, ply] = IS_SAMPLE
    if root.proven == EXACT:
        games.flags[game, ply] |= EXACT_VALUE
        at_root.write_exact_policy(nodes, policy)
        games.values[game, ply] = root.result
    elif options.gumbel:
        raw = state.raw
        at_root.write_improved_policy(options, nodes, raw, policy)
        games.values[game, ply] = at_root.policy_value(options, nodes, raw, policy)
    else:
        noise = games.noise[game]
        at_root.write_visit_policy(options, nodes, noise, play.forest.weights, policy)
        games.values[game, ply] = root.total / root.visits


@kernel
def play_action(rules, play, game, action):
    """Play an action; a game that ends is followed by a new one."""
    games = play.games
    state = games.states[game]
    position = games.positions[game]
    r.play(rules, position, action)
    state.plies += 1
    state.goal = 0
    if r.is_over(rules, position):
        outcome = r.returns(rules, position, 0) / play.options.puct.scale
        finish_game(rules, play, game, outcome)


@kernel
def finish_game(rules, play, game, outcome):
    """Write the samples of a finished game, and begin a new one.

    ``outcome`` is the scaled return of player 0.
    """
    games, samples, tally = play.games, play.samples, play.tally
    state = games.states[game]
    for ply in range(state.plies + 1):
        if ply == games.flags.shape[1] or not games.flags[game, ply] & IS_SAMPLE:
            continue
        index = samples.count[0]
        samples.count[0] += 1
        position = games.past[game, ply]
        mover = r.to_move(rules, position)
        sign = 1.0 if mover == 0 else -1.0
        clear(samples.observations[index])
        r.observe(rules, position, mover, samples.observations[index])
        for action in range(samples.policies.shape[1]):
            samples.policies[index, action] = games.policies[game, ply, action]
        mark = samples.marks[index]
        mark.outcome, mark.root = sign * outcome, sign * games.values[game, ply]
        mark.left, mark.exact = state.plies - ply, (games.flags[game, ply] & EXACT_VALUE) != 0
    tally[0].games += 1
    tally[0].plies += state.plies
    tally[0].wins += outcome > 0.0
    tally[0].draws += outcome == 0.0
    begin_game(rules, play, game)


@kernel
def begin_game(rules, play, game):
    """Begin a game, with a random opening or one drawn by the network."""
    games, options = play.games, play.options
    state = games.states[game]
    position, stream = games.positions[game], games.streams[game]
    r.start(rules, position)
    state.number += 1
    state.plies, state.goal, state.opening = 0, 0, 0
    for ply in range(games.flags.shape[1]):
        games.flags[game, ply] = 0
    plies = random_below(stream, options.opening_plies + 1)
    if random_unit(stream) >= options.random_openings:
        state.opening = plies
    else:
        play_at_random(rules, play, game, plies)


@inner_kernel
def play_at_random(rules, play, game, plies):
    """Play random actions; a game that ends is followed by a new one."""
    games, actions = play.games, play.forest.actions
    state, position = games.states[game], games.positions[game]
    for _ in range(plies):
        r.play(rules, position, r.random_action(rules, position, games.streams[game], actions))
        state.plies += 1
        if r.is_over(rules, position):
            r.start(rules, position)
            state.plies = 0
