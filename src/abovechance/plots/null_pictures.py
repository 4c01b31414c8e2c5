"""What chance alone would have given, and what was observed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.format import number, p_phrase, thousands
from abovechance.inference.printing import tested_p
from abovechance.inference.significance import null_distribution
from abovechance.plots.axes import spanning
from abovechance.plots.chart import Bars, Chart, Rule, Series
from abovechance.plots.plotting import SEED, picture
from abovechance.predictions import Predictions

BINS = 40
PREDICTED = ("binary", "multiclass", "numeric", "survival")
PERMUTED = ("detection", "permutation_test", "null_distribution")


@picture(of=(*PREDICTED, *PERMUTED), usual=PERMUTED, seeded=True)
def null(shown: Any, seed: int = SEED, test: str | None = None) -> Chart:
    """Chance and the observed value: a measure or a statistic under permuted outcomes.

    Of predictions their primary measure is shown, of a detection its first test unless one is
    named.
    """
    if hasattr(shown, "tests"):
        return _of_tests(shown, test)
    if isinstance(shown, Mapping):
        ((_, predictions),) = shown.items()
        assert isinstance(predictions, Predictions)
        shown = null_distribution(predictions, rng=seed)
    return histogram(shown.values, shown.value, title=shown.title)


def _of_tests(result: Any, test: str | None) -> Chart:
    """A statistic under permutation, the first when none is named."""
    row = result.tests[0] if test is None else result[test]
    name = getattr(row, "statistic", None) or row.measure
    facts = {"rule": getattr(result, "rule", "")}
    p = p_phrase(row.p_value)
    if facts["rule"] == "paper":  # by that rule p can be 0
        p = f"p = {tested_p(vars(row), facts).text} draws"
    made = histogram(result.null[name], row.value, title="Value", p=p, what="labels", height=0.75)
    return replace(made, title=row.title)


def histogram(
    replicates: Any,
    observed: float,
    *,
    title: str = "Statistic",
    p: str = "",
    chance: float | None = None,
    what: str = "outcomes",
    height: float = 0.6,
) -> Chart:
    """The values of a statistic when `what` is permuted, beside the observed one.

    `chance`, their mean as a table has it, is marked when given.

    Examples
    --------
    >>> histogram(np.arange(100) / 100, 0.99, title="Area", p="p = 0.020").layers[1].text
    'observed 0.990, p = 0.020'
    """
    every = np.asarray(replicates, dtype=np.float64)
    values = every[np.isfinite(every)]
    if np.isnan(observed):
        raise NotApplicable(f"{title} is undefined for what was observed.")
    if not values.size:
        raise NotApplicable(f"{title} is infinite or undefined under every permutation.")
    beyond = every.size - values.size
    infinite = f" {thousands(beyond)} more are infinite or undefined." if beyond else ""
    axis = spanning(title, values, [observed], room=0.05)
    counts, edges = _counts(values)
    said = f"observed {number(observed)}" + (f", {p}" if p else "")
    highest = float(counts.max(initial=1))
    return Chart(
        title="Chance and the observed value",
        caption=f"{thousands(values.size)} values under permuted {what}.{infinite}",
        x=axis,
        y=spanning("Permutations", [0.0, highest * 1.18], room=0.0, count=4),
        layers=(
            Bars(left=edges[:-1], right=edges[1:], height=counts, colour="muted", faint=True),
            Rule(at=observed, text=said, colour="1", dashed=False),
            *(() if chance is None else (Rule(at=chance, text=f"chance {number(chance)}"),)),
        ),
        series=(
            Series(
                name="",
                headings=("From", "Permutations", "To"),
                columns=(edges[:-1], counts, edges[1:]),
                place=((edges[:-1] + edges[1:]) / 2, counts),
                colour="muted",
            ),
        ),
        readout="nearest",
        height=height,
    )


def _counts(values: Any) -> tuple[Any, Any]:
    """Counts in bins; a statistic with few values gets a bar for each."""
    distinct = np.unique(values)
    if 1 < distinct.size <= BINS:
        gap = np.diff(distinct).min()
        if (distinct[-1] - distinct[0]) / gap <= 2 * BINS:
            edges = np.arange(distinct[0] - gap / 2, distinct[-1] + gap, gap)
            counts, edges = np.histogram(values, edges)
            return counts.astype(np.float64), edges
    counts, edges = np.histogram(values, BINS)
    return counts.astype(np.float64), edges
