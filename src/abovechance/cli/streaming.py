"""Files too large for memory, assessed piece by piece where that can be done."""

import os
from typing import Any

import click

from abovechance.cli.options import stack
from abovechance.errors import NotApplicable

MANY_ROWS = 2 * 10**7
SHARE_OF_MEMORY = 4  # a file may take one part of so many before it is read in pieces
PREDICTIONS = ("probability", "probabilities", "score", "label", "value")
TAKEN = (*PREDICTIONS, "outcome", "positive", "threshold", "id_", "missing", "origin")

flags = stack(
    click.option(
        "--stream/--no-stream",
        default=None,
        help="Read a Parquet file in pieces, or all at once; by its size when not given.",
    ),
    click.option(
        "--exact",
        is_flag=True,
        help="Exact p: counts all arrangements of the outcomes, up to 2 000 000. Of a file read in "
        "pieces: exact ranks; reads it again.",
    ),
)


def streamed(
    file: str, columns: dict[str, Any], asked: dict[str, Any], *, stream: bool | None, exact: bool
) -> Any:
    """The assessment of a file read in pieces; None if it is to be read all at once.

    `asked` are the other options of the command. Without --stream a file is read in pieces when
    it is large and nothing is asked that needs all cases at once.
    """
    if stream is False:
        return None
    from abovechance.inference.stream_kinds import stream_roles
    from abovechance.inference.streaming import assess_stream
    from abovechance.io.arrow_files import open_stream
    from abovechance.io.roles import Roles

    found = open_stream(file)
    if stream is None and (found is None or not is_large(found.rows, found.bytes)):
        return None
    if found is None:
        raise NotApplicable("only Parquet files are read in pieces; leave --stream out.")
    try:
        _refuse_others(columns, asked)
        values = columns["value"] or []
        stated = Roles(
            outcome=(columns["outcome"],) if columns["outcome"] else (),
            probability=columns["probability"],
            probabilities=tuple(columns["probabilities"] or ()),
            score=columns["score"],
            label=columns["label"],
            value=tuple(values),
        )
        categorical = columns["positive"] is not None
        stream_roles(found, stated, columns["origin"], categorical=categorical)
    except NotApplicable:
        if stream is None:
            return None
        raise
    from abovechance.cli.progress import progress

    with progress("reading") as tell:
        return assess_stream(
            file,
            asked["measures"],
            outcome=columns["outcome"],
            probability=columns["probability"],
            probabilities=columns["probabilities"],
            score=columns["score"],
            label=columns["label"],
            value=values[0] if values else None,
            pos_label=columns["positive"],
            threshold=columns["threshold"],
            origin=columns["origin"],
            missing=columns["missing"],
            primary=asked["primary"],
            rate=asked["rate"],
            confidence_level=asked["level"],
            inference=not asked["no_inference"],
            exact=exact,
            draws=asked["draws"],
            rng=asked["seed"],
            progress=tell,
        )


def is_large(rows: int, size: int) -> bool:
    """Whether a file of so many rows and bytes had better not be read at once."""
    memory = _memory()
    return rows > MANY_ROWS or (memory is not None and size > memory / SHARE_OF_MEMORY)


def _refuse_others(columns: dict[str, Any], asked: dict[str, Any]) -> None:
    """Refuse what needs all cases at once."""
    others = [name for name, value in columns.items() if value and name not in TAKEN]
    others += [name for name in ("by", "dialect", "prevalence") if asked[name] is not None]
    others += ["sampling"] * (asked["sampling"] != "random")
    if others:
        option = others[0].rstrip("_").replace("_", "-")
        raise NotApplicable(f"--{option} needs all cases at once and does not go with --stream.")


def _memory() -> int | None:
    """Bytes of memory of this machine, if it tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
