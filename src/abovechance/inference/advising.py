"""What a reader of an assessment should know, in numbered remarks that cite their source."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array
from abovechance.errors import AboveChanceError, NotApplicable
from abovechance.inference.defaults import expanded, small_class
from abovechance.inference.estimates import Estimate
from abovechance.inference.repeats import repeated_rows
from abovechance.inference.significance.null import scheme_for
from abovechance.measures import Law, find
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival

ALPHA = 0.05
ORDERED = (Law.PAIRS, Law.CENSORED_PAIRS)  # which have a wrong way round
FEW_CLUSTERS = 30
FEW_CASES = 50
MANY_CASES = 1000
FEW_NUMBERS = 200
LARGEST, HEAVY = 0.05, 0.33  # of normal errors the largest 5 % make up a third of the squares


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
        yield from _on_stated_prevalence(predictions, whole)


def _on_data(predictions: Predictions) -> Iterator[Advice]:
    if predictions.dropped:
        yield Advice(
            "AC001",
            f"{_cases(predictions.dropped)} with a missing value "
            f"{'was' if predictions.dropped == 1 else 'were'} dropped; if they are not missing at "
            "random the results do not hold for all.",
            "Collins et al. (2015), TRIPOD item 9",
        )
    if isinstance(predictions, Binary | Multiclass):
        shares = zip(predictions.classes, predictions.prevalences, strict=True)
        absent = [str(c) for c, share in shares if share == 0]
        if absent:
            yield Advice("AC002", f"no case of {', '.join(absent)} was observed.")
    told = repeated_rows(predictions)
    if told:
        yield Advice("AC004", told)


def _cases(count: int) -> str:
    return f"{count} case{'s' * (count != 1)}"


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
        pooled = getattr(evidence, "pooled", {})
        apart = [
            f"{e.measure} ({pooled[e.measure]:.3f})"
            for e in rows
            if e.by is None
            and e.measure in pooled
            and (e.interval is None or pooled[e.measure] not in e.interval)
        ]
        if apart:
            yield Advice(
                "AC016",
                f"the pooled value of {', '.join(apart)} is not that of the folds: "
                "predictions of different folds are not on one scale; the mean over folds is "
                "shown.",
                "Forman & Scholz (2010)",
            )
        if "folds" in refused:
            yield Advice("AC011", f"no interval over folds: {refused['folds']}")
    elif "p" in refused:
        yield Advice("AC012", f"no test against chance: {refused['p']}")
    if "rate" in refused:
        yield advice_on_rate(refused["rate"])
    if "exact" in refused:
        yield Advice("AC018", f"p is not exact for {refused['exact']}")
    if "calibration" in refused:
        yield Advice("AC041", f"no test of calibration: {refused['calibration']}")
    groups = predictions.cases.groups
    if groups is not None and predictions.origin == "test":
        yield from _on_clusters(predictions, groups)
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
            "sampling weights: values are weighted, intervals of shares and of confusion tables "
            "count as many cases as the weights are worth, the others take rows for independent; "
            "exact tests, which count cases, are not given.",
        )


def _on_clusters(predictions: Predictions, groups: Array) -> Iterator[Advice]:
    """Few clusters, of all or of the class that fewest hold: what is said of it rests on them."""
    few = few_clusters(predictions, groups)
    if few:
        yield Advice("AC013", few, "Cameron & Miller (2015)")


def few_clusters(predictions: Predictions, groups: Array) -> str | None:
    """That clusters are few, of all cases or of the class that fewest hold; None if they are not.

    A single cluster of all cases is refused elsewhere.
    """
    count, of_class = len(np.unique(groups)), ""
    if isinstance(predictions, Binary | Multiclass) and count > 1:
        actual = predictions.positive if isinstance(predictions, Binary) else predictions.actual
        for k, name in enumerate(predictions.classes):
            held = len(np.unique(groups[actual == k]))
            if 0 < held < count:
                count, of_class = held, f" with cases of {name}"
    if not (count > 1 or of_class) or count >= FEW_CLUSTERS:
        return None
    clusters = f"{count} clusters{of_class} are" if count > 1 else f"1 cluster{of_class} is"
    return f"{clusters} few: intervals may cover less than they say."


def advice_on_rate(reason: str) -> Advice:
    """Why a rate stated beforehand was not tested against."""
    return Advice("AC015", f"not tested against a stated rate: {reason}")


def _least_p(predictions: Predictions) -> float:
    """What a permutation test gives at best."""
    try:
        scheme, _ = scheme_for(expanded(predictions))
        return 1 / scheme.arrangements if scheme.arrangements < 1e6 else 0.0
    except NotApplicable:
        return 0.0


def advice_on_tests(rows: Sequence[Estimate]) -> Iterator[Advice]:
    """What p-values beside each other do and do not say."""
    table_tests = [e for e in rows if (e.test_by or {}).get("name") == "fisher"]
    if len(table_tests) > 1:
        yield Advice(
            "AC020",
            "all categorical measures share one p-value: with both margins fixed each is a "
            "function of the true positives. It is one piece of evidence, not many.",
            "Fisher (1935)",
        )
    yield from _on_skill(rows)
    crossing = [
        e
        for e in rows
        if e.p_value is not None
        and e.p_value < ALPHA
        and e.interval is not None
        and e.chance is not None
        and e.chance in e.interval
        and e.alternative == "greater"
    ]
    for e in crossing[:1]:
        many = f" (and {len(crossing) - 1} more)" if len(crossing) > 1 else ""
        why = (
            "the test is one-sided, the interval two-sided."
            if e.p_value is not None and e.p_value >= ALPHA / 2
            else "the interval is for the value in new samples, the test holds these cases' "
            "outcomes and predictions fixed; p says only that they are associated."
        )
        yield Advice(
            "AC022", f"{e.title}: the interval contains chance although p < .05{many}: {why}"
        )
    yield from _on_extremes(rows)


def _on_skill(rows: Sequence[Estimate]) -> Iterator[Advice]:
    """Associated with the outcome, and yet no better than one prediction for all."""
    worse, unshown = [], []
    for e in rows:
        if e.skill is None or e.p_value is None or e.p_value >= ALPHA:
            continue
        interval, p = e.skill.interval, e.skill.p_value
        if interval is not None and interval.high < 0:
            worse.append(e)
        elif p is not None and p >= ALPHA:
            unshown.append(e)
    found = ((worse, "worse"), (unshown, "not shown to be better"))
    parts = [f"{words} by {_titles(es)}" for es, words in found if es]
    if parts:
        scored = any(e.family != "categorical" for e in (*worse, *unshown))
        remedy = "check calibration" if scored else "a different threshold may do better"
        yield Advice(
            "AC021",
            "predictions are associated with the outcome, but compared with the same prediction "
            f"for every case they are {'; '.join(parts)}: {remedy}.",
            "Dinga et al. (2019)",
        )


def _on_extremes(rows: Sequence[Estimate]) -> Iterator[Advice]:
    """Results that are rarely what they seem: all right, or the wrong way round."""
    by_law = [(e, _measure_of(e)) for e in rows if np.isfinite(e.value)]
    ordered = [(e, m) for e, m in by_law if m is not None and m.law in ORDERED]
    for e, _ in ordered:
        if _reversed(e):
            yield Advice(
                "AC023",
                f"{e.title} {e.value:.3g} is on the wrong side of chance by more than chance "
                "explains: the order is reversed. Is the positive class the right one "
                "(pos_label=, --positive), and do higher scores mean it?",
            )
            break
    perfect = [
        e
        for e, m in by_law
        if m is not None
        and m.law in (*ORDERED, Law.SHARE, Law.MEAN)
        and m.attainable
        and e.value == m.best
        and (e.p_value is None or e.p_value < ALPHA)
    ]
    if perfect:
        yield Advice(
            "AC024",
            f"{_titles(perfect)}: perfect. Were these the cases that the model was trained on, or "
            "does a predictor contain the outcome?",
            "Kapoor & Narayanan (2023)",
        )


def _reversed(e: Estimate) -> bool:
    """Whether chance is left behind on the wrong side: by the other side's p, or the interval."""
    if e.chance is None or not e.value < e.chance:
        return False
    if e.p_value is not None:
        return e.p_value > 1.0 - ALPHA / 2
    return e.interval is not None and e.interval.high < e.chance


def _measure_of(e: Estimate) -> Any:
    try:
        return find(e.measure)
    except AboveChanceError:
        return None


def _titles(rows: Sequence[Estimate]) -> str:
    names = list(dict.fromkeys(e.title for e in rows))
    return (
        ", ".join(names) if len(names) < 5 else f"{', '.join(names[:3])} and {len(names) - 3} more"
    )


def advice_on_primary(primary: str | None) -> Iterator[Advice]:
    """Accuracy is for describing; it is a poor thing to base a conclusion on."""
    if primary is None:
        return
    try:
        measure = find(primary)
    except AboveChanceError:
        return
    if measure.law is Law.SHARE:
        yield Advice(
            "AC025",
            f"{measure.title} is the primary measure here: it depends on the threshold and on how "
            "frequent the classes are, and detects less than measures of probabilities. Base "
            "conclusions on the log score or the area under the ROC curve, with labels alone on "
            "balanced accuracy.",
            "Dinga et al. (2019)",
        )


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
    if steep and steep[0].remark is not None:
        yield Advice(
            "AC042",
            f"the calibration slope is infinite: {steep[0].remark}. Its interval has a limit "
            "on one side only.",
            "Albert & Anderson (1984)",
        )


def few_cases(predictions: Predictions) -> str | None:
    """That a class, or a sample of numbers, has few cases; None if it has enough."""
    least = small_class(predictions)
    if isinstance(predictions, Survival):
        least = int(predictions.event.sum())
    if isinstance(predictions, Numeric) and FEW_CASES <= least < FEW_NUMBERS:
        return (
            f"{least} cases: below {FEW_NUMBERS}, intervals of squared errors know no larger ones "
            "than were seen, and may cover less than they say where errors are rarely very large."
        )
    if not 0 < least < FEW_CASES:
        return None
    if not isinstance(predictions, Binary | Multiclass):
        what = "event" if isinstance(predictions, Survival) else "case"
        return (
            f"{least} {what}{'s' * (least != 1)}: below {FEW_CASES}, intervals may cover less "
            "than they say."
        )
    cases = predictions.cases
    counted = cases.groups is None and cases.sample_weight is None
    which = "intervals other than those of shares" if counted else "intervals"
    return (
        f"the smallest class has {_cases(least)}: below {FEW_CASES}, {which} may cover less "
        "than they say."
    )


def _on_stated_prevalence(predictions: Predictions, rows: Sequence[Estimate]) -> Iterator[Advice]:
    """Losses and precision at a stated prevalence hang on few cases, each weighing much."""
    some = [e for e in rows if e.interval is not None and "strata" in e.interval.by]
    if some and small_class(predictions) < MANY_CASES:
        yield Advice(
            "AC035",
            f"{_titles(some)} at the stated prevalence: the few cases of the commoner class that "
            "look like the rarer one weigh most, and where predictions are rarely far off they "
            f"may not have been seen. With fewer than {MANY_CASES} cases of each class intervals "
            "may cover less than they say (.79 to .95 with 60).",
        )


def _on_size(predictions: Predictions) -> Iterator[Advice]:
    few = few_cases(predictions)
    if few:
        numbers = isinstance(predictions, Numeric)
        yield Advice("AC033" if numbers else "AC030", few)
    if isinstance(predictions, Numeric):
        yield from _on_errors(predictions)
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


def _on_errors(predictions: Numeric) -> Iterator[Advice]:
    """Few cases that make up much of the squared error."""
    squares = np.sort((predictions.outcome - predictions.value) ** 2, axis=-1)[:, ::-1]
    top = max(1, round(LARGEST * predictions.n))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = squares[:, :top].sum(axis=-1) / squares.sum(axis=-1)
    largest = float(np.nan_to_num(shares).max())
    if predictions.n > 10 and largest > HEAVY:
        cases = "one case makes" if top == 1 else f"{top} of {predictions.n} cases make"
        yield Advice(
            "AC034",
            f"{cases} up {largest:.0%} of the squared error: where few cases decide, intervals of "
            "squared errors, of R² and of correlations cover less than they say (80 to 90 % at 100 "
            "cases with very heavy tails); absolute and median errors are safer.",
        )
