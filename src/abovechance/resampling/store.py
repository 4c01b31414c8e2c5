"""Finished blocks on disk, found again by a fingerprint of the computation they belong to."""

import io
import pickle
import sqlite3
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from abovechance.errors import FileError, Unfinished
from abovechance.paths import place

# ----------------------------------------------------------------------------------------------
# A fingerprint of a computation: equal data and settings, equal digest, in any process.
# ----------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------
# Finished blocks on disk, so that a killed run goes on where it ended.
#
# One SQLite file holds one run: the configuration it was started with, and a checksummed row for
# every finished block. A block is written in one transaction that reaches the disk before the
# next is asked for; whatever happens, a block is either there, whole, or not there at all.
# ----------------------------------------------------------------------------------------------


APPLICATION = 0x41424348  # marks a SQLite file as a store ("ABCH")
LAYOUT = 1
HEADER = b"SQLite format 3\x00"

TABLES = (
    "CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE blocks (task TEXT NOT NULL, block INTEGER NOT NULL, payload BLOB NOT NULL, "
    "checksum BLOB NOT NULL, PRIMARY KEY (task, block))",
)


@dataclass(frozen=True, eq=False)
class Store:
    """A file for finished work, so that a run that was stopped goes on where it was.

    The same settings resume from it, others are refused. Without a `configuration` the store
    belongs to the one computation that first used it. A program of several computations names its
    settings once, in `configuration`, and all of them share the file.

    Parameters
    ----------
    path
        The file; it is made when it is not there.
    configuration
        Names and values of the settings that all computations share; none when not given.

    Raises
    ------
    FileError
        If the file is no store, or belongs to a run with other settings.
    Unfinished
        If the disk is full, or another run has the file open.

    See Also
    --------
    Dask : computes on many machines.

    Examples
    --------
    >>> import os, tempfile
    >>> from abovechance import assess, examples
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Store(os.path.join(folder, "draws.db"))
    ...     a, b = (assess(examples.breast_cancer(), "brier", draws=99, rng=1, store=file)
    ...             for _ in range(2))
    >>> a["brier"].p_value == b["brier"].p_value
    True
    """

    path: str | PathLike[str]
    configuration: Mapping[str, object] | None = None

    @contextmanager
    def open(self, task: str, settings: Mapping[str, object]) -> Iterator["Shelf"]:
        """The blocks of one task, locked against other runs while open."""
        path = place(self.path)
        _recognise(path)
        wanted = {
            name: value if isinstance(value, str) else repr(value)
            for name, value in (self.configuration or {"task": task, **settings}).items()
        }
        with _explained(path):
            connection = sqlite3.connect(path, timeout=0, isolation_level=None)
            try:
                _prepare(connection, path, wanted)
                yield Shelf(connection, path, task)
            finally:
                connection.close()


@dataclass(frozen=True, eq=False)
class Shelf:
    """The finished blocks of one task."""

    connection: sqlite3.Connection
    path: Path
    task: str

    def blocks(self) -> list[int]:
        """The blocks that are there, in order."""
        with _explained(self.path):
            rows = self.connection.execute(
                "SELECT block FROM blocks WHERE task = ? ORDER BY block", (self.task,)
            )
            return [int(row[0]) for row in rows]

    def load(self, block: int) -> Any:
        """A finished block, or None if it is not there, its checksum is wrong or it is no array."""
        with _explained(self.path):
            row = self.connection.execute(
                "SELECT payload, checksum FROM blocks WHERE task = ? AND block = ?",
                (self.task, block),
            ).fetchone()
        if row is None or bytes(row[1]) != _checksum(self.task, block, bytes(row[0])):
            return None
        try:
            return _decoded(bytes(row[0]))
        except Exception:  # made by somebody else, with pickles in it for instance: never loaded
            return None

    def save(self, block: int, value: Any) -> None:
        """Write a finished block; it is on the disk when this returns."""
        payload = _encoded(value)
        row = (self.task, block, payload, _checksum(self.task, block, payload))
        with _explained(self.path):
            self.connection.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)", row)


def _recognise(path: Path) -> None:
    """Refuse a file that is something else before SQLite touches it."""
    try:
        if not path.exists():
            return
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise FileError(f"the store {path} cannot be read ({error.strerror})") from error
    if not head:
        return
    application = int.from_bytes(head[68:72], "big")
    # a run killed at birth leaves an empty database whose marks are still in its journal
    if len(head) < 100 or not head.startswith(HEADER) or application not in (APPLICATION, 0):
        raise FileError(
            f"{path} is not a store of finished blocks, or it was cut short; give another file, "
            "or delete it to start again"
        )


def _prepare(connection: sqlite3.Connection, path: Path, wanted: dict[str, str]) -> None:
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    if tables and (mark != APPLICATION or not {"run", "blocks"} <= tables):
        raise FileError(f"{path} is a database of something else; give another file")
    # exclusive: the lock is held until the connection closes, and the system frees it if we die
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {LAYOUT}")
        for table in TABLES:
            connection.execute(table)
        connection.executemany("INSERT INTO run VALUES (?, ?)", wanted.items())
    connection.execute("COMMIT")
    if connection.execute("PRAGMA user_version").fetchone()[0] != LAYOUT:
        raise FileError(f"{path} was written by another version; finish it there, or start anew")
    found = dict(connection.execute("SELECT name, value FROM run"))
    if found != wanted:
        raise FileError(
            f"the store {path} belongs to another run ({_difference(found, wanted)}); give "
            "another file, or delete it to start again"
        )


def _difference(found: dict[str, str], wanted: dict[str, str]) -> str:
    names = [name for name in sorted({*found, *wanted}) if found.get(name) != wanted.get(name)]
    name = next((name for name in names if name != "task"), None)
    if name is None:
        return "with other data or another statistic"
    there, here = (str(value.get(name, "absent"))[:40] for value in (found, wanted))
    return f"{name} is {there} there and {here} here"


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """SQLite's complaints in this package's words."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise Unfinished(
                f"the store {path} is in use by another run; wait for it, or give another file"
            ) from error
        raise Unfinished(f"the store {path} cannot be written ({error}); check the disk") from error
    except sqlite3.DatabaseError as error:
        raise FileError(
            f"the store {path} is damaged ({error}); give another file, or delete it to start again"
        ) from error


def _checksum(task: str, block: int, payload: bytes) -> bytes:
    return blake2b(f"{task}:{block}:".encode() + payload, digest_size=16).digest()


def _encoded(value: Any) -> bytes:
    """An array, or arrays by name, as bytes without pickles."""
    named = (
        {f"item:{name}": item for name, item in value.items()} if isinstance(value, dict) else {}
    )
    items = named or {"array": value}
    arrays: dict[str, Any] = {name: np.asarray(item) for name, item in items.items()}
    if any(array.dtype.hasobject for array in arrays.values()):
        raise TypeError("a block must be of numbers or text; objects would have to be pickled")
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # its allow_pickle= came with numpy 2.1; before, it saves an array
    return buffer.getvalue()


def _decoded(payload: bytes) -> Any:
    with np.load(io.BytesIO(payload), allow_pickle=False) as saved:
        if "array" in saved.files:
            return saved["array"]
        return {name.removeprefix("item:"): saved[name] for name in saved.files}


def as_store(store: "Store | str | PathLike[str] | None") -> Store | None:
    """A store from what a user gives: nothing, a path, or a store."""
    return store if store is None or isinstance(store, Store) else Store(store)
