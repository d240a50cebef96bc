"""Networks by name: those of the zoo, of run folders, and policy files."""

from __future__ import annotations

from ..agent import OPENS_A_FILE, REACHES_THE_NETWORK
from .policy_file import SCHEME_END, Network, load_policy_file
from .zoo import PREFIX, ZooNetworks


def open_network(source: str) -> Network | ZooNetworks:
    """The network of this name: zoo:NAME, a run folder or a policy file.

    Raises:
        SpecificationError: there is no such network.
    """
    if source.startswith(PREFIX):
        return ZooNetworks(source.removeprefix(PREFIX))
    return load_policy_file(source)


def effects_of_network(source: str | None) -> tuple[str, ...]:
    """The side effects of opening the network of this name, see :meth:`Agent.effects`."""
    if source is None or source.startswith(PREFIX):
        return ()
    return (REACHES_THE_NETWORK if SCHEME_END in source else OPENS_A_FILE,)
