"""Commands of brain maps: `searchlight` of each subject, `group-maps` of them all."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from abovechance.cli import options
from abovechance.errors import AboveChanceError, FileError


@click.command(
    epilog=options.examples(
        "searchlight *.nii.gz --labels l.tsv --mask m.nii --out maps",
        "searchlight a.nii --labels l.tsv --parcels p.nii --out maps",
    ),
    cls=options.Sections,
)
@click.argument("files", type=click.Path(), nargs=-1, required=True)
@click.option(
    "--labels",
    metavar="FILE",
    required=True,
    multiple=True,
    help="Table of trials: one for all subjects, one for each (repeat it), or the name of a file "
    "beside each image. A column participant_id tells subjects apart.",
)
@click.option("--label-column", metavar="COL", help="The classes; label, trial_type or condition.")
@click.option(
    "--runs",
    metavar="COL",
    help="The runs, within which labels are permuted; run or chunk if there is one; 'no' for none.",
)
@click.option("--mask", metavar="FILE", help="Voxels to use; all of --parcels when not given.")
@click.option("--process-mask", metavar="FILE", help="Voxels to be centres; all of the mask.")
@click.option("--radius", type=float, help="Of spheres around every voxel.")
@click.option("--radius-unit", type=click.Choice(["mm", "voxels"]), default="mm", show_default=True)
@click.option("--neighbours", type=int, help="So many nearest voxels instead; 27 by default.")
@click.option("--parcels", metavar="FILE", help="Regions of an atlas instead.")
@click.option(
    "--statistic",
    metavar="NAME",
    default="srivastava_du",
    show_default=True,
    help="As of detect: srivastava_du, hotelling_shrink, lda.cv5, svm.c1.cv5, …",
)
@click.option("--out", metavar="DIR", required=True, help="Folder for maps, one for each subject.")
@options.settings("searchlight")
@click.option(
    "--report",
    metavar="FILE.html",
    callback=options.writable,
    help="Also write a self-contained HTML report.",
)
@options.output
def searchlight(
    files: tuple[str, ...],
    labels: tuple[str, ...],
    label_column: str | None,
    runs: str | None,
    process_mask: str | None,
    out: str,
    report: str | None,
    format_: str,
    **given: Any,
) -> None:
    """Map where in the brain classes differ: a statistic around every voxel, with null maps."""

    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.maps import searchlight as run
    from abovechance.maps.images import subjects_of, trials_of

    _refuse_file(out)
    files = expanded(files)
    _, names, _ = subjects_of(list(files), None)
    tables = trials_of(labels, files, names, label=label_column, runs=runs)
    try:
        with progress("mapping") as tell:
            found = run(
                dict(zip(names, files, strict=True)),
                {name: table.labels for name, table in tables.items()},
                runs=_if_any({name: table.runs for name, table in tables.items()}),
                process_mask_img=process_mask,
                folder=out,
                **given,
                progress=tell,
            )
    except AboveChanceError as refused:
        raise _in_options(refused, given["rng"]) from refused
    found = replace(found, described=next(iter(tables.values())).described)
    written = found.write(out)
    show(found, format_, *[f"seed {found.seed}"] * (given["store"] is not None))
    click.echo(f"abovechance: {len(written)} files written to {out}", err=True)
    write_files(found, report)


def expanded(files: tuple[str, ...]) -> tuple[str, ...]:
    """Files that patterns stand for, in order, where the shell has left them as they are."""
    from glob import glob, has_magic

    found: list[str] = []
    for file in files:
        pattern = has_magic(file) and not Path(file).exists()
        matching = sorted(glob(file)) if pattern else [file]
        if not matching:
            raise FileError(f"no file matches {file!r}.")
        found += matching
    return tuple(found)


def _refuse_file(out: str) -> None:
    """Refuse a place for maps that is a file, before hours are spent."""
    path = Path(out).expanduser()
    if path.exists() and not path.is_dir():
        raise click.UsageError(f"--out must be a folder; {out!r} is a file.")


def _if_any(runs: dict[str, Any]) -> dict[str, Any] | None:
    return None if all(one is None for one in runs.values()) else runs


@click.command(
    "group-maps",
    epilog=options.examples(
        "group-maps maps --out group",
        "group-maps maps --method prevalence --out group",
        "group-maps maps --control tfce --workers 2 --report group.html",
    ),
    cls=options.Sections,
)
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
    """Test at every centre whether a group of subjects carries a signal, from their maps."""

    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.maps import group_maps as run
    from abovechance.maps import read_map

    if out is not None:
        _refuse_file(out)
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
        raise _in_options(refused, given["rng"]) from refused
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


def _in_options(refused: AboveChanceError, seed: int | None) -> AboveChanceError:
    """The refusal in words of the command line."""
    said = str(refused)
    other = re.search(r"seed is (\d+) there", said)
    if isinstance(refused, FileError) and seed is None and other is not None:
        said = f"{said}. To resume that run, give --seed {other[1]}."
    said = re.sub(r"\b(method|control|tail|draws)='?(\w+)'?", r"--\1 \2", said)
    said = said.replace("runs=", "--runs ").replace("process_mask_img", "--process-mask")
    for name in ("with_observed", "cluster_p"):
        said = re.sub(rf"\b{name}\b", f"--{name.replace('_', '-')}", said)
    return type(refused)(said)
