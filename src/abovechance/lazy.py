"""Names of a package that are imported when they are first used (PEP 562)."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazily(
    package: str, homes: Mapping[str, str], modules: Iterable[str] = ()
) -> Callable[[str], Any]:
    """The `__getattr__` of a package: `homes` says in which of its modules each name is.

    `modules` are offered as they are. A name is looked up once and then kept in the package.

    >>> getattr(lazily("abovechance", {"shown": "errors"})("shown"), "__name__")
    'shown'
    >>> lazily("abovechance", {})("nothing")
    Traceback (most recent call last):
    AttributeError: module 'abovechance' has no attribute 'nothing'
    """

    def find(name: str) -> Any:
        if name in homes:
            value = getattr(import_module(f"{package}.{homes[name]}"), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            said = f"module {package!r} has no attribute {name!r}"
            # with name and obj Python itself adds: Did you mean …?
            raise AttributeError(said, name=name, obj=sys.modules[package])
        setattr(sys.modules[package], name, value)
        return value

    return find
