"""A comparison on the terminal."""

from typing import Any

import click

from abovechance.cli.show import console, print_lines


def show_comparison(result: Any, format_: str) -> None:
    """Print a comparison as text, JSON or CSV; remarks that CSV cannot hold go to stderr."""
    if format_ == "json":
        click.echo(result.to_json())
        return
    if format_ == "csv":
        click.echo(result.to_csv(), nl=False)
        for advice in result.advice:
            click.echo(f"abovechance: {advice}", err=True)
        return
    from abovechance.inference.comparison.text import comparison_lines

    screen = console()
    print_lines(screen, comparison_lines(result, screen.width))
