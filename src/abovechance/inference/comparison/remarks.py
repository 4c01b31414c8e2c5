"""What a reader of a comparison should know, in numbered remarks that cite their source."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.errors import NotApplicable, listed
from abovechance.inference.advising import few_cases, few_clusters
from abovechance.inference.comparison.contributions import contributions
from abovechance.inference.comparison.pairs import Matched
from abovechance.inference.comparison.results import Difference
from abovechance.inference.intervals.ordered import autocorrelated, cosines
from abovechance.inference.significance.null import outcomes
from abovechance.inference.significance.sign_flip import SYMMETRIC
from abovechance.measures import Form, Law, Measure, find

LARGEST, MOST_OF_IT = 0.05, 0.65  # of normal errors the largest 5 % make up half of the squares
FEW_UNITS = 20  # cases, below which one in twenty is none
NOTICED = 0.001  # p of no autocorrelation below which rows are said to be alike


def remarks(
    found: Matched,
    rows: Sequence[Difference],
    measures: Sequence[Measure],
    level: float,
    *,
    naive: bool,
) -> Iterator[Advice]:
    """Remarks on pairing, dependence and tests, in this order."""
    first = next(iter(found.models.values()))
    if found.by == "row":
        yield Advice("AC141", "cases were paired by row; name them with id to be sure.")
    if found.by == "none":
        yield _on_different_cases(found)
    if any(row.model is not None for row in rows):
        yield Advice("AC143", "differences between subgroups are of different cases, not paired.")
    yield from _on_dependence(first, naive=naive)
    yield from _on_order(found)
    if any(row.interval is not None for row in rows):
        yield from _on_size(found)
        yield from _on_heavy_tails(found, measures)
    yield from _on_tests(rows, level)


def _on_different_cases(found: Matched) -> Advice:
    ids = [p.cases.id for p in found.models.values()]
    names = [set(column.astype(str).tolist()) for column in ids if column is not None]
    common = len(set.intersection(*names)) if len(names) == len(ids) > 1 else 0
    if common:
        return Advice(
            "AC153",
            f"{common} cases are those of every model, by id, and were compared as if they were "
            "different: pair them (without --unpaired) for a sharper answer.",
        )
    return Advice(
        "AC142",
        "the models predicted different cases: a difference may come from the cases as well "
        "as from the models.",
    )


def _on_size(found: Matched) -> Iterator[Advice]:
    """The model with the fewest cases of a class, of different cases; else any of them."""
    told = (few_cases(p) for p in found.models.values() if p.origin == "test")
    few = next((text for text in told if text), None)
    if few:
        yield Advice("AC158", few)


def _on_heavy_tails(found: Matched, measures: Sequence[Measure]) -> Iterator[Advice]:
    """Few cases that make up most of the differences of losses: means of them are hardly known."""
    first, *others = found.models.values()
    if found.by == "none" or not others or first.origin != "test":
        return
    heavy: dict[str, float] = {}
    top = max(1, round(LARGEST * first.n))
    for measure in measures:
        if measure.law is not Law.MEAN or measure.form is not Form.LOSSES:
            continue
        for one, other in combinations(found.models.values(), 2):
            gaps = contributions(measure, one, other)
            if not np.isfinite(gaps).all() or not np.ptp(gaps) > 0:
                continue
            squares = np.sort((gaps - gaps.mean()) ** 2)[::-1]
            share = float(squares[:top].sum() / squares.sum())
            heavy[measure.title] = max(share, heavy.get(measure.title, 0.0))
    told = {title: share for title, share in heavy.items() if share > MOST_OF_IT}
    if told and first.n >= FEW_UNITS:
        cases = "one case makes" if top == 1 else f"{top} of {first.n} cases make"
        yield Advice(
            "AC159",
            f"{cases} up {max(told.values()):.0%} of the squared differences "
            f"({listed(list(told), 3)}): where few cases decide, tests of means and their "
            "intervals may not hold (level .05 was up to .15, and intervals covered .85, at 120 "
            "cases of which 6 decide).",
        )


def _on_dependence(first: Any, *, naive: bool) -> Iterator[Advice]:
    origin, cases = getattr(first, "origin", "test"), getattr(first, "cases", None)
    if origin != "test" and naive:
        yield Advice(
            "AC145",
            "the t-test over folds takes folds for independent; training sets overlap, and it "
            "finds differences that are not there far more often than its level says.",
            "Dietterich (1998); Nadeau & Bengio (2003)",
        )
    elif origin != "test":
        yield Advice(
            "AC144",
            "cross-validated: differences are means over folds, for the algorithms trained on as "
            "many cases, and tests correct for the overlap of training sets.",
            "Nadeau & Bengio (2003)",
        )
    if cases is None:
        return
    if cases.groups is not None and origin == "test":
        few = few_clusters(first, cases.groups)
        if few:
            yield Advice("AC146", few, "Cameron & Miller (2015)")
    if cases.sample_weight is not None:
        yield Advice(
            "AC147",
            "sampling weights: differences are weighted and have bootstrap intervals; tests that "
            "count cases are not given.",
        )


def _on_order(found: Matched) -> Iterator[Advice]:
    """Cases in time order that tell little; cases of unstated order whose neighbours are alike."""
    first, *others = found.models.values()
    if found.by == "none" or not others or first.cases.sample_weight is not None:
        return
    order = first.cases.order
    pairs = (_apart(first, other) for other in others)
    known = [gaps for gaps in pairs if gaps is not None and len(gaps) > 1 and np.ptp(gaps) > 0]
    if order is not None:
        with suppress(NotApplicable):
            if any(cosines(gaps, order).few for gaps in known):
                yield Advice(
                    "AC157",
                    "differences are so much alike from one time to the next that many times "
                    "count as few independent cases.",
                    "Lazarus et al. (2018)",
                )
        return
    if first.origin != "test" or first.cases.groups is not None or _sorted(first):
        return
    if any(autocorrelated(gaps) < NOTICED for gaps in known):
        yield Advice(
            "AC156",
            "neighbouring rows differ alike, as cases in time order do, and tests and intervals "
            "take them for independent: state the order with order= (--order), or clusters with "
            "groups= (--groups).",
            "Diebold & Mariano (1995)",
        )


def _apart(first: Any, second: Any) -> Any:
    """By how much the models' losses differ, case by case; None where they have none."""
    for name in ("log_loss", "brier", "mse", "accuracy"):
        measure = find(name).for_outcome(first.kind)
        if not (measure.applies(first) and measure.applies(second)):
            continue
        gaps = contributions(measure, first, second)
        if np.isfinite(gaps).all():
            return gaps
    return None


def _sorted(predictions: Any) -> bool:
    """Whether rows stand by their outcome: then neighbours are alike for that reason."""
    steps = np.diff(np.atleast_2d(outcomes(predictions)).astype(np.float64))
    one_way = (steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)
    return bool((one_way & steps.any(axis=1)).any())


def _on_tests(rows: Sequence[Difference], level: float) -> Iterator[Advice]:
    alpha = 1.0 - level
    stuck = [row for row in rows if row.least_p is not None and row.least_p > alpha]
    if stuck:
        least = min(float(row.least_p or 1.0) for row in stuck)
        names = listed(
            list(dict.fromkeys(f"{r.measure} of {r.first} and {r.second}" for r in stuck)), 3
        )
        yield Advice(
            "AC148",
            f"too few cases or clusters differ for p to fall below {alpha:g} ({names}): the "
            f"smallest attainable p is {least:.3g}.",
        )
    if any(_few_of_a_class(row.test_by or {}) for row in rows):
        yield Advice(
            "AC149",
            "the smaller class has fewer than 50 cases: DeLong's test is referred to Student's t, "
            "as the normal distribution finds too many differences there.",
        )
    flipped = [row for row in rows if row.hypothesis == SYMMETRIC]
    if flipped:
        yield Advice(
            "AC154",
            f"{_named(flipped)}: signs were flipped, which asks whether differences are symmetric "
            "about zero, for few cases (or clusters) cannot tell more. Where one model is rarely "
            "far off, equal means are rejected far too often: read p beside the interval.",
            "Hall (1988)",
        )
    apart = [row for row in rows if _disagree(row, alpha)]
    if apart:
        yield Advice(
            "AC155",
            f"{_named(apart)}: test and interval disagree on whether there is a difference. They "
            "rest on different assumptions; take it for not shown.",
        )
    tested = {row.measure for row in rows if row.p_value is not None}
    if len(tested) > 1:
        yield Advice(
            "AC150",
            f"{len(tested)} measures were compared and p-values are adjusted over pairs, not over "
            "measures; take the primary one for a conclusion.",
        )


def _few_of_a_class(by: Mapping[str, Any]) -> bool:
    """Whether DeLong's test on the same cases was referred to Student's t."""
    return by.get("name") == "delong" and "df" in by and "unpaired" not in by


def _disagree(row: Difference, alpha: float) -> bool:
    """Whether p and interval, both two-sided, answer differently."""
    if row.p_value is None or row.interval is None or row.alternative != "two-sided":
        return False
    outside = not row.interval.low <= 0.0 <= row.interval.high
    return outside != (row.p_value <= alpha)


def _named(rows: Sequence[Difference]) -> str:
    """The measures of rows, once each."""
    return listed(list(dict.fromkeys(row.measure for row in rows)), 3)
