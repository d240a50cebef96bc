"""Networks by name: those of the zoo, of run folders, and policy files."""

from __future__ import annotations

from pathlib import Path

from ...envs.specification import SpecificationError
from ..agent import OPENS_A_FILE, REACHES_THE_NETWORK
from .policy_file import SCHEME_END, Network, load_policy_file
from .zoo import PREFIX, ZooNetworks

BEST = "best.onnx"  # the policy file of a run folder


def open_network(source: str) -> Network | ZooNetworks:
    """The network of this name: zoo:NAME, a run folder or a policy file.

    Raises:
        SpecificationError: there is no such network.
    """
    if source.startswith(PREFIX):
        return ZooNetworks(source.removeprefix(PREFIX))
    return load_run(source)


def load_run(source: str | Path) -> Network:
    """The network of a run folder or a policy file.

    Raises:
        SpecificationError: there is none.
    """
    path = Path(source)
    if path.suffix == ".zip":
        raise SpecificationError(
            f"{path} is not a run; a model of stable-baselines3 is played by "
            f"sb3:{path},trained_on=GAME, and made a policy file by plyground export-policy"
        )
    if path.is_dir():
        if not (path / BEST).is_file():
            raise SpecificationError(
                f"the folder {path} has no {BEST}: it holds no training run, or one that has not "
                f"been evaluated yet"
            )
        return load_policy_file(path / BEST)
    if not path.exists() and SCHEME_END not in str(source):
        raise SpecificationError(f"there is no training run {str(path)!r}")
    return load_policy_file(source)


def effects_of_network(source: str | None) -> tuple[str, ...]:
    """The side effects of opening the network of this name, see :meth:`Agent.effects`."""
    if source is None or source.startswith(PREFIX):
        return ()
    return (REACHES_THE_NETWORK if SCHEME_END in source else OPENS_A_FILE,)
