"""Test at every centre whether a group of subjects carries a signal, from their maps."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from abovechance.cli import options
from abovechance.errors import AboveChanceError, FileError

EXAMPLES = """\b
Examples:
  abovechance group-maps maps --out group
  abovechance group-maps maps --method prevalence --out group
  abovechance group-maps maps --control tfce --workers 2 --report group.html
"""


@click.command("group-maps", help=__doc__, epilog=EXAMPLES, cls=options.Sections)
@click.argument("folders", type=click.Path(), nargs=-1, required=True)
@click.option(
    "--method",
    type=click.Choice(["stelzer", "joint", "sign_flip", "prevalence"]),
    default="stelzer",
    show_default=True,
    help="How maps are combined, and so what is concluded of whom.",
)
@click.option(
    "--control",
    type=click.Choice(["maximum", "bh", "by", "cluster", "tfce"]),
    default="maximum",
    show_default=True,
    help="By which rule centres are rejected; p-values of all are given.",
)
@click.option("--cluster-p", type=float, default=0.001, show_default=True, help="Forms clusters.")
@click.option("--tfce/--no-tfce", default=True, help="Whether to enhance maps by their neighbours.")
@click.option(
    "--neighbours",
    type=click.Choice(["faces", "edges", "corners"]),
    default="faces",
    show_default=True,
    help="What cells of a grid must share to be neighbours.",
)
@click.option(
    "--share",
    type=float,
    default=0.5,
    show_default=True,
    help="Share of the population that prevalence is tested against.",
)
@click.option(
    "--tail",
    type=click.Choice(["count", "pareto"]),
    default="count",
    show_default=True,
    help="Count draws, or extrapolate p beyond the last of them.",
)
@click.option("--with-observed", is_flag=True, help="Combine the observed maps too (stelzer).")
@click.option("--out", metavar="DIR", help="Folder for the group's maps; none when not given.")
@options.settings("group_maps")
@options.report
@options.output
def group_maps(
    folders: tuple[str, ...], out: str | None, report: str | None, format_: str, **given: Any
) -> None:
    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.maps import group_maps as run
    from abovechance.maps import read_map

    if out is not None and Path(out).expanduser().is_file():
        raise click.UsageError(f"--out must be a folder; {out!r} is a file.")
    places = _subjects(folders)
    maps = {}
    for place in places:
        one = read_map(place)
        maps[one.subject or place.name] = one
    if len(maps) < len(places):
        raise click.UsageError("two folders hold maps of one subject; name each subject once.")
    try:
        with progress("combining") as tell:
            result = run(maps, **given, progress=tell)
    except AboveChanceError as refused:
        raise _as_options(refused, given["rng"]) from refused
    show(result, format_, *[f"seed {result.seed}"] * (given["store"] is not None))
    if out is not None:
        written = result.write(Path(out).expanduser())
        click.echo(f"abovechance: {len(written)} files written to {out}", err=True)
    write_files(result, report)


def _subjects(folders: Sequence[str]) -> list[Path]:
    """The folders that hold maps: those named, or those within."""
    found: list[Path] = []
    for folder in folders:
        place = Path(folder).expanduser()
        if (place / "map.json").is_file():
            found.append(place)
            continue
        inside = sorted(path.parent for path in place.glob("*/map.json"))
        if not inside:
            raise FileError(
                f"{folder!r} holds no maps of subjects; give folders that searchlight has written."
            )
        found += inside
    return found


def _as_options(refused: AboveChanceError, seed: int | None) -> AboveChanceError:
    """The refusal in words of the command line."""
    import re

    said = str(refused)
    other = re.search(r"seed is (\d+) there", said)
    if isinstance(refused, FileError) and seed is None and other is not None:
        said = f"{said}. To resume that run, give --seed {other[1]}."
    said = re.sub(r"(method|control|tail|draws)='?(\w+)'?", r"--\1 \2", said)
    for name in ("with_observed", "cluster_p"):
        said = re.sub(rf"\b{name}\b", f"--{name.replace('_', '-')}", said)
    return type(refused)(said)
