"""The help of every command, as the program prints it."""

from abovechance.cli import COMMANDS, command

INTRODUCTION = """# Command line

This page is what `abovechance COMMAND --help` prints. Results go to stdout, progress and remarks to
stderr. `--format json` gives the [JSON contract](json.md).

| exit code | meaning |
|---|---|
| 0 | answered |
| 1 | a `--fail-if` gate fired |
| 2 | wrong usage or bad data; one line says what and how to mend it |
| 3 | could not finish (disk, cluster, stopped) |

"""


def page() -> str:
    import click

    root = click.Context(command, info_name="abovechance", max_content_width=88, terminal_width=88)
    parts = [INTRODUCTION]
    for name, says in COMMANDS.items():
        found = command.get_command(root, name)
        assert found is not None
        context = click.Context(
            found, info_name=name, parent=root, max_content_width=88, terminal_width=88
        )
        parts.append(f"## {name}\n\n{says}\n\n```text\n{found.get_help(context)}\n```\n")
    return "\n".join(parts)
