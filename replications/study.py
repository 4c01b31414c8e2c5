"""What a published study is: a design, its tests under the paper's names, and its values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from abovechance.studies import Design, PowerStudy


class Expected(NamedTuple):
    """A published power and the number of replications behind it."""

    power: float
    runs: int


Key = tuple[str, int, float]
"""Statistic, n and effect."""


@dataclass(frozen=True, eq=False)
class Study:
    """One figure or table of a paper.

    `tests` maps the paper's names to tests of `abovechance.power`, whose `rule` it has too;
    `departures` say where what is run differs from what the paper's text says, or from what its
    code did. `artefacts` are statistics of the paper whose cells and misses are shown, but which
    are no bar for a replication. `options` are those the command needs besides. `claims` says what
    the cells make of the paper's sentences.
    """

    name: str
    title: str
    source: str
    design: Design
    n: tuple[int, ...]
    effects: tuple[float, ...]
    tests: Mapping[str, str]
    draws: int
    rule: Literal["standard", "paper"]
    replications: int
    expected: Mapping[Key, Expected] = field(default_factory=dict)
    departures: tuple[str, ...] = ()
    size: str = "n"
    reference: str = "read from the figure"
    artefacts: frozenset[str] = frozenset()
    options: str = ""
    claims: Callable[[PowerStudy], tuple[str, ...]] | None = None
