"""Run the papers' simulation studies again, beside the published values.

STUDY is a name from the list printed without one, or all. Figures that need no simulation
(brodersen-figures) are computed and, with --picture, drawn.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from abovechance.cli import options


def drawable(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """A file to draw to, known to be possible before anything is simulated."""
    if value is None:
        return None
    file = Path(value)
    if file.suffix not in (".svg", ".png", ".pdf") or not file.absolute().parent.is_dir():
        raise click.BadParameter(
            f"must end in .svg, .png or .pdf and lie in a folder that is there; got {value!r}."
        )
    return file


def folder(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """A folder for pages, known to be possible before anything is simulated."""
    if value is None:
        return None
    place = Path(value)
    if place.exists() and not place.is_dir():
        raise click.BadParameter(f"must be a folder; {value!r} is a file.")
    return place


@click.command(help=__doc__)
@click.argument("study", required=False)
@click.option(
    "--replications",
    type=click.IntRange(min=1),
    help="Samples in every setting; without, as many as take minutes.",
)
@click.option(
    "--statistics",
    metavar="A,B,…",
    callback=options.names,
    help="Only these statistics, named as in the paper.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@options.settings("power", only=("workers", "store"))
@click.option(
    "--pages", metavar="DIR", callback=folder, help="Keep a page and a picture of each here."
)
@click.option(
    "--picture", metavar="FILE", callback=drawable, help="Draw the study: .svg, .png or .pdf."
)
@click.option("--data", metavar="DIR", type=click.Path(), help="Tables of the real-data studies.")
@options.output
def reproduce(
    study: str | None,
    replications: int | None,
    statistics: list[str] | None,
    seed: int,
    workers: Any,
    store: str | None,
    pages: Path | None,
    picture: Path | None,
    data: str | None,
    format_: str,
) -> None:
    from abovechance.cli import terminal
    from replications import brodersen, catalogue, figure6, running

    if study is None:
        _list()
        return
    if study == figure6.NAME:
        if statistics is not None:
            raise click.UsageError(f"{study} is of all measures; leave --statistics out.")
        kept = None if store is None else _shared(store, study, seed)
        found = figure6.joint(
            data=data,
            replications=replications,
            rng=seed,
            workers=workers,
            store=kept,
            progress=terminal.progress,
        )
        _show_joint(found, picture, pages, format_)
        return
    repeated = _those_with(catalogue.find_repeated(study, data), statistics)
    if repeated:
        if len(repeated) > 1 and (picture is not None or store is not None):
            raise click.UsageError("--picture and --store are for one study; name one.")
        for number, one in enumerate(repeated, 1):
            with terminal.progress(one.name) as tell:
                done = _repeat(
                    one,
                    data=data,
                    replications=replications,
                    statistics=statistics,
                    rng=seed,
                    workers=workers,
                    store=store,
                    progress=tell,
                )
            _show_repeated(done, picture, pages, format_, number, len(repeated))
        return
    if study == brodersen.NAME:
        if replications is not None or statistics is not None or store is not None:
            raise click.UsageError(f"{study} simulates nothing; leave its options out.")
        _figures(brodersen.figures(), picture, pages, format_)
        return
    chosen = _those_with(catalogue.find_studies(study, data), statistics)
    if len(chosen) > 1 and picture is not None:
        raise click.UsageError("--picture draws one study; use --pages DIR for several.")
    for remark in catalogue.left_out(study, data):
        click.echo(f"abovechance: {remark}", err=True)
    kept = store if len(chosen) == 1 or store is None else _shared(store, study, seed)
    for number, one in enumerate(chosen, 1):
        which = f"{one.name} ({number} of {len(chosen)})" if len(chosen) > 1 else one.name
        with terminal.progress(which) as tell:
            result = running.reproduce(
                one,
                replications=replications,
                statistics=statistics and [name for name in statistics if name in one.tests],
                rng=seed,
                workers=workers,
                store=kept,
                progress=tell,
            )
        _show(result, one, format_, number, len(chosen))
        if picture is not None:
            _draw(result, picture)
        if pages is not None:
            _keep(pages, result, one)


def _repeat(study: Any, **given: Any) -> Any:
    from replications.repeated import repeat

    return repeat(study, **given)


def _show_repeated(
    done: Any, picture: Path | None, pages: Path | None, format_: str, number: int, count: int
) -> None:
    """Print what a repeated verb found, with what came of the paper's sentences."""
    from abovechance.cli import terminal

    study, result = done.study, done.result
    if format_ in ("json", "csv"):
        _show(result, study, format_, number, count)
    elif format_ == "markdown":
        from replications.repeated import page

        click.echo(page(done))
    else:
        screen = terminal.console()
        screen.print(f"{study.name}: {study.title}. {study.source}", markup=False)
        terminal.show(result, "text")
        for line in (*done.findings, *(f"Departure: {text}." for text in study.departures)):
            screen.print(line, markup=False)
    if picture is not None:
        _write_figure(picture, lambda: _panels(done))
    if pages is not None:
        from abovechance.io import write_text
        from replications.repeated import page
        from replications.tables import contents

        pages.mkdir(parents=True, exist_ok=True)
        _write_figure(pages / f"{study.name}.svg", lambda: _panels(done))
        write_text(pages / f"{study.name}.md", page(done))
        write_text(pages / "contents.md", contents(pages))


def _panels(done: Any) -> Any:
    """A panel for each measure where a picture shows one of them; else the picture."""
    from matplotlib import pyplot

    import abovechance as ac

    result, kind = done.result, done.study.kind
    if kind != "stability_paths":
        return ac.plot(result, kind=kind).figure
    names = [row.selector for row in result.selectors]
    figure, axes = pyplot.subplots(1, len(names), figsize=(3.4 * len(names), 3.4), squeeze=False)
    make = ac.plots.pictures()[kind]
    for axis, name in zip(axes[0], names, strict=True):
        ac.plot(make(result, selector=name), ax=axis)
    figure.tight_layout()
    return figure


def _show_joint(found: Any, picture: Path | None, pages: Path | None, format_: str) -> None:
    """Print, draw and keep the figure over all tables."""
    from replications import figure6

    if format_ == "json":
        click.echo(found.powers.to_json())
    elif format_ == "csv":
        click.echo(found.powers.to_csv(), nl=False)
    else:
        click.echo(figure6.page(found))
    files = [] if picture is None else [picture]
    if pages is not None:
        from abovechance.io import write_text
        from replications.tables import contents

        pages.mkdir(parents=True, exist_ok=True)
        files.append(pages / f"{figure6.NAME}.svg")
        write_text(pages / f"{figure6.NAME}.md", figure6.page(found))
        write_text(pages / "contents.md", contents(pages))
    for file in files:
        _write_figure(file, lambda: figure6.figure_of(found))


def _figures(result: Any, picture: Path | None, pages: Path | None, format_: str) -> None:
    """Figures that are computed, not simulated."""
    if format_ == "json":
        click.echo(result.to_json())
    elif format_ == "csv":
        click.echo(result.to_csv(), nl=False)
    else:
        from rich.table import Table

        from abovechance.cli import terminal

        screen = terminal.console()
        screen.print(result.title, markup=False)
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in ("", "quantity", "value", "low", "high", "P(> 0.5)"):
            table.add_column(heading, justify="left" if heading in ("", "quantity") else "right")
        for row in result.rows():
            name, quantity, *numbers = row.values()
            shown = ("" if x is None else f"{x:.3f}" for x in numbers)
            table.add_row(str(name), str(quantity), *shown)
        screen.print(table)
        for text in result.remarks:
            screen.print(f"Departure: {text}.", markup=False)
    files = [picture] if picture is not None else []
    if pages is not None:
        pages.mkdir(parents=True, exist_ok=True)
        files.append(pages / f"{result.name}.svg")
    for file in files:
        _write_figure(file, lambda: _brodersen(result))


def _brodersen(result: Any) -> Any:
    from replications.brodersen_drawing import figure_of

    return figure_of(result)


def _those_with(studies: list[Any], statistics: list[str] | None) -> list[Any]:
    """Those studies that have one of the statistics; every statistic must be in one of them."""
    from abovechance.errors import AboveChanceError, did_you_mean

    if statistics is None or not studies:
        return studies
    known = list(dict.fromkeys(name for study in studies for name in study.tests))
    if not statistics:
        raise click.UsageError(f"--statistics names none; choose from {', '.join(known)}.")
    for name in statistics:
        if name not in known:
            close = did_you_mean(name, known) or f"; choose from {', '.join(known)}."
            raise AboveChanceError(f"no statistic {name!r} in {_called(studies)}{close}")
    return [study for study in studies if set(statistics) & set(study.tests)]


def _called(studies: list[Any]) -> str:
    return str(studies[0].name) if len(studies) == 1 else f"these {len(studies)} studies"


def _shared(store: str, study: str, seed: int) -> Any:
    """One file for several studies; each finds its own blocks in it."""
    from abovechance import __version__
    from abovechance.resampling import Store

    return Store(store, {"reproduce": study, "seed": str(seed), "abovechance": __version__})


def _keep(folder: Path, result: Any, study: Any) -> None:
    from abovechance.io import write_text
    from replications.tables import contents, page

    folder.mkdir(parents=True, exist_ok=True)
    _draw(result, folder / f"{study.name}.svg")
    write_text(folder / f"{study.name}.md", page(result, study))
    write_text(folder / "contents.md", contents(folder))


def _draw(result: Any, file: Path) -> None:
    import abovechance as ac

    _write_figure(file, lambda: ac.plot(result, kind="replication").figure)


def _write_figure(file: Path, make: Callable[[], Any]) -> None:
    """A picture that is the same file whenever it is drawn from the same numbers."""
    from matplotlib import pyplot, rc_context

    from abovechance.errors import Unfinished

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "abovechance", "backend": "agg"}):
        figure = make()
        try:
            stamp = {"Date": None} if file.suffix == ".svg" else None
            figure.savefig(file, metadata=stamp)
        except OSError as error:
            raise Unfinished(f"the picture {file} cannot be written ({error.strerror}).") from None
        finally:
            pyplot.close(figure)


def _list() -> None:
    from replications import brodersen, figure6
    from replications.catalogue import REPEATED, REPEATED_GROUPS, STUDIES
    from replications.data import FILES, GROUPS

    for study in STUDIES.values():
        click.echo(f"{study.name:28}{study.title}")
    for name, title in GROUPS.items():
        click.echo(f"{name:28}{title}")
        for file in FILES:
            click.echo(f"  {f'{name}-{file.name}':46}{file.file}")
    click.echo(f"{'all':28}All of these simulations")
    click.echo(f"{figure6.NAME:28}{figure6.TITLE}; more with --data DIR")
    for name, title in REPEATED_GROUPS.items():
        click.echo(f"{name:28}{title}")
        for one in REPEATED.values():
            if one.name.startswith(name):
                click.echo(f"  {one.name:46}{one.file or 'comes with scikit-learn'}")
    click.echo(f"{brodersen.NAME:28}{brodersen.TITLE}")


def _show(result: Any, study: Any, format_: str, number: int, count: int) -> None:
    """Print one of several results; all of them together are one document."""
    if format_ == "json":
        if count > 1:
            click.echo("[" if number == 1 else ",")
        click.echo(result.to_json())
        if number == count > 1:
            click.echo("]")
    elif format_ == "csv":
        lines = result.to_csv().splitlines(keepends=True)
        click.echo("".join(lines if number == 1 else lines[1:]), nl=False)
    else:
        _text(result, study)


def _text(result: Any, study: Any) -> None:
    from rich.table import Table

    from abovechance.cli import terminal
    from replications.tables import row

    screen = terminal.console()
    screen.print(result.title, markup=False)
    screen.print(
        f"{result.cells[0].replications} samples in every setting, {result.draws} draws, level "
        f"{result.alpha:g}, seed {result.seed}, digest {result.digest[:12]}",
        style="dim",
        markup=False,
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    headings = ("statistic", study.size, "effect", "power", "± se", "published", "z", "theory", "z")
    for heading in (*headings, "power, 0 to 1"):
        table.add_column(heading, justify="left" if heading[:2] in ("st", "po") else "right")
    for cell in result.cells:
        table.add_row(*row(cell), _bar(cell.power, cell.reference))
    screen.print(table)
    for line in (*result.findings, *(f"Departure: {text}." for text in result.remarks)):
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
