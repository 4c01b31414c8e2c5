"""What a detection returns: one row per statistic, and how the permutations were made."""

from dataclasses import dataclass
from typing import Any

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.format import p_equation, p_text
from abovechance.inference.results import Result, to_frame
from abovechance.signal import find

PAPERS_RULE = "by the papers' rule"


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
class Detection(Result):
    """Whether classes differ, by several statistics on the same permutations.

    For an outcome of numbers: whether features and outcome depend on each other. `stop` and
    `level` are those of a sequential test, None when every permutation was drawn; `decided_at` is
    the part of the level at which each test was decided.
    """

    tests: tuple[Detected, ...]
    n: int
    features: int
    feature_names: tuple[str, ...] = ()
    kind: str
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

    def to_frame(self, library: str = "pandas") -> Any:
        """The tests as a dataframe of pandas or polars."""
        return to_frame(self.rows(), library)

    def to_csv(self) -> str:
        """The tests as CSV."""
        from abovechance.io.export import to_csv_text

        return to_csv_text(self.rows())

    def remarks(self) -> list[str]:
        """How p was found, where it was not the usual way."""
        said = []
        if self.rule == "paper":
            said.append(
                f"p {PAPERS_RULE}: the share of draws at least as large, the observed labelling "
                "left out; its size exceeds the level"
            )
        if self.stop is not None:
            shared = "" if self.decided_at == self.level else f", its part of {self.level:g}"
            said.append(
                "drawing stopped early, for every test as soon as its p was known to lie on one "
                f"side of {self.decided_at:.3g}{shared} (Gandy 2009)"
            )
            open_ = [r.statistic for r in self.tests if r.decision is None and r.undefined is None]
            if open_:
                said.append(f"not decided when the draws ran out: {', '.join(open_)}")
        return said

    def __str__(self) -> str:
        lines = [f"{self.n} cases, {self.features} features; H0: {self.hypothesis}"]
        for r in self.tests:
            lines.append(
                f"{r.statistic:<20} {r.value:>9.4g}  null mean {r.null_mean:>8.4g}  "
                f"{self._p_words(r)}"
            )
        return "\n".join([*lines, *self.remarks()])

    def _p_words(self, row: Detected) -> str:
        if row.undefined is not None:
            return f"p undefined: {row.undefined}"
        found = p_equation(row.p_value)
        if self.rule == "paper":
            found = f"p = {round(row.p_value * row.draws)} of {row.draws} draws, {PAPERS_RULE}"
        elif self.stop is not None:
            found += f" after {row.draws} draws"
        return found if row.p_adjusted is None else f"{found}, adjusted {_adjusted(row, self.rule)}"


def _adjusted(row: Detected, rule: str) -> str:
    assert row.p_adjusted is not None
    return f"{row.p_adjusted:.3g}" if rule == "paper" else p_text(row.p_adjusted)
