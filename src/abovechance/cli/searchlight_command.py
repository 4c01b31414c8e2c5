"""Map where in the brain classes differ: a statistic around every voxel, with null maps."""

from typing import Any

import click

from abovechance.cli import options
from abovechance.errors import AboveChanceError, FileError

EXAMPLES = """\b
Examples:
  abovechance searchlight *.nii.gz --labels l.tsv --mask m.nii --out maps
  abovechance searchlight a.nii --labels l.tsv --parcels p.nii --out maps
"""


@click.command(help=__doc__, epilog=EXAMPLES, cls=options.Sections)
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
    from dataclasses import replace

    from abovechance.cli.terminal import progress, show, write_files
    from abovechance.maps import searchlight as run
    from abovechance.maps.images import subjects_of
    from abovechance.maps.trial_tables import trials_of

    _folder(out)
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
    except FileError as refused:
        raise _to_resume(refused, given["rng"]) from refused
    except AboveChanceError as refused:
        raise _as_options(refused) from refused
    found = replace(found, described=next(iter(tables.values())).described)
    written = found.write(out)
    show(found, format_, *[f"seed {found.seed}"] * (given["store"] is not None))
    click.echo(f"abovechance: {len(written)} files written to {out}", err=True)
    write_files(found, report)


def expanded(files: tuple[str, ...]) -> tuple[str, ...]:
    """Files that patterns stand for, in order, where the shell has left them as they are."""
    from glob import glob, has_magic
    from pathlib import Path

    found: list[str] = []
    for file in files:
        pattern = has_magic(file) and not Path(file).exists()
        matching = sorted(glob(file)) if pattern else [file]
        if not matching:
            raise FileError(f"no file matches {file!r}.")
        found += matching
    return tuple(found)


def _folder(out: str) -> None:
    """Refuse a place for maps that is a file, before hours are spent."""
    from pathlib import Path

    path = Path(out).expanduser()
    if path.exists() and not path.is_dir():
        raise click.UsageError(f"--out must be a folder; {out!r} is a file.")


def _if_any(runs: dict[str, Any]) -> dict[str, Any] | None:
    return None if all(one is None for one in runs.values()) else runs


def _to_resume(refused: FileError, seed: int | None) -> FileError:
    import re

    other = re.search(r"seed is (\d+) there", str(refused))
    if seed is None and other is not None:
        return FileError(f"{refused}. To resume that run, give --seed {other[1]}.")
    return refused


def _as_options(refused: AboveChanceError) -> AboveChanceError:
    """The refusal in words of the command line."""
    said = str(refused).replace("process_mask_img", "--process-mask").replace("runs=", "--runs ")
    return type(refused)(said)
