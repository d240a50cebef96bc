"""The search at the root in self-play.

The kernels decide which action the next simulation begins with, what the search recommends, and
what a policy should learn from it.

With Gumbel noise, sequential halving chooses the actions, and the recommended policy is the softmax
of the logits plus the transformed completed Q values. With PUCT, the root's priors are mixed with
Dirichlet noise, and the recommended policy is the visit distribution.

Sources: Danihelka, Guez, Schrittwieser, Silver, "Policy improvement by planning with Gumbel", ICLR
2022 (sequential halving, completed Q values); Silver et al., "A general reinforcement learning
algorithm that masters chess, shogi, and Go through self-play", Science 2018 (Dirichlet noise); Wu,
"Accelerating self-play learning in Go", 2019 (forced visits, pruned policy targets).
"""

from __future__ import annotations

import numpy as np

from ...envs.compiled.kernels import inner_kernel
from ...envs.compiled.randomness import UNIT, random_unit
from .descent import EXACT, ROOT

LEAST_PRIOR = 1e-9
VISIT_OFFSET = 50.0  # c_visit of Danihelka et al.
NOISE_SHARE = 0.25  # of the Dirichlet noise in the root's priors (Silver et al.)
FORCED_VISITS = 2.0  # k of Wu, section 3.2


@inner_kernel
def draw_gumbels(stream, noise, count):
    """Write ``count`` independent draws from the standard Gumbel distribution."""
    for i in range(count):
        noise[i] = -np.log(-np.log(random_unit(stream) + UNIT))


@inner_kernel
def draw_dirichlet(stream, noise, count, alpha):
    """Write a draw from the symmetric Dirichlet distribution."""
    total = 0.0
    for i in range(count):
        noise[i] = _draw_gamma(stream, alpha)
        total += noise[i]
    for i in range(count):
        noise[i] = noise[i] / total if total > 0.0 else 1.0 / count


@inner_kernel
def _draw_gamma(stream, alpha):
    """A draw from the gamma distribution of this shape.

    Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 2000;
    shapes below 1 by their power of a uniform number.
    """
    shape = alpha + 1.0 if alpha < 1.0 else alpha
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        # a normal number by Box and Muller
        radius = np.sqrt(-2.0 * np.log(1.0 - random_unit(stream)))
        x = radius * np.cos(2.0 * np.pi * random_unit(stream))
        v = (1.0 + c * x) ** 3
        if v > 0.0:
            u = 1.0 - random_unit(stream)
            if np.log(u) < 0.5 * x * x + d - d * v + d * np.log(v):
                break
    draw = d * v
    if alpha < 1.0:
        draw *= (1.0 - random_unit(stream)) ** (1.0 / alpha)
    return draw


@inner_kernel
def child_value(nodes, child, sign, discount):
    """The value of an action for the root's mover: proven, or the mean of its visits."""
    entry = nodes[child]
    if entry.proven == EXACT:
        return discount * sign * np.float64(entry.result)
    return discount * sign * entry.total / entry.visits


@inner_kernel
def _mixed_value(nodes, raw, discount):
    """The value assigned to an unvisited action (v_mix in the paper).

    It is the network's value of the root, mixed with the values of the visited actions.
    """
    root = nodes[ROOT]
    sign = 1.0 if root.mover == 0 else -1.0
    visits, weight, weighted_sum = 0.0, 0.0, 0.0
    for child in range(root.children, root.children + root.count):
        entry = nodes[child]
        if entry.visits > 0:
            prior = max(np.float64(entry.prior), LEAST_PRIOR)
            visits += entry.visits
            weight += prior
            weighted_sum += prior * child_value(nodes, child, sign, discount)
    if visits == 0.0:
        return raw
    return (raw + visits * weighted_sum / weight) / (1.0 + visits)


@inner_kernel
def most_visited(nodes):
    """The root's child with the most visits."""
    root = nodes[ROOT]
    best = np.int64(root.children)
    for child in range(root.children, root.children + root.count):
        if nodes[child].visits > nodes[best].visits:
            best = np.int64(child)
    return best


@inner_kernel
def _most_visits(nodes):
    """The number of visits of that child."""
    return np.int64(nodes[most_visited(nodes)].visits)


@inner_kernel
def _value_transform(options, nodes, raw):
    """The transformation of completed Q values into logits (sigma in the paper).

    Returns the value of unvisited actions, and the factor. The values −1 to 1 become 0 to 1, as the
    paper's constants expect.
    """
    unvisited_value = _mixed_value(nodes, raw, options.puct.discount)
    factor = (VISIT_OFFSET + _most_visits(nodes)) * options.value_scale
    return unvisited_value, factor / 2.0


@inner_kernel
def _completed_value(options, nodes, child, unvisited_value):
    """The value of a root action for its mover, visited or not."""
    entry = nodes[child]
    if entry.visits > 0 or entry.proven == EXACT:
        sign = 1.0 if nodes[ROOT].mover == 0 else -1.0
        return child_value(nodes, child, sign, options.puct.discount)
    return unvisited_value


@inner_kernel
def _improved_logit(options, nodes, child, transform):
    """An action's logit, improved by its completed Q value."""
    unvisited_value, factor = transform
    value_term = factor * (_completed_value(options, nodes, child, unvisited_value) + 1.0)
    return np.log(max(np.float64(nodes[child].prior), LEAST_PRIOR)) + value_term


@inner_kernel
def choose_by_halving(options, nodes, noise, raw, target_visits):
    """The root's child for the next visit by sequential halving.

    It is the best of the children visited ``target_visits`` times.
    """
    root, transform = nodes[ROOT], _value_transform(options, nodes, raw)
    best, best_score, fallback, least = -1, -np.inf, -1, np.int64(1 << 40)
    for i in range(root.count):
        child = np.int64(root.children + i)
        visits = np.int64(nodes[child].visits)
        if visits == target_visits:
            score = noise[i] + _improved_logit(options, nodes, child, transform)
            if score > best_score:
                best, best_score = child, score
        if visits < least:
            fallback, least = child, visits
    return best if best >= 0 else fallback


@inner_kernel
def choose_by_noisy_prior(options, nodes, noise, full):
    """The root's child for the next visit by PUCT.

    In a ``full`` search its priors are mixed with noise, and there are forced visits.
    """
    root, puct = nodes[ROOT], options.puct
    sign = 1.0 if root.mover == 0 else -1.0
    share = NOISE_SHARE if full else 0.0
    total = np.float64(root.visits - 1)
    exploration = puct.c_puct * np.sqrt(np.float64(root.visits))
    best, best_bound = np.int64(root.children), -np.inf
    for i in range(root.count):
        child = np.int64(root.children + i)
        entry = nodes[child]
        if entry.proven == EXACT:
            continue
        prior = (1.0 - share) * entry.prior + share * noise[i]
        if entry.visits > 0:
            if full and entry.visits < np.sqrt(FORCED_VISITS * prior * total):
                return child
            value = puct.discount * sign * entry.total / entry.visits
        else:
            value = sign * root.total / root.visits  # no reduction in a search that explores
        bound = value + exploration * prior / (1.0 + entry.visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inner_kernel
def best_proven(nodes):
    """The best proven child of the root for its mover, or −1."""
    root = nodes[ROOT]
    sign = 1.0 if root.mover == 0 else -1.0
    best, best_value = -1, -np.inf
    for child in range(root.children, root.children + root.count):
        if nodes[child].proven == EXACT and sign * nodes[child].result > best_value:
            best, best_value = np.int64(child), sign * nodes[child].result
    return best


@inner_kernel
def write_exact_policy(nodes, out):
    """Divide the probability equally among the proven best actions of a proven root."""
    root, shares = nodes[ROOT], 0
    result = nodes[best_proven(nodes)].result
    for child in range(root.children, root.children + root.count):
        shares += nodes[child].proven == EXACT and nodes[child].result == result
    for child in range(root.children, root.children + root.count):
        if nodes[child].proven == EXACT and nodes[child].result == result:
            out[nodes[child].action] = 1.0 / shares


@inner_kernel
def write_improved_policy(options, nodes, raw, out):
    """Write the softmax of the improved logits, by action."""
    root, transform = nodes[ROOT], _value_transform(options, nodes, raw)
    highest, total = -np.inf, 0.0
    for child in range(root.children, root.children + root.count):
        logit = _improved_logit(options, nodes, child, transform)
        highest = max(highest, logit)
    for child in range(root.children, root.children + root.count):
        logit = _improved_logit(options, nodes, child, transform)
        total += np.exp(logit - highest)
    for child in range(root.children, root.children + root.count):
        logit = _improved_logit(options, nodes, child, transform)
        out[nodes[child].action] = np.exp(logit - highest) / total


@inner_kernel
def policy_value(options, nodes, raw, policy):
    """The root's value for player 0 if its mover follows this policy."""
    root = nodes[ROOT]
    sign = 1.0 if root.mover == 0 else -1.0
    unvisited_value, total = _mixed_value(nodes, raw, options.puct.discount), 0.0
    for child in range(root.children, root.children + root.count):
        value = _completed_value(options, nodes, child, unvisited_value)
        total += policy[nodes[child].action] * value
    return sign * total


@inner_kernel
def write_visit_policy(options, nodes, noise, weights, out):
    """Write the visits as probabilities by action.

    Visits caused by noise or forcing alone are removed. From each action but the most visited,
    forced visits are subtracted as long as its bound stays below that of the most visited; an
    action left with one visit is dropped (Wu 2019, section 3.2).
    """
    root, puct = nodes[ROOT], options.puct
    sign = 1.0 if root.mover == 0 else -1.0
    exploration = puct.c_puct * np.sqrt(np.float64(root.visits))
    top, total, highest = most_visited(nodes), 0.0, -np.inf
    if nodes[top].visits > 0:
        highest = child_value(nodes, top, sign, puct.discount)
        highest += exploration * nodes[top].prior / (1.0 + nodes[top].visits)
    for i in range(root.count):
        child = np.int64(root.children + i)
        entry = nodes[child]
        visits = np.float64(entry.visits)
        if child != top and entry.visits > 0 and entry.proven != EXACT:
            prior = (1.0 - NOISE_SHARE) * entry.prior + NOISE_SHARE * noise[i]
            forced_visits = np.floor(np.sqrt(FORCED_VISITS * prior * (root.visits - 1)))
            least = max(visits - forced_visits, 0.0)
            value = child_value(nodes, child, sign, puct.discount)
            while visits > least and value + exploration * entry.prior / visits < highest:
                visits -= 1.0
            if visits <= 1.0:
                visits = 0.0
        weights[i] = visits
        total += visits
    for i in range(root.count):
        child = root.children + i
        out[nodes[child].action] = (
            weights[i] / total if total > 0.0 else np.float64(nodes[child].prior)
        )


@inner_kernel
def recommend_by_halving(options, nodes, noise, raw):
    """The root's child chosen by sequential halving."""
    root, transform = nodes[ROOT], _value_transform(options, nodes, raw)
    best, best_score, most = np.int64(root.children), -np.inf, _most_visits(nodes)
    for i in range(root.count):
        child = np.int64(root.children + i)
        if nodes[child].visits == most or nodes[child].proven == EXACT:
            score = noise[i] + _improved_logit(options, nodes, child, transform)
            if score > best_score:
                best, best_score = child, score
    return best


@inner_kernel
def draw_by_visits(nodes, stream):
    """A child of the root, drawn in proportion to its visits."""
    root = nodes[ROOT]
    left = random_unit(stream) * (root.visits - 1)
    draw = np.int64(root.children)
    for child in range(root.children, root.children + root.count):
        if nodes[child].visits > 0:
            draw = np.int64(child)
            left -= nodes[child].visits
            if left < 0.0:
                break
    return draw


@inner_kernel
def draw_by_prior(nodes, stream):
    """A child of the root, drawn by the network's probabilities."""
    root = nodes[ROOT]
    left = random_unit(stream)
    draw = np.int64(root.children)
    for child in range(root.children, root.children + root.count):
        draw = np.int64(child)
        left -= nodes[child].prior
        if left < 0.0:
            break
    return draw
