"""Declarations of other packages, found by their entry points.

A package offers measures by an entry point of the group `abovechance.measures`, methods by
`abovechance.methods` and pictures by `abovechance.pictures`. It names a declaration, a list of
them, or a module, whose own declarations (and, of a package, those of its modules that it
imports) are all taken:

    [project.entry-points."abovechance.measures"]
    mine = "my_package.measures"

Nothing is loaded before somebody looks for a name. A plug-in that cannot be loaded, and a name that
is taken already, cost one line of warning each; everything else works as without them.
"""

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from abovechance.errors import PluginWarning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Group = Literal["measures", "methods", "pictures"]
T = TypeVar("T")


@dataclass(frozen=True)
class Plugin:
    """An entry point, and the package that it comes with."""

    name: str
    package: str
    entry: "EntryPoint"

    def __str__(self) -> str:
        return f"plug-in {self.name!r} of {self.package}"


def installed(group: Group) -> list[Plugin]:
    """The plug-ins of a group, in an order that does not depend on the disk."""
    from importlib.metadata import entry_points

    entries = entry_points(group=f"abovechance.{group}")
    found = [Plugin(e.name, e.dist.name if e.dist else "?", e) for e in entries]
    return sorted(found, key=lambda plugin: (plugin.package, plugin.name))


def names_of(declaration: Any) -> tuple[str, ...]:
    """The name of a declaration, then its aliases."""
    return (declaration.name, *getattr(declaration, "aliases", ()))


def declared(
    group: Group,
    kind: type[T],
    taken: Collection[str],
    called: Callable[[T], Sequence[str]] = names_of,
) -> list[T]:
    """What the plug-ins of a group declare, those left out whose names are taken.

    Parameters
    ----------
    group
        Which entry points: "measures", "methods" or "pictures".
    kind
        The type of a declaration.
    taken
        Names that are in use already.
    called
        The names of a declaration, none of which may be taken: its `name`, and its `aliases`.

    Returns
    -------
    list
        The declarations, by package and by the name of the entry point.
    """
    owners = dict.fromkeys(taken, "abovechance")
    kept: list[T] = []
    for plugin in installed(group):
        for declaration in _loaded(plugin, kind):
            names = called(declaration)
            clash = next((name for name in names if name in owners), None)
            if clash is None:
                owners |= dict.fromkeys(names, str(plugin))
                kept.append(declaration)
            else:
                _warn(
                    f"{plugin} declares {names[0]!r}, but {owners[clash]} already has {clash!r}; "
                    "it is left out. Give it another name."
                )
    return kept


def _loaded(plugin: Plugin, kind: type[T]) -> list[T]:
    """The declarations of a plug-in; none, and a warning, where it is broken."""
    try:
        found = list(_declarations(plugin.entry.load(), kind))
    except (Exception, SystemExit) as broken:  # another package's fault is not the user's
        reason = f"{type(broken).__name__}: {broken}".splitlines()[0]
        _warn(f"{plugin} cannot be loaded and is left out ({reason}).")
        return []
    if not found:
        _warn(f"{plugin} declares no {kind.__name__.lower()} in {plugin.entry.value}.")
    return found


def _declarations(value: Any, kind: type[T]) -> Iterator[T]:
    one = _declaration(value, kind)
    if one is not None:
        yield one
    elif isinstance(value, ModuleType):
        there = (_declaration(each, kind) for each in vars(value).values())
        # a module may have two names for one declaration
        yield from {id(each): each for each in there if each and _own(each, value)}.values()
    elif isinstance(value, Iterable):
        for each in list(value):
            one = _declaration(each, kind)
            if one is None:
                raise TypeError(f"{each!r} is not a {kind.__name__}")
            yield one
    else:
        raise TypeError(f"{value!r} is not a {kind.__name__}")


def _declaration(value: Any, kind: type[T]) -> T | None:
    """A declaration itself, or that of a function which bears one, as a method's does."""
    found = value if isinstance(value, kind) else getattr(value, kind.__name__.lower(), None)
    return found if isinstance(found, kind) else None


def _own(declaration: Any, module: ModuleType) -> bool:
    """Whether a module declares a thing itself: what it imported belongs to others."""
    origin = getattr(declaration, "origin", declaration.__module__)
    home = origin if isinstance(origin, str) else origin[0]
    return f"{home}.".startswith(f"{module.__name__}.")


def _warn(text: str) -> None:
    warnings.warn(text, PluginWarning, stacklevel=2)
