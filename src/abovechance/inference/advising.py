"""What a reader of an assessment should know, in numbered remarks that cite their source."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.errors import NotApplicable
from abovechance.inference.defaults import expanded, small_class
from abovechance.inference.estimates import Estimate
from abovechance.inference.significance.null import scheme_for
from abovechance.measures import find
from abovechance.predictions import Binary, Multiclass, Predictions

FEW_CLUSTERS = 30
FEW_CASES = 50


def advice_for(
    predictions: Predictions, rows: Sequence[Estimate], evidence: Any
) -> Iterator[Advice]:
    """Remarks on data, dependence, tests and intervals, in this order."""
    yield from _on_data(predictions)
    yield from _on_dependence(predictions, rows, evidence)
    whole = [e for e in rows if e.by is None and e.class_ is None]
    yield from advice_on_tests(whole)
    yield from _on_calibration(whole, evidence)
    if any(e.interval is not None for e in whole) and predictions.origin == "test":
        yield from _on_size(expanded(predictions))


def _on_data(predictions: Predictions) -> Iterator[Advice]:
    if predictions.dropped:
        yield Advice(
            "AC001",
            f"{predictions.dropped} case{'s' * (predictions.dropped != 1)} with a missing value "
            "were dropped; if they are not missing at random the results do not hold for all.",
            "Collins et al. (2015), TRIPOD item 9",
        )
    if isinstance(predictions, Binary | Multiclass):
        shares = zip(predictions.classes, predictions.prevalences, strict=True)
        absent = [str(c) for c, share in shares if share == 0]
        if absent:
            yield Advice("AC002", f"no case of {', '.join(absent)} was observed.")


def _on_dependence(
    predictions: Predictions, rows: Sequence[Estimate], evidence: Any
) -> Iterator[Advice]:
    refused = getattr(evidence, "refused", {})
    if predictions.origin != "test":
        yield Advice(
            "AC010",
            "cross-validated predictions depend on each other, so no p-value is given; intervals "
            "are for the algorithm, over folds. To test, refit under permuted labels: "
            "permutation_test(estimator, X, y).",
            "Bengio & Grandvalet (2004); Nadeau & Bengio (2003)",
        )
        apart = [
            e.measure
            for e in rows
            if e.interval is not None and e.by is None and not _inside(e.value, e.interval)
        ]
        if apart:
            yield Advice(
                "AC016",
                f"the pooled value of {', '.join(apart)} lies outside the interval over folds: "
                "predictions of different folds are not on one scale; trust the mean over folds.",
                "Forman & Scholz (2010)",
            )
        if "folds" in refused:
            yield Advice("AC011", f"no interval over folds: {refused['folds']}")
    elif "p" in refused:
        yield Advice("AC012", f"no test against chance: {refused['p']}")
    if "rate" in refused:
        yield Advice("AC015", f"not tested against a stated rate: {refused['rate']}")
    if "exact" in refused:
        yield Advice("AC018", f"p is not exact for {refused['exact']}")
    if "calibration" in refused:
        yield Advice("AC041", f"no test of calibration: {refused['calibration']}")
    groups = predictions.cases.groups
    if groups is not None and predictions.origin == "test":
        count = len(np.unique(groups))
        if 1 < count < FEW_CLUSTERS:
            yield Advice(
                "AC013",
                f"{count} clusters are few: intervals may cover less than they say.",
                "Cameron & Miller (2015)",
            )
        least = _least_p(predictions) if evidence.tests else 0.0
        if least > 0.05:
            yield Advice(
                "AC017",
                f"clusters can be arranged in so few ways that the smallest attainable p is "
                f"{least:.2g}.",
                "Winkler et al. (2015)",
            )
    if predictions.cases.sample_weight is not None:
        yield Advice(
            "AC014",
            "sampling weights: values are weighted, intervals resample rows; exact tests and "
            "posteriors, which count cases, are not given.",
        )


def _inside(value: float, interval: Any) -> bool:
    return bool(np.isnan(value)) or value in interval


def _least_p(predictions: Predictions) -> float:
    """What a permutation test gives at best."""
    try:
        scheme, _ = scheme_for(expanded(predictions))
        return 1 / scheme.arrangements if scheme.arrangements < 1e6 else 0.0
    except NotApplicable:
        return 0.0


def advice_on_tests(rows: Sequence[Estimate]) -> Iterator[Advice]:
    """What p-values beside each other do and do not say."""
    table_tests = [e for e in rows if (e.test or "").startswith("Fisher")]
    if len(table_tests) > 1:
        yield Advice(
            "AC020",
            "all categorical measures share one p-value: with both margins fixed each is a "
            "function of the true positives. It is one piece of evidence, not many.",
            "Fisher (1935)",
        )
    for e in rows:
        if e.skill is None or e.skill.p_value is None or e.p_value is None:
            continue
        if e.p_value < 0.05 <= e.skill.p_value:
            yield Advice(
                "AC021",
                f"{e.title}: predictions are associated with the outcome but not shown to be "
                "better than the uninformative forecast; check calibration.",
                "Dinga et al. (2019)",
            )
            break
    for e in rows:
        crossing = e.interval is not None and e.chance is not None and e.chance in e.interval
        if crossing and e.p_value is not None and e.p_value < 0.05:
            yield Advice(
                "AC022",
                f"{e.title}: the interval contains chance although p < .05: the test is "
                "one-sided and asks another question than the interval.",
            )
            break


def _on_calibration(rows: Sequence[Estimate], evidence: Any) -> Iterator[Advice]:
    remarks = getattr(evidence, "remarks", {})
    distances = [e.measure for e in rows if e.measure in remarks]
    if distances:
        yield Advice(
            "AC040",
            f"no interval for {', '.join(distances)}: chance makes distances greater than 0 even "
            "when probabilities are right, and a bootstrap interval never covers a true 0. "
            "Compare each with its value expected if right; p simulates outcomes from them.",
            "Roelofs et al. (2022)",
        )
    steep = [e for e in rows if e.measure == "calibration_slope" and np.isinf(e.value)]
    if steep and steep[0].undefined is not None:
        yield Advice(
            "AC042",
            f"the calibration slope is infinite: {steep[0].undefined}. Its interval has a limit "
            "on one side only.",
            "Albert & Anderson (1984)",
        )


def _on_size(predictions: Predictions) -> Iterator[Advice]:
    least = small_class(predictions)
    if 0 < least < FEW_CASES and isinstance(predictions, Binary | Multiclass):
        yield Advice(
            "AC030",
            f"the smallest class has {least} cases: below {FEW_CASES}, intervals other than those "
            "of shares may cover less than they say.",
        )
    if isinstance(predictions, Binary) and predictions.label is not None:
        largest = float(predictions.prevalences.max())
        right = find("accuracy").of(predictions)
        if largest >= 0.7 and right <= largest:
            yield Advice(
                "AC031",
                f"always predicting the larger class is right in {largest:.0%} of cases; the "
                f"accuracy of {right:.0%} does not beat that.",
                "Brodersen et al. (2010)",
            )
