"""Run the papers' simulation studies again, beside the published values.

The studies are no part of the installed package. They are in the folder `replications` of its
source; there, run

  ./run reproduce STUDY
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from abovechance.errors import AboveChanceError

CHECKOUT = Path(__file__).parents[3]
"""The folder above `src`, where the package lies in a checkout."""

ABSENT = (
    "the papers' studies are no part of the installed package: they are in the folder replications "
    "of its source. Unpack that, and run ./run reproduce STUDY in it (or, where abovechance is "
    "installed, python -m replications STUDY)."
)


@click.command(
    help=__doc__.replace("\n  ./run", "\n\b\n  ./run"),
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def absent(**_: Any) -> None:
    raise AboveChanceError(ABSENT)


def command(checkout: Path = CHECKOUT) -> click.Command:
    """The command of the studies where they are at hand, else one that says where they are."""
    if "replications" not in sys.modules:
        if not (checkout / "replications" / "command.py").is_file():
            return absent
        sys.path.append(str(checkout))
    found = import_module("replications.command").reproduce
    assert isinstance(found, click.Command)
    return found


reproduce = command()
