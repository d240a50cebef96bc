"""Settings of training runs: typed fields that declare their own help, limits and choices.

An algorithm declares its settings as a frozen dataclass below :class:`RunSettings`, one
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
from ..envs.loading.settings import OPENING_PLIES, Settings, parameters_of
from ..envs.loading.settings import setting as setting  # noqa: PLC0414  # exported too
from ..envs.profile import TrainingSettings, tuned_settings
from ..envs.specification import SpecificationError, check_names

WALL, PROCESSOR = "wall", "processor"
UNLIMITED = 10**12  # steps of a run that ends by the time
LENGTH = ("steps", "hours")  # of a run: its budget
# Settings that name agents, and those that name networks.
AGENTS, NETWORKS = ("evaluate", "opponent", "regret"), ("initial", "predecessor")
CURRICULUM, SELF, NONE = "curriculum:", "self", "none"


@dataclasses.dataclass(frozen=True)
class RunSettings(Settings):
    """What every training run is told, whatever the algorithm.

    Raises:
        SpecificationError: a value that is not possible.
    """

    algorithm: ClassVar[str] = "training"
    subject: ClassVar[str] = algorithm
    discount_setting: ClassVar[str] = "discount"  # the name of the setting
    device: ClassVar[str] = "auto"  # of the networks, where no other is asked for

    budgets: ClassVar[tuple[TrainingSettings, ...]] = ()  # for short runs at any game

    steps: int = setting(
        2_000_000, "Actions that the learner takes in all, such as 300k or 2M.", low=1
    )
    hours: float = setting(
        0.0, "Hours that the run takes at most; 0: no limit.", low=0, metavar="H"
    )
    clock: str = setting(
        WALL,
        "What hours counts: wall (by the clock) or processor (of all processes together).",
        choices=(WALL, PROCESSOR),
    )
    evaluate: str = setting(
        "random;greedy;alphabeta:depth=2;alphabeta:depth=4;mcts:simulations=100",
        "Opponents that the learner is measured against, separated by semicolons, or none.",
        metavar="AGENT;AGENT",
    )
    evaluations: int = setting(20, "How many times the learner is measured.", low=1)
    evaluation_pairs: int = setting(
        100, "Openings of each measurement; each is played in both seats.", low=1
    )
    evaluation_plies: int = setting(OPENING_PLIES, "Random moves of each of these openings.", low=0)
    keep: int = setting(
        0, "Snapshots that are kept, evenly over the run's work, and rated; 0: none.", low=0
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
        """What replaces the defaults for a game and its board: facts, experiments, the run.

        Who gathers points, moving again for each, may not be paid less for the later ones.

        Args:
            game: the game.
            length: ``steps`` and ``hours`` of the run, where they are set.
            gpu: whether its network is on a GPU.
        """
        names = [each.name for each in parameters_of(cls)]
        has_discount = cls.discount_setting in names  # some learners discount nothing
        facts = {cls.discount_setting: 1.0} if game.facts.moves_again and has_discount else {}
        entries = sorted(
            (*cls.budgets, *game.profile.training.get(cls.algorithm, ())),
            key=lambda entry: entry.follows_run,  # what is for all runs comes first
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
            game: the game, whose defaults for the run's length stand for what is not set.
            values: settings by name; None is no setting.
            texts: more of them, each as ``name=value``.
            begun: the settings of the run in the folder, if there is one: what is not set stays as
                it is there, also where the run is to be longer or the defaults have changed.
            gpu: whether the network is on a GPU, where larger ones are cheap.

        Raises:
            SpecificationError: an unknown name, a value that is not possible, or one of ``begun``
                that is to be set anew, see :meth:`effects`.
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
        """All values by name, those of parts among them."""
        values: dict[str, Any] = {}
        for name, value in vars(self).items():
            values |= vars(value) if isinstance(value, Settings) else {name: value}
        return values

    @classmethod
    def effects(cls, name: str, text: str) -> dict[str, str]:
        """What the value of a setting names that does more than play, and what that would do.

        The folder of a run may be of others: what it names so is used only where the user sets it
        again, see :mod:`plyground.agents.effects`.
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
        """The opponents of :attr:`evaluate`; none of them if it is ``none``."""
        if self.evaluate.strip() == NONE:
            return []
        return [name.strip() for name in self.evaluate.split(";")]

    @property
    def counts_processor_time(self) -> bool:
        """Whether ``hours`` are hours of processor time, of all processes together."""
        return self.clock == PROCESSOR

    @property
    def judged(self) -> int:
        """Positions in which moves are held against perfect play."""
        return 0

    @property
    def processes(self) -> int:
        """How many processes work at once, at least."""
        return 1

    @property
    def time_limit(self) -> float:
        """Seconds that the run takes at most; 0: no limit."""
        return 3600.0 * self.hours

    @property
    def steps_between_evaluations(self) -> int:
        """After how many steps the learner is measured again."""
        return max(self.steps // self.evaluations, 1)


@dataclasses.dataclass(frozen=True)
class OpposedSettings(RunSettings):
    """The settings of a run against opponents, apart from its game and its seed.

    A learner that always starts from the empty board against a deterministic opponent learns a few
    games by heart. Random moves at the beginning (``opening_plies``) prevent that.
    """

    device: ClassVar[str] = "cpu"  # what these small networks gain elsewhere, copying costs
    budgets: ClassVar[tuple[TrainingSettings, ...]] = (
        # Else short runs would be measured for longer than they learn.
        TrainingSettings({"evaluations": 5}, steps=900_000, hours=0.1),
    )

    opponent: str = setting(
        "random",
        'Opponents of the learner: an agent, "mix:0.3 random,0.7 self", '
        '"curriculum:random;greedy".',
        metavar="AGENT",
    )
    games: int = setting(256, "Games played at once.", low=1)
    opening_plies: int = setting(4, "Random moves at the beginning of a game, at most.", low=0)
    long_openings: float = setting(
        0.0, "Share of the games that begin with long_opening_plies at most.", low=0, high=1
    )
    long_opening_plies: int = setting(30, "Random moves of such a game, at most.", low=0)
    regret: str = setting(
        "",
        "What judges the learner's actions, such as alphabeta:depth=3: rewards are then minus the "
        "regrets; empty: the results.",
    )
    symmetries: bool = setting(True, "Whether the learner sees boards through random symmetries.")
    channels: int = setting(32, "Channels of each convolution of the network.", low=1)
    layers: int = setting(0, "Convolutions of the network.", low=0, high=20)
    dense: str = setting("512,256", "Units of the network's dense layers, or none.")
    threshold: float = setting(
        0.75, "Score against the newest stage that starts the next stage.", low=0, high=1
    )
    window: int = setting(500, "Games over which that score is taken.", low=1)
    rehearsal: float = setting(
        0.3, "Share of the games against the opponents of earlier stages.", low=0, high=0.9
    )
    snapshots: int = setting(10, "Past versions of the learner that are kept as opponents.", low=1)
    snapshot_every: int = setting(100_000, "Steps between two of these versions.", low=1)
    initial: str = setting(
        "",
        "A run of the same algorithm whose weights this one begins with; empty: none.",
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
    return [spec for spec in specs if spec not in ("", SELF, NONE)]
