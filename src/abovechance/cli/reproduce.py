"""Run the papers' simulation studies again, beside the published values.

STUDY is a name from the list printed without one, or all.
"""

from typing import Any

import click

from abovechance.cli import options

DATA = "dinga-power-data"


@click.command(help=__doc__)
@click.argument("study", required=False)
@click.option("--replications", type=click.IntRange(min=1), help="Samples in every setting.")
@click.option(
    "--statistics",
    metavar="A,B,…",
    callback=options.names,
    help="Only these statistics, named as in the paper.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--store", metavar="FILE", help="Keep finished samples here and resume from it.")
@click.option("--pages", metavar="DIR", type=click.Path(), help="Keep a page of each study here.")
@click.option("--data", metavar="DIR", type=click.Path(), help="Tables of the real-data study.")
@options.output
def reproduce(
    study: str | None,
    replications: int | None,
    statistics: list[str] | None,
    seed: int,
    workers: int,
    store: str | None,
    pages: str | None,
    data: str | None,
    format_: str,
) -> None:
    from abovechance.cli.progress import progress
    from abovechance.studies import replications as published

    if study is None:
        _list(published.STUDIES)
        return
    if study == "all" and (store is not None or statistics is not None):
        raise click.UsageError("--store and --statistics go with one study, not with all.")
    if study == DATA:
        if data is None or store is not None:
            raise click.UsageError(
                f"{DATA} needs --data DIR with its tables, and takes no --store."
            )
        chosen = list(published.data_studies(data))
    elif study == "all":
        chosen = list(published.STUDIES.values())
        chosen += published.data_studies(data) if data is not None else ()
    else:
        chosen = [published.find_study(study)]
    for one in chosen:
        with progress(one.name) as tell:
            found = published.reproduce(
                one,
                replications=replications,
                statistics=statistics,
                rng=seed,
                workers=workers,
                store=store,
                progress=tell,
            )
        _show(found, one, format_)
        if pages is not None:
            _keep(pages, one.name, published.page(found, one))


def _keep(folder: str, name: str, text: str) -> None:
    from pathlib import Path

    from abovechance.io.export import write_text

    Path(folder).mkdir(parents=True, exist_ok=True)
    write_text(Path(folder) / f"{name}.md", text)


def _list(studies: dict[str, Any]) -> None:
    for study in studies.values():
        click.echo(f"{study.name:24}{study.title}")
    click.echo(f"{DATA:24}Power against chance on real tables; needs --data DIR")


def _show(found: Any, study: Any, format_: str) -> None:
    if format_ == "json":
        click.echo(found.to_json())
    elif format_ == "csv":
        click.echo(found.to_csv(), nl=False)
    else:
        _text(found, study)


def _text(found: Any, study: Any) -> None:
    from rich.table import Table

    from abovechance.cli.show import console
    from abovechance.studies.replications import row, verdict

    screen = console()
    screen.print(found.title, markup=False)
    screen.print(
        f"{found.cells[0].replications} samples in every setting, {found.draws} draws, level "
        f"{found.alpha:g}, seed {found.seed}, digest {found.digest[:12]}",
        style="dim",
        markup=False,
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    headings = ("statistic", study.size, "effect", "power", "± se", "published", "z", "theory", "z")
    for heading in (*headings, "power, 0 to 1"):
        table.add_column(heading, justify="left" if heading[:2] in ("st", "po") else "right")
    for cell in found.cells:
        table.add_row(*row(cell), _bar(cell.power, cell.reference))
    screen.print(table)
    for line in (verdict(found), *(f"Departure: {text}." for text in found.remarks)):
        screen.print(line, markup=False)
    screen.print()


def _bar(power: float, reference: float | None, width: int = 25) -> str:
    """The power as a point on a line, o; what it should be as |; both in one place as @."""
    line = ["·"] * (width + 1)
    if reference is not None:
        line[round(reference * width)] = "|"
    place = round(power * width)
    line[place] = "@" if line[place] == "|" else "o"
    return "".join(line)
