"""What can be wrong with a path, said with the remedy."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abovechance.errors import FileError, did_you_mean


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
    except PermissionError:
        raise FileError(f"{str(path)!r} must be readable; permission was denied.") from None


def _nearby(path: Path) -> str:
    """The nearest name in the same folder, or what is wrong with the folder."""
    folder = path.parent
    if not folder.is_dir():
        return f"; there is no folder {str(folder)!r}."
    return did_you_mean(path.name, (p.name for p in folder.iterdir() if p.is_file())) or "."
