"""Complete commands and options in the shell, by the tab key."""

import click

EXAMPLES = """\b
Where to put it:
  bash   abovechance completion bash >> ~/.bashrc
  zsh    abovechance completion zsh >> ~/.zshrc
  fish   abovechance completion fish > ~/.config/fish/completions/abovechance.fish
"""


@click.command(help=__doc__, epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(ctx.find_root().command, {}, "abovechance", "_ABOVECHANCE_COMPLETE")
    # not made.source(), which asks the bash of this machine for its version
    click.echo(made.source_template % made.source_vars())
