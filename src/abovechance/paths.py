"""Files by their names: where a path leads, and what can be wrong with it, said with the remedy."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abovechance.errors import FileError, Unfinished, did_you_mean

# What the system says of a path, and what it means for whoever gave it.
WRONG = {
    errno.ELOOP: "its links lead round in a circle. Name the file itself",
    errno.ENAMETOOLONG: "a name in it is longer than the system allows. Shorten it",
    errno.ENOTDIR: "a part of it that should be a folder is a file",
    errno.EACCES: "permission was denied",
    errno.EPERM: "permission was denied",
}
LATER = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
"""What may go away by itself, or with a place that has room: the same command may then do."""


def place(path: str | os.PathLike[str]) -> Path:
    """Where a path leads; ~ and ~name are home folders.

    >>> str(place("a.csv"))
    'a.csv'
    """
    given = Path(os.fsdecode(path))
    if "\0" in str(given):
        raise FileError(f"{str(given)!r} must be the name of a file; there is a NUL byte in it.")
    try:
        return given.expanduser()
    except RuntimeError:
        raise FileError(
            f"{str(given)!r} must begin with a home folder that there is; {given.parts[0]!r} is "
            "of no known user. Write the folder out, or ./ in front of a name with a tilde."
        ) from None


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what the system says of a path to be read into a message for its user."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(f"no file {str(path)!r}{_nearby(path)}") from None
    except IsADirectoryError:
        raise FileError(
            f"{str(path)!r} must be a file; it is a folder. Name a file in it."
        ) from None
    except OSError as error:
        raise FileError(f"{str(path)!r} must be readable; {_reason(error)}.") from None


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the system says of a path to be written into a message for its user."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(
            f"there is no folder {str(Path(path).parent)!r} to write {Path(path).name!r} into."
        ) from None
    except IsADirectoryError:
        raise FileError(f"{str(path)!r} must be a file to write; it is a folder.") from None
    except OSError as error:
        if error.errno in LATER:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            reason = "the disk is full" if full else error.strerror
            raise Unfinished(f"{str(path)!r} could not be written: {reason}.") from error
        raise FileError(f"{str(path)!r} must be writable; {_reason(error)}.") from None


def _reason(error: OSError) -> str:
    return WRONG.get(error.errno or 0) or error.strerror or str(error)


def _nearby(path: Path) -> str:
    """The nearest name in the same folder, or what is wrong with the folder."""
    folder = path.parent
    if not folder.is_dir():
        return f"; there is no folder {str(folder)!r}."
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_file()]
    except OSError:  # a folder that may be entered and not listed
        return "."
    return did_you_mean(path.name, names) or "."
