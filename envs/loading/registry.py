"""Things by name: of the core, of packages, and of whoever registers one in this process."""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from ..specification import check_names
from .packages import declared, import_registering

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Registry(Generic[K, T]):
    """Things by name, each imported when its name is asked for.

    What the process has imported before decides nothing: a name is looked for in the core, in the
    packages, and only then refused, with the whole list.

    Args:
        complaint: begins the error for an unknown name, such as "there is no agent".
        group: of :func:`.declared`, where packages declare theirs.
        core: where those of the core are, by name: ``module:attribute``, or a module that adds it.
        registers: whether the modules of packages add their things themselves, by :meth:`add` and
            under any names. One that cannot be imported is then told by a warning. Else each entry
            point leads to the thing of its name.
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
        """Keep a thing under its name, in place of an earlier one."""
        self._things[name] = thing

    def load(self, name: K) -> None:
        """Import what the core and the packages have under this name."""
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
        """The thing that is declared or registered under this name, if there is one."""
        if name not in self._things:
            self.load(name)
        return self._things.get(name)

    def get(self, name: K) -> T:
        """The thing of that name.

        Raises:
            SpecificationError: there is none; the message lists all names.
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
        """All names: of the core in its order, of packages, and of others in alphabetical order."""
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
