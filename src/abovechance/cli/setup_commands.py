"""Commands about the installation itself: `completion`, `selftest`, `warm`, `reproduce`."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from abovechance.cli import options
from abovechance.errors import AboveChanceError

CHECKOUT = Path(__file__).parents[3]  # the folder above `src`, where the package lies in a checkout
ABSENT = (
    "the papers' studies are no part of the installed package: they are in the folder replications "
    "of its source. Unpack that, and run ./run reproduce STUDY in it (or, where abovechance is "
    "installed, python -m replications STUDY)."
)


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def absent(**_: Any) -> None:
    """Run the papers' simulation studies again, beside the published values.

    The studies are no part of the installed package. They are in the folder `replications` of its
    source; there, run

    \b
      ./run reproduce STUDY
    """
    raise AboveChanceError(ABSENT)


def studies_command(checkout: Path = CHECKOUT) -> click.Command:
    """The command of the studies where they are at hand, else one that says where they are."""
    if "replications" not in sys.modules:
        if not (checkout / "replications" / "command.py").is_file():
            return absent
        sys.path.append(str(checkout))
    found = import_module("replications.command").reproduce
    assert isinstance(found, click.Command)
    return found


reproduce = studies_command()


@click.command(
    epilog=options.examples(
        "completion bash >> ~/.bashrc",
        "completion zsh >> ~/.zshrc",
        "completion fish > ~/.config/fish/completions/abovechance.fish",
    )
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Complete commands and options in the shell, by the tab key."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(ctx.find_root().command, {}, "abovechance", "_ABOVECHANCE_COMPLETE")
    # not made.source(), which asks the bash of this machine for its version
    click.echo(made.source_template % made.source_vars())


@click.command(
    epilog=options.examples(
        "selftest", "selftest --report qualification.html --json qualification.json"
    )
)
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
    """Compute reference values, error rates and draws again on this machine, and compare.

    Exit code 0 when every check passes, 1 when any does not.
    """
    from abovechance.cli.terminal import print_blocks, progress
    from abovechance.io.export import write_text
    from abovechance.qualification import selftest as run
    from abovechance.qualification.self_testing import blocks, page

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


@click.command(epilog=options.examples("warm"))
def warm() -> None:
    """Compile ahead what later commands use, so that none of them has to wait for it.

    Compiled loops are kept on disk, for this installation and user; the first run takes up to a
    few minutes, another one a few seconds.
    """
    from abovechance.qualification import warm as run

    def tell(done: int, total: int, what: str) -> None:
        if what:
            click.echo(f"abovechance: {done + 1} of {total}: {what}", err=True)

    click.echo(f"abovechance: {run(tell)}", err=True)
