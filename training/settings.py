"""Settings of training runs: typed fields with help, limits and choices.

An algorithm declares its settings as a frozen subclass of :class:`RunSettings`, one
:func:`~plyground.envs.loading.settings.setting` for each field.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from ..agents.effects import not_to_make
from ..agents.opponents import MIXTURE, read_mixture
from ..agents.policies.named import effects_of_network
from ..envs.game import Game
from ..envs.loading.settings import Settings, parameters_of
from ..envs.loading.settings import setting as setting  # noqa: PLC0414  # exported too
from ..envs.profile import TrainingSettings, tuned_settings
from ..envs.specification import SpecificationError, check_names

WALL, PROCESSOR = "wall", "processor"
UNLIMITED = 10**12  # steps of a run limited by time
LENGTH = ("steps", "hours")  # the budget of a run
# Settings that name agents, and those that name networks.
AGENTS, NETWORKS = ("evaluate", "opponent", "regret"), ("initial", "predecessor")
CURRICULUM, SELF, NONE = "curriculum:", "self", "none"
OPTIMAL = "optimal moves"  # in `evaluate`: the share of them, by perfect play
JUDGED = 200  # positions for that, a game each as in 100 pairs


@dataclasses.dataclass(frozen=True)
class RunSettings(Settings):
    """The settings common to all algorithms.

    Raises:
        SpecificationError: an invalid value.
    """

    algorithm: ClassVar[str] = "training"
    subject: ClassVar[str] = algorithm
    discount_setting: ClassVar[str] = "discount"  # the name of the setting
    device: ClassVar[str] = "auto"  # default device of the networks

    budgets: ClassVar[tuple[TrainingSettings, ...]] = ()  # for short runs on any game

    steps: int = setting(2_000_000, "Total actions of the learner, such as 300k or 2M.", low=1)
    hours: float = setting(0.0, "Time limit of the run in hours; 0: no limit.", low=0, metavar="H")
    clock: str = setting(
        WALL,
        "Clock for hours: wall (wall time) or processor (CPU time of all processes).",
        choices=(WALL, PROCESSOR),
    )
    evaluate: str = setting(
        "random;greedy;alphabeta:depth=2;alphabeta:depth=4;mcts:simulations=100",
        "Opponents for evaluations, separated by semicolons, or none; optimal moves: comparison "
        "with perfect play.",
        metavar="AGENT;AGENT",
    )
    evaluations: int = setting(20, "Number of evaluations of the learner.", low=1)
    evaluation_pairs: int = setting(
        100, "Openings per evaluation; each is played in both seats.", low=1
    )
    keep: int = setting(
        0, "Number of snapshots to keep and rate, evenly over the run; 0: none.", low=0
    )

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.subject = cls.algorithm

    @classmethod
    def defaults(
        cls,
        game: Game,
        length: Mapping[str, Any] = {},
        gpu: bool = False,
    ) -> dict[str, Any]:
        """The defaults for a game and its board: from facts, experiments and the run.

        In games of points with repeated moves, later points must not be discounted.

        Args:
            game: the game.
            length: ``steps`` and ``hours`` of the run, if set.
            gpu: whether its network is on a GPU.
        """
        names = [each.name for each in parameters_of(cls)]
        has_discount = cls.discount_setting in names  # some learners have no discount
        facts = {cls.discount_setting: 1.0} if game.facts.moves_again and has_discount else {}
        entries = sorted(
            (*cls.budgets, *game.profile.training.get(cls.algorithm, ())),
            key=lambda entry: entry.follows_run,  # entries for all runs come first
        )
        usual = facts | tuned_settings(entries, game.facts.num_actions)
        length = {"steps": UNLIMITED, **length} if length.get("hours") else length
        budget = {name: {**usual, **length}.get(name, getattr(cls, name)) for name in LENGTH}
        tuned = tuned_settings(entries, game.facts.num_actions, **budget, gpu=gpu)
        return usual | tuned | budget

    @classmethod
    def for_game(
        cls,
        game: Game,
        values: Mapping[str, Any] | None = None,
        texts: Iterable[str] = (),
        begun: Mapping[str, Any] = {},
        gpu: bool = False,
    ) -> Self:
        """The settings of a run.

        Args:
            game: the game; unset settings have its defaults for the run's length.
            values: settings by name; None: not set.
            texts: more settings, each as ``name=value``.
            begun: the settings of the run in the folder, if there is one: unset settings keep
                these values, even if the run is to be longer or the defaults have changed.
            gpu: whether the network is on a GPU, where larger networks are cheap.

        Raises:
            SpecificationError: an unknown name, an invalid value, or a value of ``begun`` that must
                be set again, see :meth:`effects`.
        """
        parameters = {parameter.name: parameter for parameter in parameters_of(cls)}
        kinds = {name: parameter.kind for name, parameter in parameters.items()}
        check_names("there is no setting", values or (), kinds)
        settings = {name: value for name, value in (values or {}).items() if value is not None}
        for text in texts:
            name, equals, value = (part.strip() for part in text.partition("="))
            if not equals:
                raise SpecificationError(
                    f"{text!r} is not of the form NAME=VALUE, such as learning_rate=0.0005"
                )
            check_names("there is no setting", [name], kinds)
            settings[name] = value
        length = {
            name: parameters[name].convert(settings[name], cls.algorithm)
            for name in LENGTH
            if name in settings
        }
        # a run of another game is refused later
        own = begun if begun.get("game", game.spec) == game.spec else {}
        stay = {name: own[name] for name in kinds.keys() & own.keys() - {*LENGTH}}
        cls._refuse_effects({name: stay[name] for name in stay.keys() - settings.keys()})
        chosen = cls.defaults(game, length, gpu) | stay | settings
        return cls._with_parts(
            {name: parameters[name].convert(each, cls.algorithm) for name, each in chosen.items()}
        )

    @classmethod
    def _with_parts(cls, values: dict[str, Any]) -> Self:
        """The settings with these values, each in the part that declares it."""
        parts: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            if isinstance(field.default, Settings):
                kind = type(field.default)
                names = [each.name for each in parameters_of(kind) if each.name in values]
                parts[field.name] = kind(**{name: values.pop(name) for name in names})
        return cls(**values, **parts)

    def values(self) -> dict[str, Any]:
        """All values by name, including those of parts."""
        values: dict[str, Any] = {}
        for name, value in vars(self).items():
            values |= vars(value) if isinstance(value, Settings) else {name: value}
        return values

    @classmethod
    def effects(cls, name: str, text: str) -> dict[str, str]:
        """The agent or file in a setting's value that runs code or opens files, and its effect.

        The folder of a run may be untrusted: such a value is used only if the user sets it again,
        see :mod:`plyground.agents.effects`.
        """
        if name in AGENTS:
            return not_to_make(_agents_in(text))
        does = effects_of_network(text) if name in NETWORKS and text else ()
        return {text: does[0]} if does else {}

    @classmethod
    def _refuse_effects(cls, begun: Mapping[str, Any]) -> None:
        for name, value in sorted(begun.items()):
            for named, what in cls.effects(name, str(value)).items():
                raise SpecificationError(
                    f"the run in the folder has {name}={value}, and {named} {what}; set {name} "
                    f"again to allow that (--set {name}=…)"
                )

    @property
    def opponents_to_measure(self) -> list[str]:
        """The opponents of :attr:`evaluate`; empty if it is ``none``."""
        names = self._evaluated
        return [] if names == [NONE] else [name for name in names if name != OPTIMAL]

    @property
    def _evaluated(self) -> list[str]:
        return [name.strip() for name in self.evaluate.split(";")]

    @property
    def counts_processor_time(self) -> bool:
        """Whether ``hours`` are hours of CPU time of all processes."""
        return self.clock == PROCESSOR

    @property
    def judged(self) -> int:
        """The number of positions in which moves are compared with perfect play."""
        return JUDGED if OPTIMAL in self._evaluated else 0

    @property
    def processes(self) -> int:
        """The minimum number of parallel processes."""
        return 1

    @property
    def time_limit(self) -> float:
        """Time limit of the run in seconds; 0: no limit."""
        return 3600.0 * self.hours

    @property
    def steps_between_evaluations(self) -> int:
        """The number of steps between evaluations."""
        return max(self.steps // self.evaluations, 1)


@dataclasses.dataclass(frozen=True)
class OpposedSettings(RunSettings):
    """The settings of a run against opponents, apart from its game and its seed.

    A learner that always starts from the empty board against a deterministic opponent memorises a
    few games. Random moves at the beginning (``opening_plies``) prevent that.
    """

    # for these small networks copying to a GPU costs more than it gains
    device: ClassVar[str] = "cpu"
    budgets: ClassVar[tuple[TrainingSettings, ...]] = (
        # Otherwise short runs would spend more time on evaluation than on learning.
        TrainingSettings({"evaluations": 5}, steps=900_000, hours=0.1),
    )

    # Against "random" alone Breakthrough 6×6 has 1 % against greedy after three minutes.
    opponent: str = setting(
        "mix:0.5 alphabeta:depth=2,0.2 greedy,0.3 random",
        'Opponents of the learner: an agent, "mix:0.3 random,0.7 self", '
        '"curriculum:random;greedy".',
        metavar="AGENT",
    )
    games: int = setting(256, "Games played at once.", low=1)
    opening_plies: int = setting(
        8, "Maximum number of random moves at the beginning of a game.", low=0
    )
    long_openings: float = setting(
        0.0, "Share of the games with up to 30 random moves at the beginning.", low=0, high=1
    )
    regret: str = setting(
        "",
        "Agent that judges the learner's actions, such as alphabeta:depth=3: rewards are then the "
        "negative regrets; empty: game results.",
    )
    symmetries: bool = setting(True, "Whether the learner sees boards through random symmetries.")
    channels: int = setting(32, "Channels of each convolution of the network.", low=1)
    layers: int = setting(0, "Convolutions of the network.", low=0, high=20)
    dense: str = setting("512,256", "Units of the network's dense layers, or none.")
    threshold: float = setting(
        0.75, "Score against the newest stage at which the next stage starts.", low=0, high=1
    )
    window: int = setting(500, "Number of games for that score.", low=1)
    rehearsal: float = setting(
        0.3, "Share of the games against the opponents of earlier stages.", low=0, high=0.9
    )
    initial: str = setting(
        "",
        "A run of the same algorithm that supplies the initial weights, for PPO also a policy of "
        "AlphaZero or supervised learning; empty: none.",
        metavar="RUN",
        option="--init",
    )

    @property
    def units(self) -> tuple[int, ...]:
        """The units of the dense layers."""
        if self.dense == "none":
            return ()
        try:
            units = tuple(int(count) for count in self.dense.split(","))
        except ValueError:
            units = (0,)
        if any(count < 1 for count in units):
            raise SpecificationError(
                f"dense={self.dense} is not possible; it lists units of layers, such as 512,256, "
                f"or is none"
            )
        return units


def _agents_in(text: str) -> list[str]:
    """The specifications in a list of opponents, a mixture or a curriculum."""
    parts = [part.strip() for part in text.strip().removeprefix(CURRICULUM).split(";")]
    specs = [
        spec
        for part in parts
        for spec in ([s for _, s in read_mixture(part)] if part.startswith(MIXTURE) else [part])
    ]
    return [spec for spec in specs if spec not in ("", SELF, NONE, OPTIMAL)]
