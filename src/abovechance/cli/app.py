"""Open a local page: drop a file of predictions, see its report."""

import click


@click.command(help=__doc__)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Any free one by default.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def app(port: int, no_browser: bool) -> None:
    try:
        from abovechance.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("abovechance"):
            raise
        raise click.ClickException(
            f"{error.name} is needed for the page; pip install 'abovechance[app]'."
        ) from None
    serve(port, browse=not no_browser, say=click.echo)
