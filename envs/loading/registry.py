"""Objects by name: from the core, from packages, and registered in this process."""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from ..specification import check_names
from .packages import declared, import_registering

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Registry(Generic[K, T]):
    """Objects by name, each imported when its name is looked up.

    Earlier imports of the process do not matter: a name is looked up in the core, then in the
    packages, and only then refused, with the whole list.

    Args:
        complaint: begins the error for an unknown name, such as "there is no agent".
        group: the group of :func:`.declared` for packages.
        core: the objects of the core by name: ``module:attribute``, or a module that adds it.
        registers: whether the modules of packages add their objects by :meth:`add`, under any
            names; failed imports are then reported by a warning. Otherwise each entry point refers
            to the object of its name.
    """

    def __init__(
        self,
        complaint: str,
        group: str,
        core: Mapping[K, str] | None = None,
        *,
        registers: bool = False,
    ) -> None:
        self._complaint, self._group, self._registers = complaint, group, registers
        self._core = {**(core or {})}
        self._things: dict[K, T] = {}

    def add(self, name: K, thing: T) -> None:
        """Add an object under a name, replacing an earlier one."""
        self._things[name] = thing

    def load(self, name: K) -> None:
        """Import the objects of the core and of packages with this name."""
        if name in self._core:
            module, _, attribute = self._core[name].partition(":")
            thing: Any = importlib.import_module(module)
            if attribute:
                self._things.setdefault(name, getattr(thing, attribute))
        for each in declared(self._group):
            if each.name == name and self._registers:
                import_registering(each)
            elif each.name == name:
                self._things.setdefault(name, each.load())

    def find(self, name: K) -> T | None:
        """The object declared or registered under this name, if any."""
        if name not in self._things:
            self.load(name)
        return self._things.get(name)

    def get(self, name: K) -> T:
        """The object of this name.

        Raises:
            SpecificationError: it does not exist; the message lists all names.
            ImportError: it needs a library that is not installed.
        """
        thing = self.find(name)
        if thing is None and self._registers:
            self._import_all()
            thing = self._things.get(name)
        if thing is None:
            check_names(self._complaint, [str(name)], map(str, self.names()))
            raise AssertionError("unreachable")
        return thing

    def names(self) -> list[K]:
        """All names: of the core in its order, of packages, then the others alphabetically."""
        if self._registers:
            self._import_all()
            names: list[Any] = []
        else:
            names = [each.name for each in declared(self._group)]
        others: list[Any] = sorted(self._things.keys() - {*self._core, *names})
        return [*self._core, *names, *others]

    def __iter__(self) -> Iterator[K]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self._things or name in self._core or name in self.names()

    def _import_all(self) -> None:
        for each in declared(self._group):
            import_registering(each)
