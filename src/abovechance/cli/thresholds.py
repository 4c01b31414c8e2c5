"""Where to cut the predictions in a file, given what errors cost."""

from typing import Any

import click

from abovechance.cli import options


@click.command(help=__doc__)
@click.argument("file", type=click.Path())
@options.columns
@click.option("--cost-fp", type=float, default=1.0, show_default=True, help="Of a false positive.")
@click.option("--cost-fn", type=float, default=1.0, show_default=True, help="Of a false negative.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--draws", type=click.IntRange(min=2), default=1000, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), help="Seed of all draws.")
@options.report
@options.output
def thresholds(
    file: str,
    cost_fp: float,
    cost_fn: float,
    level: float,
    draws: int,
    seed: int | None,
    report: str | None,
    format_: str,
    **columns: Any,
) -> None:
    from abovechance.cli.reading import predictions_in
    from abovechance.cli.show import write_report
    from abovechance.inference.thresholds import thresholds as advised

    predictions, _ = predictions_in(file, columns, None)
    found = advised(
        predictions,
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        confidence_level=level,
        draws=draws,
        rng=seed,
    )
    if format_ != "text":
        click.echo(found.to_json() if format_ == "json" else found.to_csv(), nl=format_ == "json")
    else:
        _show(found)
    if report is not None:
        write_report(found, report)


def _show(found: Any) -> None:
    from abovechance.cli.show import console, print_lines
    from abovechance.format import limits, number
    from abovechance.io.text_tables import Column, Row, TextTable, paragraph

    headings = ("value", "corrected", "sens.", "spec.", "net benefit")
    columns = (
        Column("", "name"),
        Column("threshold"),
        Column(f"{100 * found.level:.4g}% interval", "limits"),
        *(Column(heading) for heading in headings),
    )
    rows = []
    for choice in found.choices:
        cells = (choice.value, choice.corrected, choice.sensitivity)
        shown = [number(cell) for cell in (*cells, choice.specificity, choice.net_benefit)]
        first = (choice.title, number(choice.threshold), limits(choice.interval))
        rows.append(Row((*first, *shown)))
    screen = console()
    print_lines(screen, TextTable(columns, tuple(rows)).lines(screen.width))
    words = "Value: expected cost, Youden's J, or distance to the corner; corrected for optimism."
    print_lines(screen, paragraph(words, screen.width))
    for advice in found.advice:
        print_lines(screen, paragraph(f"{advice}", screen.width, ""))
