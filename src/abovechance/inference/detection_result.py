"""What a detection returns: one row per statistic, and how the permutations were made."""

from dataclasses import dataclass
from typing import Any

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.results import Result
from abovechance.signal import find


@dataclass(frozen=True, kw_only=True)
class Detected:
    """One statistic against its permutations.

    `decision` says on which side of the level p lies, where drawing stopped early: "p <= level",
    or "p <= level/3" where three tests share the level. `undefined` says why there is no value,
    and then no p.
    """

    statistic: str
    title: str
    value: float
    p_value: float
    draws: int
    null_mean: float
    p_adjusted: float | None = None
    decision: str | None = None
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class Detection(Result, kind="detection"):
    """Whether classes differ, by several statistics on the same permutations.

    For an outcome of numbers: whether features and outcome depend on each other; `outcome` is
    "classes" or "numeric". `stop` and
    `level` are those of a sequential test, None when every permutation was drawn; `decided_at` is
    the part of the level at which each test was decided.
    """

    tests: tuple[Detected, ...]
    n: int
    features: int
    feature_names: tuple[str, ...] = ()
    outcome: str
    classes: tuple[str, ...]
    permute: str
    hypothesis: str
    rule: str = "standard"
    stop: str | None = None
    level: float | None = None
    decided_at: float | None = None
    seed: int
    null: dict[str, Floats]
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __getitem__(self, statistic: str) -> Detected:
        rows = {row.statistic: row for row in self.tests}
        if statistic in rows:
            return rows[statistic]
        name = find(statistic).name
        if name in rows:
            return rows[name]
        raise NotApplicable(f"{statistic!r} was not tested; these were: {', '.join(rows)}.")

    def to_dict(self) -> dict[str, Any]:
        found = {"abovechance": __version__, **super().to_dict()}
        del found["null"]
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The tests as rows of a table."""
        return [vars(row) for row in self.tests]
