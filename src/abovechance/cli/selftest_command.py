"""Compute reference values, error rates and draws again on this machine, and compare.

Exit code 0 when every check passes, 1 when any does not.
"""

import click

from abovechance.cli import options

EXAMPLES = """\b
Examples:
  abovechance selftest
  abovechance selftest --report qualification.html --json qualification.json
"""


@click.command(help=__doc__, epilog=EXAMPLES)
@click.option(
    "--report",
    metavar="FILE.html",
    callback=options.writable,
    help="Also write every value, with tolerances and versions, as a page.",
)
@click.option(
    "--json", "json_", metavar="FILE", callback=options.writable, help="Also write it as JSON."
)
def selftest(report: str | None, json_: str | None) -> int:
    from abovechance.cli.terminal import print_blocks, progress
    from abovechance.io.export import write_text
    from abovechance.qualification import selftest as run
    from abovechance.qualification.qualification_page import blocks, page

    with progress("simulating") as tell:
        found = run(tell=tell)
    print_blocks(blocks(found))
    if report is not None:
        page(found, click.get_current_context().find_root().obj or "").save(report)
        click.echo(f"abovechance: report written to {report}", err=True)
    if json_ is not None:
        write_text(json_, found.to_json() + "\n")
        click.echo(f"abovechance: JSON written to {json_}", err=True)
    return 0 if found.passed else 1
