"""Gumbel AlphaZero's search in plain Python, slow and recursive, for small boards.

It shares no code with the package's search: positions are played by :class:`plyground.envs.game`,
nodes are objects, values belong to players by name.
"""

from __future__ import annotations

import math


class Node:
    """A position; its value is kept for player 0."""

    def __init__(self, position):
        self.position, self.mover = position, position.to_move
        self.total, self.visits = 0.0, 0
        self.children = {}
        self.priors = {}
        self.over = position.is_over
        self.proven = self.bound = None
        if self.over:
            self.proven = float(position.returns[0]) / position.game.facts.max_return

    def sign(self):
        return 1.0 if self.mover == 0 else -1.0


class Search:
    """One search from a position.

    ``network(position)`` gives a dictionary of logits by legal action, and the value for the mover;
    ``in_order(position)`` the legal actions in the order in which ties are broken.
    """

    def __init__(self, network, in_order, discount=1.0, c_puct=1.5, reduction=0.2):
        self.network, self.in_order = network, in_order
        self.discount, self.c_puct = discount, c_puct
        self.reduction = reduction

    def expand(self, node):
        for action in self.in_order(node.position):
            node.children[action] = Node(node.position.after(action))
        if any(child.proven is not None for child in node.children.values()):
            self.prove(node)

    def prove(self, node):
        sign = node.sign()
        proven = [c.proven for c in node.children.values() if c.proven is not None]
        best = max((sign * result for result in proven), default=-math.inf)
        plies = 1 if node.position.game.facts.moves_again else 2
        sure = best >= self.discount**plies - 1e-6
        if sure or len(proven) == len(node.children):
            node.proven = sign * best * self.discount
        elif proven:
            node.bound = sign * best * self.discount

    def simulate(self, node, first=None):
        """One simulation; returns the value for player 0 and whether it ended in a proven node."""
        if node.proven is not None:
            return self.add(node, node.proven), True
        if not node.children:
            self.expand(node)
            if node.proven is not None:
                return self.add(node, node.proven), True
            logits, value = self.network(node.position)
            top = max(logits.values())
            total = sum(math.exp(logit - top) for logit in logits.values())
            node.priors = {a: math.exp(logit - top) / total for a, logit in logits.items()}
            return self.add(node, node.sign() * value), False
        action = self.select(node) if first is None else first
        result, known = self.simulate(node.children[action])
        if known:
            self.prove(node)
            known = node.proven is not None
        return self.add(node, result * self.discount), known

    def add(self, node, result):
        sign = node.sign()
        if node.proven is not None:
            result = node.proven
        elif node.bound is not None and sign * node.bound > sign * result:
            result = node.bound
        node.visits += 1
        node.total += result
        return result

    def select(self, node):
        sign, best, best_score = node.sign(), None, -math.inf
        for action, child in node.children.items():
            if child.proven is not None:
                continue
            value = sign * node.total / node.visits - self.reduction
            if child.visits:
                value = self.discount * sign * child.total / child.visits
            exploration = math.sqrt(node.visits) / (1 + child.visits)
            score = value + self.c_puct * node.priors[action] * exploration
            if score > best_score:
                best, best_score = action, score
        return best

    # -- the root --

    def child_value(self, root, action):
        child = root.children[action]
        if child.proven is not None:
            return self.discount * root.sign() * child.proven
        return self.discount * root.sign() * child.total / child.visits

    def completed(self, root, raw):
        """The completed Q values of the paper, equation 10, with v_mix of appendix D."""
        visited = [a for a, child in root.children.items() if child.visits]
        visits = sum(root.children[a].visits for a in visited)
        mixed = raw
        if visits:
            weight = sum(root.priors[a] for a in visited)
            mean = sum(root.priors[a] * self.child_value(root, a) for a in visited) / weight
            mixed = (raw + visits * mean) / (1 + visits)
        return {
            a: self.child_value(root, a) if child.visits or child.proven is not None else mixed
            for a, child in root.children.items()
        }

    def improved_logits(self, root, raw, visit_offset, value_scale):
        most = max(child.visits for child in root.children.values())
        sigma, values = (visit_offset + most) * value_scale, self.completed(root, raw)
        return {
            a: math.log(max(root.priors[a], 1e-9)) + sigma * (value + 1) / 2
            for a, value in values.items()
        }

    def improved_policy(self, root, raw, visit_offset, value_scale):
        logits = self.improved_logits(root, raw, visit_offset, value_scale)
        top = max(logits.values())
        total = sum(math.exp(logit - top) for logit in logits.values())
        return {a: math.exp(logit - top) / total for a, logit in logits.items()}

    def halving(self, position, gumbels, simulations, considered, visit_offset, value_scale):
        """Sequential halving over the actions, by rounds: the root, its raw value, the action."""
        root = Node(position)
        self.simulate(root)
        if root.proven is not None:
            return root, None, None
        raw = root.sign() * root.total

        def score(action):
            logits = self.improved_logits(root, raw, visit_offset, value_scale)
            return gumbels[action] + logits[action]

        actions = list(root.children)
        planned = min(considered, len(actions))
        phases = math.ceil(math.log2(planned)) if planned > 1 else 1
        left, visited = simulations, 0
        while left:
            rounds = max(1, simulations // (phases * planned)) if planned > 1 else left
            for _ in range(rounds):
                # the best of the actions visited equally often, one after the other, as in mctx:
                # what one visit finds counts for the choice of the next
                for _ in range(min(planned, left)):
                    if root.proven is not None:
                        return root, raw, None
                    equal = [a for a in actions if root.children[a].visits == visited]
                    self.simulate(root, max(equal, key=score))
                    left -= 1
                visited += 1
            planned = max(2, planned // 2)
        if root.proven is not None:
            return root, raw, None
        most = max(child.visits for child in root.children.values())
        final = [a for a, c in root.children.items() if c.visits == most or c.proven is not None]
        return root, raw, max(final, key=score)
