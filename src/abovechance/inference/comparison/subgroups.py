"""Models compared within subgroups, and whether their difference differs between these."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from abovechance.arrays import Array
from abovechance.errors import DataError
from abovechance.inference.comparison.pairs import matched, same_classes
from abovechance.inference.comparison.results import Difference, Interaction
from abovechance.inference.comparison.rows import Question, concluded, paired_rows, unpaired_rows
from abovechance.inference.defaults import expanded
from abovechance.inference.estimates import Subgroup
from abovechance.inference.multiplicity import adjusted
from abovechance.inference.subgroups import events, in_order, subgroup
from abovechance.measures import Measure
from abovechance.predictions import Predictions
from abovechance.predictions.checks import in_order_of

HYPOTHESIS = "the difference between the two models is the same in every subgroup"
TEST = "Welch–James, standard errors from the intervals"


@dataclass(frozen=True, eq=False)
class Parts:
    """Every model's predictions in every subgroup."""

    models: dict[str, dict[str, Predictions]]  # by subgroup, then by model

    @classmethod
    def of(cls, models: Mapping[str, Predictions], by: Any, name: str) -> "Parts":
        """Split every model's cases by the same column."""
        columns = _columns(models, by)
        labels = in_order(
            dict.fromkeys(v for c in columns.values() for v in c.tolist() if v is not None)
        )
        if len(labels) < 2:
            raise DataError(f"by must tell two subgroups apart; all cases are {labels[0]!r}.")
        return cls(
            {
                (f"{name}={label}" if name else label): {
                    model: p.take(columns[model] == label) for model, p in models.items()
                }
                for label in labels
            }
        )

    def sizes(self) -> tuple[Subgroup, ...]:
        """How many cases and events each holds, by the first model."""
        return tuple(subgroup(by, next(iter(part.values()))) for by, part in self.models.items())


def within_rows(
    parts: Parts, measures: Sequence[Measure], asked: Question, *, paired: bool
) -> list[Difference]:
    """Differences between models within each subgroup; p-values adjusted over all of a measure."""
    found: list[Difference] = []
    for by, models in parts.models.items():
        own = _within(models, measures, replace(asked, adjust="none"), paired=paired)
        found += [replace(row, by=by, events=_events(row, models)) for row in own]
    return [
        row
        for measure in measures
        for row in concluded([r for r in found if r.measure == measure.label], asked)
    ]


def _within(
    models: Mapping[str, Predictions], measures: Sequence[Measure], asked: Question, *, paired: bool
) -> Iterator[Difference]:
    together = matched(models) if paired else None
    if together is not None:
        yield from paired_rows(together.models, measures, asked)
        return
    cases = same_classes([expanded(p) for p in models.values()])
    yield from unpaired_rows(dict(zip(models, cases, strict=True)), measures, asked)


def _events(row: Difference, models: Mapping[str, Predictions]) -> int | None:
    counted = [events(models[name]) for name in (row.first, row.second)]
    if row.paired or None in counted:
        return counted[0]
    return sum(count for count in counted if count is not None)


def between_rows(
    parts: Parts, measures: Sequence[Measure], asked: Question
) -> Iterator[Difference]:
    """Differences between subgroups of the cases, for every model."""
    for model in next(iter(parts.models.values())):
        own = {by: expanded(models[model]) for by, models in parts.models.items()}
        for row in unpaired_rows(own, measures, asked):
            yield replace(row, model=model)


def interactions(
    rows: Sequence[Difference], parts: Parts, measures: Sequence[Measure], adjust: str
) -> Iterator[Interaction]:
    """For every measure and pair: does the difference differ between the subgroups?"""
    names = list(next(iter(parts.models.values())))
    dependent = _dependence(parts)
    for measure in measures:
        tests = []
        for first, second in combinations(names, 2):
            own = [
                row
                for row in rows
                if (row.measure, row.first, row.second) == (measure.label, first, second)
            ]
            tests.append(_interaction(own, dependent))
        p = [float("nan") if t.p_value is None else t.p_value for t in tests]
        for test, value in zip(tests, adjusted(p, adjust), strict=True):
            yield replace(test, p_adjusted=None if np.isnan(value) else float(value))


def _dependence(parts: Parts) -> str | None:
    """Why subgroups are not independent of each other, if they are not."""
    first = [next(iter(models.values())) for models in parts.models.values()]
    if any(p.origin != "test" for p in first):
        return "the subgroups share folds, so their differences depend on each other"
    groups = [p.cases.groups for p in first]
    if all(g is not None for g in groups):
        held = [set(np.asarray(g).astype(str).tolist()) for g in groups]
        if any(a & b for a, b in combinations(held, 2)):
            return "clusters have cases in several subgroups, whose differences so depend"
    return None


def _interaction(rows: Sequence[Difference], dependent: str | None) -> Interaction:
    known = [row for row in rows if _error(row) > 0]
    blank = Interaction(
        measure=rows[0].measure,
        title=rows[0].title,
        first=rows[0].first,
        second=rows[0].second,
        subgroups=len(known),
        hypothesis=HYPOTHESIS,
        test=TEST,
    )
    if dependent is not None:
        return replace(blank, undefined=dependent)
    if len(known) < 2:
        why = "fewer than two subgroups have an interval for the difference"
        return replace(blank, undefined=why)
    value, df, rest, p = welch_james(
        [row.difference for row in known],
        [_error(row) for row in known],
        [_freedom(row) for row in known],
    )
    return replace(blank, statistic=value, df=df, df_error=rest, p_value=p)


def _error(row: Difference) -> float:
    """The standard error an interval implies; 0 where it implies none.

    Intervals by Student's t, by scores or by bootstrap are wider than the normal one with the same
    error, so this errs on the careful side.
    """
    from scipy.special import ndtri

    if row.interval is None or row.difference != row.difference:
        return 0.0
    width = row.interval.high - row.interval.low
    return float(width / (2.0 * ndtri(0.5 + row.interval.level / 2.0))) if width < np.inf else 0.0


def _freedom(row: Difference) -> float:
    """Cases that vary, less one: those of the scarcer class where there are events."""
    scarce = row.n if row.events is None else min(row.events, row.n - row.events)
    return max(float(scarce) - 1.0, 1.0)


def welch_james(
    values: Sequence[float], errors: Sequence[float], freedoms: Sequence[float]
) -> tuple[float, float, float, float]:
    """Are independent values with standard errors of their own all the same?

    Cochran's Q, referred to F as in Welch (1951), so that few cases behind an error are allowed
    for; of two values it is Welch's t-test. Returns F, both degrees of freedom, p.

    >>> [round(x, 4) for x in welch_james([0.3, 0.1], [0.1, 0.1], [50, 50])]
    [2.0, 1.0, 100.0, 0.1604]
    """
    from scipy.special import fdtrc

    from abovechance.numerics.exact import never_zero

    d = np.asarray(values, dtype=np.float64)
    w = 1.0 / np.asarray(errors, dtype=np.float64) ** 2
    k = len(d)
    share = w / w.sum()
    q = float((w * (d - (share * d).sum()) ** 2).sum())
    off = float(((1.0 - share) ** 2 / np.asarray(freedoms)).sum())
    f = q / (k - 1) / (1.0 + 2.0 * (k - 2) / (k**2 - 1) * off)
    rest = (k**2 - 1) / (3.0 * off)
    return f, float(k - 1), rest, never_zero(float(fdtrc(k - 1, rest, f)))


def _columns(models: Mapping[str, Predictions], by: Any) -> dict[str, Array]:
    """The subgroup of every model's cases: by id where all have ids, else by row."""
    ids = [p.cases.id for p in models.values()]
    if any(i is None for i in ids):
        return {name: _column(p, by) for name, p in models.items()}
    keys = [np.asarray(i).astype(str).tolist() for i in ids]
    known = dict(zip(keys[0], _column(next(iter(models.values())), by).tolist(), strict=True))
    return {
        name: np.array([known.get(i) for i in key], dtype=object)
        for name, key in zip(models, keys, strict=True)
    }


def _column(predictions: Predictions, by: Any) -> Array:
    column = np.asarray(in_order_of(predictions.cases.index, "by", by))
    if column.shape != (predictions.n,):
        raise DataError(
            f"by must hold one value for each of the {predictions.n} cases; got {column.shape}."
        )
    return column.astype(str).astype(object)
