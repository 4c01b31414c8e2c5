"""Results as the JSON contract has them: charts and reports read nothing else.

So a result, its JSON read back years later, and a dictionary make the same picture.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from abovechance import __version__
from abovechance.errors import DataError, FileError
from abovechance.inference.estimates import CONTRACT

PARTS = {"estimates", "differences", "tests", "sizes", "cells", "quantity"}


def contract(result: Any) -> dict[str, Any]:
    """The facts of a result under the names of the contract.

    >>> contract({"estimates": []})
    {'estimates': []}
    """
    if isinstance(result, Mapping):
        values = list(result.values())
        several = [one for one in values if hasattr(one, "pdf") and hasattr(one, "summary")]
        if several and len(several) == len(result):
            rows = [one.to_dict() for one in several]
            return {"abovechance": __version__, "posteriors": rows}
        return dict(result)
    to_dict = getattr(result, "to_dict", None)
    if to_dict is None:
        raise DataError(
            f"a result of abovechance is needed, such as assess() returns; "
            f"got {type(result).__name__}."
        )
    found = to_dict()
    assert isinstance(found, dict)
    return found if PARTS & found.keys() else {"abovechance": __version__, **found}


def read_result(path: str | Path) -> dict[str, Any]:
    """A result saved with `--format json` or `to_json()`; "-" reads it from standard input."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).expanduser().read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileError(f"{str(path)!r} cannot be read: {reason}.") from None
    try:
        found = json.loads(text)
    except ValueError as error:
        raise FileError(f"{str(path)!r} must hold JSON; {error}.") from None
    if not is_result(found):
        raise FileError(
            f"{str(path)!r} is not a result of abovechance; save one with --format json."
        )
    return found


def is_result(facts: Any) -> bool:
    """Whether these are the facts of a result, of any kind.

    >>> is_result({"estimates": []}), is_result({"abovechance": "1.0"}), is_result({"x": 1})
    (True, False, False)
    """
    if not isinstance(facts, Mapping):
        return False
    return bool(PARTS & facts.keys()) or ("abovechance" in facts and len(facts) > 1)


def whole(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The estimates of all cases together: of no subgroup and no single class."""
    rows = [complete(row) for row in facts.get("estimates") or ()]
    return [row for row in rows if row["by"] is None and row["class"] is None]


def complete(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with null for every part that it does not mention."""
    return {
        **dict.fromkeys(CONTRACT),
        "measure": "",
        **row,
        "title": row.get("title") or row["measure"],
    }
