"""Display names of agents: the kind, its settings, and the strength of a network."""

from __future__ import annotations

from ....agents.policies.zoo import PREFIX, Card, cards_of
from ....envs.game import Game
from ....envs.specification import SpecificationError, parse_specification
from .words import Words

# Settings that distinguish agents of one kind. Of the others, QUIET ones do not affect play.
SETTINGS = ("network", "time", "depth", "simulations", "nodes")
QUIET = ("values", "memory", "threads")
SUPERVISED = "supervised by "  # prefix of the algorithm of a supervised network's card
SOLVER = "the exact solver"
CHARACTERS = {"alphazero": "character.hermit", "ppo": "character.gambler"}
GREAT = {"character.hermit": "character.great_hermit"}  # the larger of two of one training
TEACHERS = " and "  # between the teachers of one network


def agent_name(words: Words, spec: str, game: Game) -> str:
    """An agent's display name, such as ``Alpha-beta, depth 4``; its specification if unknown.

    Args:
        words: the language.
        spec: its specification.
        game: its game, on which the strength of a network depends.
    """
    for card in cards_of(game):
        if spec == PREFIX + card.name:
            return _network_name(words, card, game)
    try:
        parsed = parse_specification(spec)
    except SpecificationError:
        return spec
    title = words.get(f"name.{parsed.name}", "")
    if not title or parsed.argument is not None:
        return spec
    settings = dict(parsed.parameters)
    network = settings.get("network", "").removeprefix(PREFIX)
    guides = [_training(words, card, game) for card in cards_of(game) if card.name == network]
    if guides:
        settings["network"] = guides[0]
    known = [words(f"setting.{key}", value=settings[key]) for key in SETTINGS if key in settings]
    others = [f"{key}={value}" for key, value in settings.items() if key not in (*SETTINGS, *QUIET)]
    return ", ".join([title, *known, *others])


def character(card: Card, game: Game) -> str | None:
    """The key of a network's name as an opponent, by its training; None if unknown.

    Of two networks of a game with the same training the larger has a name of its own.
    """
    if card.algorithm.startswith(SUPERVISED):
        return "character.scholar"
    name = CHARACTERS.get(card.algorithm)
    smaller = any(other.parameters < card.parameters for other in _alike(card, game))
    return GREAT.get(name or "", name) if smaller else name


def _alike(card: Card, game: Game) -> list[Card]:
    """The other networks that play a game and were trained in the same way."""
    return [
        other
        for other in cards_of(game)
        if other.algorithm == card.algorithm and other.name != card.name
    ]


def _training(words: Words, card: Card, game: Game) -> str:
    """A text about a network's training, with its size if another was trained in the same way."""
    training = _algorithm(words, card, game)
    if not _alike(card, game):
        return training
    return words("training.size", training=training, weights=round(card.parameters / 1000))


def _algorithm(words: Words, card: Card, game: Game) -> str:
    """A text about a network's training."""
    teachers = card.algorithm.removeprefix(SUPERVISED)
    if teachers == card.algorithm:
        return words.get(f"training.{card.algorithm}", card.algorithm)
    names = (
        words("training.solver") if teacher == SOLVER else agent_name(words, teacher, game)
        for teacher in teachers.split(TEACHERS)
    )
    return words("training.taught", teacher=" + ".join(names))


def _network_name(words: Words, card: Card, game: Game) -> str:
    """A network by its training and its strength, as ``plyground zoo`` lists it.

    Networks of the same training are told apart by the games that they won: their shares of best
    moves may differ by chance.
    """
    name = words("name.network", training=_training(words, card, game))
    own, board = PREFIX + card.name, card.board
    for row in () if _alike(card, game) else board.get("quality", {}).get("rows", ()):
        if (row["agent"], row["phase"]) == (own, "all"):
            share = words("strength.optimal", percent=f"{100 * row['share']:.0f}")
            return f"{name}, {share}"
    for row in board.get("ratings", {}).get("rows", ()):
        if row["agent"] == own:
            return f"{name}, {words('strength.elo', elo=row['elo'])}"
    return name
