"""A fingerprint of a computation: equal data and settings, equal digest, in any process."""

import pickle
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

PLAIN = (type(None), bool, int, float, complex, str, bytes)
INSTALLED = (
    Path(__file__).parents[1],
    *(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")),
)
"""Where code lies that has a version of its own."""


def digest(*parts: object) -> str:
    """32 hexadecimal digits that change whenever anything in `parts` does.

    Arrays count by type, shape and content, functions by name and code, dataclasses by the
    fields that compare; anything else by its pickle. What a user wrote counts with all that it
    uses: methods of classes, and the functions and constants of their own modules that their code
    names.

    >>> digest(np.arange(3), "a") == digest(np.array([0, 1, 2]), "a")
    True
    >>> digest(1) == digest(1.0)
    False
    """
    state = blake2b(digest_size=16)
    _Walk(state.update).add(parts)
    return state.hexdigest()


class _Walk:
    """One pass over everything; a function or class that was met before is not entered again."""

    def __init__(self, update: Callable[[bytes], None]) -> None:
        self.update = update
        self.met: set[int] = set()

    def add(self, item: Any) -> None:
        if isinstance(item, PLAIN):
            self.put(type(item).__name__, repr(item).encode())
        elif isinstance(item, np.ndarray | np.generic):
            self.array(np.asarray(item))
        elif isinstance(item, tuple | list):
            self.each(type(item).__name__, list(item))
        elif isinstance(item, dict):
            self.each("dict", sorted(item.items(), key=lambda pair: repr(pair[0])))
        elif isinstance(item, set | frozenset):
            self.each("set", sorted(item, key=repr))
        elif isinstance(item, partial):
            self.each("partial", [item.func, item.args, item.keywords])
        elif isinstance(item, MethodType):
            self.each("method", [item.__self__, item.__func__])
        elif isinstance(item, FunctionType):
            cells = [cell.cell_contents for cell in item.__closure__ or ()]
            self.each(_name(item), [_code(item.__code__), item.__defaults__, cells])
            self.used_by(item)
        elif isinstance(item, type | BuiltinFunctionType | np.ufunc):
            self.put("name", _name(item).encode())
            self.written(item)
        elif is_dataclass(item):
            values = [(f.name, getattr(item, f.name)) for f in fields(item) if f.compare]
            self.each(_name(type(item)), values)
            self.written(type(item))
        else:
            self.put(_name(type(item)), pickle.dumps(item, protocol=5))
            self.written(type(item))

    def put(self, tag: str, data: bytes) -> None:
        self.update(f"{tag}:{len(data)}:".encode())
        self.update(data)

    def each(self, tag: str, items: list[Any]) -> None:
        self.update(f"{tag}[{len(items)}]".encode())
        for item in items:
            self.add(item)

    def array(self, array: Any) -> None:
        if array.dtype == object:
            self.each(f"objects{array.shape}", array.ravel().tolist())
        else:
            self.put(f"{array.dtype.str}{array.shape}", np.ascontiguousarray(array).tobytes())

    def used_by(self, function: FunctionType) -> None:
        """Keyword defaults of a user's function, and what it names of the user's own."""
        if not self.enters(function):
            return
        self.add(function.__kwdefaults__)
        for name in sorted(_names(function.__code__)):
            value = function.__globals__.get(name)
            if isinstance(value, (*PLAIN, tuple, np.ndarray)) or _users(value):
                self.each(name, [value])

    def written(self, kind: Any) -> None:
        """The methods and constants of a user's class."""
        for one in getattr(kind, "__mro__", ()):
            if not self.enters(one):
                continue
            for name, value in sorted(vars(one).items()):
                value = getattr(value, "__func__", getattr(value, "fget", value))
                if _users(value) or isinstance(value, PLAIN):
                    self.each(name, [value])

    def enters(self, item: Any) -> bool:
        if id(item) in self.met or not _users(item):
            return False
        self.met.add(id(item))
        return True


def _users(item: Any) -> bool:
    """Whether a function or class is from a file of the user's, not from an installed package."""
    if not isinstance(item, FunctionType | type):
        return False
    file = getattr(sys.modules.get(item.__module__), "__file__", None)
    if file is None:
        return item.__module__ not in sys.builtin_module_names
    return not any(Path(file).is_relative_to(place) for place in INSTALLED)


def _name(item: Any) -> str:
    return f"{getattr(item, '__module__', '')}.{getattr(item, '__qualname__', item)}"


def _names(code: CodeType) -> set[str]:
    inner = (_names(item) for item in code.co_consts if isinstance(item, CodeType))
    return set(code.co_names).union(*inner)


def _code(code: CodeType) -> tuple[Any, ...]:
    inner = tuple(_code(item) if isinstance(item, CodeType) else item for item in code.co_consts)
    return code.co_code, code.co_names, inner
