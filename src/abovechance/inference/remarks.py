"""What a reader of a result should know, in numbered remarks that cite their source."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, combinations, islice, repeat
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats
from abovechance.errors import AboveChanceError, NotApplicable, listed
from abovechance.format import thousands
from abovechance.inference.confusion_tables import (
    alike,
    as_share,
    of_table,
    only_when_right,
)
from abovechance.inference.contrasts import contributions, labels_of
from abovechance.inference.exchange import SYMMETRIC
from abovechance.inference.influence import fewest_clusters
from abovechance.inference.interval_choice import expanded, one_run, small_class
from abovechance.inference.miscalibration import has_interval
from abovechance.inference.pairing import Matched
from abovechance.inference.permutation import outcomes, scheme_for
from abovechance.inference.prose import lower
from abovechance.inference.results import Difference, Estimate, Interval
from abovechance.inference.shares import is_stated
from abovechance.inference.time_order import autocorrelated, cosines, equal_values
from abovechance.inference.unseen_errors import value_of, with_sure_errors
from abovechance.measures import Form, Law, Measure, find
from abovechance.measures.measure import Calibration, Statistic
from abovechance.measures.sample import COUNTING, Sample
from abovechance.measures.survival import time_of
from abovechance.numerics.censoring import kaplan_meier
from abovechance.predictions import Predictions, View

# ----------------------------------------------------------------------------------------------
# Are the rows as many cases as they are? Rows that occur again and again seldom are.
# ----------------------------------------------------------------------------------------------


FEW = 20  # distinct rows, below which repetition is no wonder
OFTEN = 10  # times that rows occur on average, from which they are remarked on
COARSE = 1000  # steps of a scale so coarse that equal predictions are no wonder


def advice_on_repeats(predictions: Predictions, *others: Predictions) -> Iterator[Advice]:
    """A remark on rows that look like copies, if they do."""
    told = repeated_rows(predictions, *others)
    if told:
        yield Advice("AC004", told)


def repeated_rows(predictions: Predictions, *others: Predictions) -> str:
    """What there is to say of rows that occur several times, outcome and prediction alike.

    With `others`, which predicted the same cases, a row holds what all of them predicted.
    Of rows that stand for several cases, come in clusters or were predicted repeatedly nothing is
    said, nor of labels and of predictions on a coarse scale: they are bound to occur again.
    """
    cases = predictions.cases
    if cases.counts is not None or cases.groups is not None or predictions.origin != "test":
        return ""
    columns = predictions.all_columns
    columns += [column for other in others for column in other.all_columns]
    if not columns or all(_coarse(column) for column in columns[1:]):
        return ""
    times = _times(columns)
    n, distinct = predictions.n, times.size
    if distinct < FEW or n < 2 * distinct:
        return ""
    each = int(np.gcd.reduce(times))
    if each > 1:
        return (
            f"every row, outcome and prediction, occurs {each} times or a multiple of it: "
            f"{n} rows hold {distinct} different ones. If they are copies, intervals and p-values "
            "claim too much: keep each case once."
        )
    if n < OFTEN * distinct:
        return ""
    return (
        f"{n} rows hold only {distinct} different ones, outcome and prediction together: if cases "
        "were drawn or copied repeatedly, intervals and p-values claim too much. A tree, which "
        "predicts few values, gives the same picture."
    )


def _coarse(column: Array) -> bool:
    """Whether all values lie on a grid of few steps from the least to the largest."""
    values = np.unique(np.asarray(column, dtype=np.float64))
    if values.size <= FEW:
        return True
    if not np.isfinite(values).all():
        return False
    step = np.diff(values).min()
    if values[-1] - values[0] > COARSE * step:
        return False
    steps = (values - values[0]) / step
    return bool(np.allclose(steps, np.round(steps), atol=1e-6))


def _times(columns: list[Array]) -> Array:
    """How often each different row occurs; rows are told apart by a sum with odd weights."""
    weights = np.sqrt(np.arange(len(columns)) * 2.0 + 2.0) * np.pi
    ranks = [np.unique(column, return_inverse=True)[1] for column in columns]
    key = sum(w * rank for w, rank in zip(weights, ranks, strict=True))
    return np.unique(key, return_counts=True)[1]


# ----------------------------------------------------------------------------------------------
# Are they the cases that the model was fitted to? A fit balances its own cases exactly.
# ----------------------------------------------------------------------------------------------


BALANCED = 0.005  # standard errors from 0, of each sum that a fit makes 0; by chance 4 in 1000 are
ROUNDING = 1e-12  # of the scale: predictions that are all the same balance without a fit
ENOUGH_TO_BALANCE = 30  # cases, below which round numbers of a toy example balance too


def advice_on_own_cases(models: Mapping[str, Predictions]) -> Iterator[Advice]:
    """A remark on predictions that look fitted to the cases they are judged by, if any do."""
    own = [name for name, predictions in models.items() if balances_its_cases(predictions)]
    if own:
        whose = f"{listed([name for name in own if name], 5)}: " if any(own) else ""
        yield Advice(
            "AC006",
            f"{whose}predictions are right on average, and neither too far apart nor too close, "
            "more exactly than new cases allow. So it is when a model was fitted, or recalibrated, "
            "to the very cases that judge it: it then looks better than it is. Judge it by other "
            "cases, or by cross-validation.",
            "Kapoor & Narayanan (2023)",
        )


def balances_its_cases(predictions: Any) -> bool:
    """Whether errors sum to 0, by themselves and times the prediction, as only a fit makes them.

    Least squares and maximum likelihood make both sums 0 on their own cases: with probabilities the
    second is over log p. On other cases each is about a standard error from 0.
    """
    cases = predictions.cases
    if (
        predictions.total < ENOUGH_TO_BALANCE
        or predictions.origin != "test"
        or cases.sample_weight is not None
    ):
        return False
    times = np.ones(predictions.n) if cases.counts is None else cases.counts
    with np.errstate(all="ignore"):
        if View.VALUE in predictions.views:
            return all(map(_balanced, predictions.outcome, predictions.value, repeat(times)))
        if View.PROBABILITY not in predictions.views:
            return False
        p = predictions.probability
        p = np.stack([1.0 - p, p]) if p.ndim == 1 else p
        return _likeliest(predictions.codes.astype(np.intp), p, times)


def _balanced(outcome: Array, value: Array, times: Array) -> bool:
    """Whether least squares could have fitted these numbers."""
    error, place = outcome - value, value - np.average(value, weights=times)
    spread = times @ error**2 / times.sum()
    sums = np.array([times @ error, times @ (error * place)])
    variances = spread * np.array([times.sum(), times @ place**2])
    apart = times @ place**2 > ROUNDING * (times @ value**2)
    return bool(apart and (np.abs(sums) < BALANCED * np.sqrt(variances)).all())


def _likeliest(codes: Array, p: Array, times: Array) -> bool:
    """Whether maximum likelihood could have fitted these probabilities (classes, cases)."""
    expected = p @ times
    variances = expected - np.einsum("kn,kn,n->k", p, p, times)
    short = np.bincount(codes, weights=times, minlength=len(p)) - expected
    if not ((variances >= 1.0) & (np.abs(short) < BALANCED * np.sqrt(variances))).all():
        return False  # the usual end: what follows needs room for all logarithms
    place = np.log(p)
    place -= (place @ times / times.sum())[:, None]
    mean = np.einsum("kn,kn->n", p, place)
    along = times @ (place[codes, np.arange(len(codes))] - mean)
    variance = times @ (np.einsum("kn,kn,kn->n", p, place, place) - mean**2)
    return bool(ROUNDING * times.sum() < variance and abs(along) < BALANCED * np.sqrt(variance))


# ----------------------------------------------------------------------------------------------
# What a reader of an assessment should know, in numbered remarks that cite their source.
# ----------------------------------------------------------------------------------------------


ALPHA = 0.05
WRONG_SIDE = 0.01  # p of the other side below which results are said to be reversed
TURNED = {  # what to look at when predictions go against the outcomes
    "binary": "Is the positive class the right one (pos_label=, --positive), and do higher scores "
    "mean it?",
    "multiclass": "Are classes named alike in outcomes and predictions?",
    "numeric": "Do higher predictions mean higher outcomes?",
    "survival": "Does a higher risk mean an earlier event?",
}
FEW_CLUSTERS = 30
FEW_CASES = 50
FEW_VARY = 15.0  # cases that the squares of a class are worth: of normal values a third
MANY_CASES = 1000
FEW_NUMBERS = 400
FEW_TIMES = 1000
FAR_ABOVE = 5.0  # times the value: an upper limit that says little
MUCH_BY_CALLS = 0.3  # of the error over folds: what other calls add, from which it is said
LARGEST, HEAVY = 0.05, 0.33  # of normal errors the largest 5 % make up a third of the squares


def advice_for(
    predictions: Predictions, rows: Sequence[Estimate], evidence: Any
) -> Iterator[Advice]:
    """Remarks on data, dependence, tests and intervals, in this order."""
    yield from _on_data(predictions)
    yield from _on_dependence(predictions, rows, evidence)
    whole = [e for e in rows if e.by is None and e.class_ is None]
    yield from advice_on_tests(whole, predictions.kind)
    yield from _on_calibration(whole, evidence)
    if any(e.interval is not None for e in whole):
        measures = [m for e in whole if e.interval is not None and (m := _measure_of(e))]
        cases = expanded(one_run(predictions))
        yield from _on_size(cases, measures)
        yield from _on_few_that_vary([("", cases)], measures)
        yield from _on_follow_up([("", cases)], measures)
        yield from _on_series(predictions)
        yield from _on_stated_prevalence(predictions, whole)
        yield from _on_upper_limits(whole)
        yield from _on_sure_calls([(None, predictions)], whole)


def _on_data(predictions: Any) -> Iterator[Advice]:
    if predictions.dropped:
        yield Advice(
            "AC001",
            f"{_cases(predictions.dropped)} with a missing value "
            f"{'was' if predictions.dropped == 1 else 'were'} dropped; if they are not missing at "
            "random the results do not hold for all.",
            "Collins et al. (2024), TRIPOD+AI item 11",
        )
    if predictions.prevalences is not None:
        shares = zip(predictions.classes, predictions.prevalences, strict=True)
        absent = [str(c) for c, share in shares if share == 0]
        if absent:
            yield Advice("AC002", f"no case of {', '.join(absent)} was observed.")
    yield from advice_on_repeats(predictions)
    yield from advice_on_own_cases({"": predictions})


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
        yield from _on_calls(rows)
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
            "count as many cases as the weights are worth, the others treat rows as independent; "
            "exact tests, which count cases, are not given.",
        )


def _on_calls(rows: Sequence[Estimate]) -> Iterator[Advice]:
    """Values at a threshold hang on where a model puts it, and folds share nearly all of that.

    Of a share of all cases as many calls are lost as won, and it is said where that is not so. Of
    other values it always is: at a value's best threshold the calls of other models seem to cost
    nothing (Youden's J over 5 folds, heavy-tailed features: .80 of .95).
    """
    by = {
        e.measure: (e.interval.by, m.law is Law.SHARE)
        for e in rows
        if e.by is None and e.interval is not None and (m := _measure_of(e)) is not None
    }
    told = {m: (known["calls"], all_) for m, (known, all_) in by.items() if "calls" in known}
    some = [
        m for m, (c, all_) in told.items() if c is not None and (c >= MUCH_BY_CALLS or not all_)
    ]
    if some:
        yield Advice(
            "AC026",
            f"{listed(some, 3)}: models trained on other cases would call other cases positive, "
            "and folds, whose training cases are nearly the same, hardly show it. The interval "
            "allows for other class frequencies; where a few extreme cases sway the training it "
            "may still cover less than it says (.80 of .95 with heavy-tailed features).",
            "Bengio & Grandvalet (2004)",
        )
    unseen = [m for m, (calls, _) in told.items() if calls is None]
    if unseen:
        yield Advice(
            "AC027",
            f"{listed(unseen, 3)}: labels do not tell how models trained on other cases would call "
            "these: over folds the interval may cover less than it says (.70 to .88 of .95). Give "
            "probabilities as well.",
            "Bengio & Grandvalet (2004)",
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
    count, of_class = fewest_clusters(predictions, groups)
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


def advice_on_tests(rows: Sequence[Estimate], kind: str) -> Iterator[Advice]:
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
    yield from _on_extremes(rows, kind)


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
    parts = [f"{words} by {_titles(es, lower)}" for es, words in found if es]
    if parts:
        scored = any(e.family != "categorical" for e in (*worse, *unshown))
        remedy = "check calibration" if scored else "a different threshold may do better"
        yield Advice(
            "AC021",
            "predictions are associated with the outcome, but compared with the same prediction "
            f"for every case they are {'; '.join(parts)}: {remedy}.",
            "Dinga et al. (2019)",
        )


def _on_extremes(rows: Sequence[Estimate], kind: str) -> Iterator[Advice]:
    """Results that are rarely what they seem: all right, or the wrong way round."""
    known = [(e, m) for e in rows if (m := _measure_of(e)) is not None and not np.isnan(e.value)]
    turned = [e for e, m in known if _reversed(e, m)]
    if turned and not any(_associated(e) for e, _ in known):
        e = next((e for e in turned if e.family == "rank"), turned[0])
        yield Advice(
            "AC023",
            f"{e.title} {e.value:.3g} is on the wrong side of chance by more than chance "
            f"explains: predictions go against the outcomes, the order is reversed. {TURNED[kind]}",
        )
    perfect = [e for e, m in known if _perfect(e, m)]
    if perfect:
        yield Advice(
            "AC024",
            f"{_titles(perfect)}: perfect. Were these the cases that the model was trained on, or "
            "does a predictor contain the outcome?",
            "Kapoor & Narayanan (2023)",
        )


def _associated(e: Estimate) -> bool:
    """Whether predictions were shown to go with the outcomes."""
    return e.p_value is not None and e.p_value < ALPHA and e.chance is not None


def _reversed(e: Estimate, measure: Measure) -> bool:
    """Whether chance is left behind on the wrong side: by the other side's p, and the interval.

    Of few arrangements p is 1 by chance, so the interval must leave it behind too. A rate that was
    stated is no chance, and a largest distance has no wrong way round.
    """
    up = measure.higher_is_better
    if e.chance is None or up is None or measure.extreme or is_stated(e.hypothesis):
        return False
    if not (e.value < e.chance if up else e.value > e.chance):
        return False
    if e.p_value is not None and not e.p_value > 1.0 - WRONG_SIDE:
        return False
    if e.interval is not None:
        return e.interval.high < e.chance if up else e.interval.low > e.chance
    return e.p_value is not None


def _perfect(e: Estimate, measure: Measure) -> bool:
    """Whether nothing is left to be better at: the best value, which only right predictions have.

    A share of some cases is at its best when it ignores where the errors are; so is a quantile of
    errors, and calibration does not need predictions that are right.
    """
    if measure.law is Law.CALIBRATION or not (measure.attainable and measure.smooth):
        return False
    if measure.higher_is_better is None or not np.isclose(e.value, measure.best, 0.0, 1e-12):
        return False
    if measure.form in COUNTING and not only_when_right(measure):
        return False
    return e.p_value is None or e.p_value < ALPHA


def _measure_of(e: Estimate) -> Measure | None:
    try:
        return find(e.measure)
    except AboveChanceError:
        return None


def _titles(rows: Sequence[Estimate], said: Callable[[str], str] = str) -> str:
    names = list(dict.fromkeys(said(e.title) for e in rows))
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
            "Compare each with the value expected if they are right, which stands beside it; its p "
            "is from outcomes simulated with these probabilities.",
            "Roelofs et al. (2022)",
        )
    bounded = [e for e in rows if np.isinf(e.value) and e.interval is not None]
    steep = [m for e in bounded if (m := _measure_of(e)) and m.calibration is Calibration.SLOPE]
    if steep:
        yield Advice(
            "AC042",
            f"the {lower(steep[0].title)} is infinite: the probabilities separate the classes, so "
            "no finite line is the most likely. Its interval has a limit on one side only.",
            "Albert & Anderson (1984)",
        )


def few_cases(predictions: Predictions, measures: Iterable[Measure]) -> str | None:
    """That a class, or a sample of numbers, has few cases; None if it has enough.

    Cases with sampling weights count for as many as they are worth.
    """
    least, classes = _least(predictions), predictions.prevalences is not None
    happened = None if classes else predictions.happened
    weighted = predictions.cases.sample_weight is not None
    worth = " by their weights" if weighted else ""
    if View.VALUE in predictions.views and FEW_CASES <= least < FEW_NUMBERS:
        if not any(_swayed_by_large_errors(m) for m in measures):
            return None
        return (
            f"{least} cases{worth}: below {FEW_NUMBERS}, intervals of squared errors know no "
            "larger ones than were seen, and may cover less than they say where errors are rarely "
            "very large."
        )
    by_then = None if happened is None else _few_at_a_time(predictions, measures)
    if by_then or not 0 < least < FEW_CASES:
        return by_then
    if not classes:
        what = "case" if happened is None else "event"
        return (
            f"{least} {what}{'s' * (least != 1)}{worth}: below {FEW_CASES}, intervals may cover "
            "less than they say."
        )
    counted = predictions.cases.groups is None and not weighted
    which = "intervals other than those of shares" if counted else "intervals"
    has = "is worth" if weighted else "has"
    return (
        f"the smallest class {has} {_cases(least)}{worth}: below {FEW_CASES}, {which} may cover "
        "less than they say."
    )


def _swayed_by_large_errors(measure: Measure) -> bool:
    """Whether rare large errors may make up most of a value: not of absolute errors, nor of ranks.

    With t(3) tails and 50 to 200 cases intervals of the mean absolute error cover .92 to .94, their
    differences .95 to .97 (600 samples each).
    """
    of = find(measure.monotone_in) if measure.monotone_in else measure
    return of.errors is None and not measure.needs_index_draws


def _least(predictions: Predictions) -> int:
    """Cases of the smallest class, events, or all cases: as many as their weights are worth.

    References
    ----------
    Kish (1965), the effective number of cases (Σw)²/Σw².
    """
    shares, weight = predictions.prevalences, predictions.cases.sample_weight
    happened = predictions.happened if shares is None else None
    if weight is None:
        return small_class(predictions) if happened is None else int(happened.sum())
    if shares is not None:
        of, size = np.asarray(Sample.of(predictions).outcome, dtype=np.int64), len(shares)
    else:
        weight = weight if happened is None else weight[happened]
        of, size = np.zeros(len(weight), dtype=np.int64), 1
    sums = np.bincount(of, weights=weight, minlength=size)
    squares = np.bincount(of, weights=weight**2, minlength=size)
    # rounded, for equal weights are worth as many cases as there are
    return int((sums**2 / np.where(squares > 0, squares, 1.0)).min() + 1e-6)


def advice_on_subgroups(
    parts: Sequence[tuple[str, Predictions]], rows: Sequence[Estimate], measures: Sequence[Measure]
) -> Iterator[Advice]:
    """Which subgroups have intervals that may not hold: few cases, or sure calls all right."""
    yield from _on_few_in_subgroups(parts, measures)
    cases = [(name, expanded(one_run(p))) for name, p in parts]
    yield from _on_few_that_vary(cases, measures)
    yield from _on_follow_up(cases, measures)
    yield from _on_sure_calls(parts, [e for e in rows if e.class_ is None])


def advice_on_compared_subgroups(
    parts: Mapping[str, Mapping[str, Predictions]],
    rows: Sequence[Difference],
    measures: Sequence[Measure],
) -> Iterator[Advice]:
    """The same of differences between models within subgroups."""
    least = [(by, min(models.values(), key=lambda p: p.n)) for by, models in parts.items()]
    yield from _on_few_in_subgroups(least, measures, compared=True)
    each = ((f"{by}, {name}", p) for by, models in parts.items() for name, p in models.items())
    told = ((name, expanded(one_run(p))) for name, p in each)
    yield from _on_few_that_vary(told, measures, compared=True)
    yield from _on_sure_calls_of_pairs(parts, rows, measures)


def _on_few_in_subgroups(
    parts: Iterable[tuple[str, Predictions]],
    measures: Sequence[Measure],
    *,
    compared: bool = False,
) -> Iterator[Advice]:
    few = []
    for name, part in parts:
        told = _few_of(expanded(one_run(part)), measures)
        if told:
            few.append(f"{name}: {told}")
    if few:
        yield Advice(
            "AC162" if compared else "AC037",
            f"few cases in a subgroup ({listed(few, 3)}): its intervals may cover less than they "
            "say.",
        )


def _few_of(part: Predictions, measures: Sequence[Measure]) -> str | None:
    """What a subgroup has few of, and how many."""
    groups, least = part.cases.groups, _least(part)
    if groups is not None and few_clusters(part, groups):
        return _counted(fewest_clusters(part, groups)[0], "cluster")
    if not few_cases(part, measures) and least > 0:
        return None
    if part.prevalences is not None:
        return f"{_cases(least)} of a class"
    return _cases(part.n) if part.happened is None else _counted(least, "event")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _on_few_that_vary(
    parts: Iterable[tuple[str, Any]], measures: Iterable[Measure], *, compared: bool = False
) -> Iterator[Advice]:
    """Probabilities of a class that vary by few of its cases: those of others may far more.

    Of 84 positives with skewed probabilities that say nothing, intervals of Tjur's R² covered .89
    of .95 and .94 of .99; nineteen in twenty of those that missed had squares worth below 15 cases.
    """
    told = {
        m.title for m in measures if m.sufficient is Statistic.CLASS_MEANS and m.law is Law.UNKNOWN
    }
    for name, part in parts if told else ():
        found = _least_varied(part)
        if found is not None:
            size, which, vary = found
            yield Advice(
                "AC164" if compared else "AC043",
                f"{listed(sorted(told))}{name and f' ({name})'}: how far the probabilities of "
                f"{thousands(size)} {which} cases vary is decided by about {vary:.0f} of them; "
                "where rare ones are far off, intervals may cover less than they say (.89 of .95).",
            )
            return


UNKNOWN_END = 0.1  # free of the event at the last one seen, from which later pairs may differ


def _on_follow_up(
    parts: Iterable[tuple[str, Any]], measures: Iterable[Measure]
) -> Iterator[Advice]:
    """Concordance of all times, told from follow-up that ends while many are free of the event.

    Pairs beyond the last event are not seen, and what weighted ones stand for them are few: with
    .2 to .5 left intervals of Uno's concordance covered .83 to .91 of .95 (60 to 300 cases).
    """
    told = {m.title for m in measures if m.pair_weight and m.parameters.get("tau") is None}
    for name, part in parts if told else ():
        counted = part.event if part.weight is None else part.event & (part.weight > 0.0)
        if not counted.any():
            continue
        end = float(part.time[counted].max())
        free = float(kaplan_meier(part.time, part.event, part.weight).at(end))
        if free > UNKNOWN_END:
            yield Advice(
                "AC044",
                f"{listed(sorted(told))}{name and f' ({name})'}: {free:.0%} are expected to be "
                f"free of the event after the last one seen, at time {end:g}. What later pairs "
                "would say is not known, so the value holds for this follow-up, and intervals "
                "may cover less than they say of a longer one (.83 to .91). State a tau within "
                "the follow-up of most cases.",
                "Uno et al. (2011)",
            )
            return


def _least_varied(predictions: Any) -> tuple[int, str, float] | None:
    """Size and name of a class of whose squared deviations few cases make up most; how many."""
    weight = predictions.cases.sample_weight
    for which, inside in (("positive", predictions.positive), ("negative", ~predictions.positive)):
        own = predictions.probability[inside]
        held = np.ones(len(own)) if weight is None else weight[inside]
        if not held.any():
            continue
        away = held * (own - np.average(own, weights=held))
        if len(own) < FEW_CASES or not away.any():
            continue  # few cases are remarked on anyway
        vary = equal_values((away / np.abs(away).max()) ** 2)
        if vary < FEW_VARY:
            return len(own), which, vary
    return None


def _few_at_a_time(predictions: Any, measures: Iterable[Measure]) -> str | None:
    """That few cases are known to have, or not to have, had the event by a time."""
    for time in sorted({t for m in measures if (t := time_of(m, predictions)) is not None}):
        had = int((predictions.event & (predictions.time <= time)).sum())
        free = int((predictions.time > time).sum())
        least, what = min((had, "had the event by"), (free, "had no event until after"))
        if least < FEW_CASES:
            return (
                f"{_cases(least)} {what} time {time:g}: below {FEW_CASES}, intervals at that time "
                "may cover less than they say."
            )
    return None


def _on_series(predictions: Predictions, *, compared: bool = False) -> Iterator[Advice]:
    """Times in a row tell less than as many cases, and how much less is hardly seen in few."""
    found = ", and tests find differences that are not there," if compared else ""
    order = predictions.cases.order
    times = FEW_TIMES if order is None else len(np.unique(order))
    if times < FEW_TIMES:
        yield Advice(
            "AC029",
            f"{times} times: below {thousands(FEW_TIMES)}, intervals may cover less than they "
            f"say{found} where neighbours are much alike (.83 to .92 of .95 with 100 to 500 times "
            "of which each keeps nine tenths of the one before).",
            "Lazarus et al. (2018)",
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


def _on_upper_limits(rows: Sequence[Estimate]) -> Iterator[Advice]:
    """Losses without bounds that a few cases make up: how large they are is hardly known."""
    far = [
        e
        for e in rows
        if (m := _measure_of(e)) is not None
        and m.law is Law.MEAN
        and (0.0, np.inf) in (m.range, (-m.range[1], -m.range[0]))
        and e.interval is not None
        and max(abs(e.interval.low), abs(e.interval.high)) > FAR_ABOVE * abs(e.value)
    ]
    if far:
        yield Advice(
            "AC036",
            f"{_titles(far)}: a few cases make up most of the loss, so how large it is among "
            "others is hardly known: the limit on that side may be far from what more cases will "
            "show.",
        )
    unseen = [e for e in rows if e.interval is not None and "unseen" in e.interval.by]
    if unseen:
        yield Advice(
            "AC038",
            f"{_titles(unseen)}: hardly any case was called wrongly, so how much wrong calls cost "
            "was hardly seen; the limits allow for as many as the interval of accuracy does.",
        )


SURE_CALLS = (
    "calls as sure as the surest two, had they been wrong, would have led beyond the limits: where "
    "very sure calls are wrong now and then, and none was seen, intervals cover less than they say"
)


def _on_sure_calls(
    parts: Iterable[tuple[str | None, Predictions]], rows: Sequence[Estimate]
) -> Iterator[Advice]:
    """Limits that two wrong calls among the surest would lead beyond, part by part."""
    some = []
    for name, part in parts:
        cases = expanded(one_run(part))
        wrong = with_sure_errors(cases)
        some += [
            e
            for e in rows
            if wrong is not None
            and e.by == name
            and e.interval is not None
            and (m := _measure_of(e)) is not None
            and _led_beyond(e.interval, e.value, _moved(m, cases, wrong))
        ]
    if some:
        told = f"{_titles(some)}{_where(some)}: {SURE_CALLS} (.87 of .95 with 150 cases)."
        yield Advice("AC039", told)


def _moved(measure: Measure, predictions: Any, wrong: Sample | None) -> float:
    """How far sure errors would move a value; 0 where nothing is said of them."""
    found = None if wrong is None else value_of(measure, wrong)
    return 0.0 if found is None else found - float(measure.of(predictions))


def _led_beyond(interval: Interval, value: float, *moves: float) -> bool:
    """Whether one of these moves would have led a value beyond its limits."""
    if "unseen" in interval.by:
        return False
    return any(move and not interval.low <= value + move <= interval.high for move in moves)


def _on_size(predictions: Predictions, measures: Iterable[Measure]) -> Iterator[Advice]:
    few = few_cases(predictions, measures)
    numbers = View.VALUE in predictions.views
    if few:
        yield Advice("AC033" if numbers else "AC030", few)
    if numbers:
        yield from _on_errors(predictions, measures)
    shares = predictions.prevalences
    if shares is not None and not predictions.each_class and View.LABEL in predictions.views:
        largest = float(shares.max())
        right = find("accuracy").of(predictions)
        if largest >= 0.7 and right <= largest:
            yield Advice(
                "AC031",
                f"always predicting the larger class is right in {largest:.0%} of cases; the "
                f"accuracy of {right:.0%} does not beat that.",
                "Brodersen et al. (2010)",
            )


def _on_errors(predictions: Any, measures: Iterable[Measure]) -> Iterator[Advice]:
    """Few cases that make up much of the squared error, or of what it is set beside.

    Errors may look harmless where outcomes do not: with t(3) tails and 463 cases, every sample
    whose interval of the root relative squared error missed had one of both.
    """
    outcome, weight = predictions.outcome, predictions.weight
    weight = np.ones(predictions.n) if weight is None else weight
    made_up = [
        (
            _made_up(outcome - predictions.value, weight),
            "squared error",
            "absolute and median errors",
        )
    ]
    if any(m.law is not Law.MEAN and _swayed_by_large_errors(m) for m in measures):
        apart = outcome - np.average(outcome, axis=-1, weights=weight)[:, None]
        what = "outcomes' squared distance from their mean"
        made_up.append((_made_up(apart, weight), what, "absolute errors and correlations of ranks"))
    largest, what, safer = max(made_up, key=lambda found: found[0])
    cases = int((weight > 0.0).sum())
    if cases > 10 and largest > HEAVY:
        top = max(1, round(LARGEST * cases))
        few = "one case makes" if top == 1 else f"{top} of {cases} cases make"
        yield Advice(
            "AC034",
            f"{few} up {largest:.0%} of the {what}: where few cases decide, intervals of "
            "squared errors, of R² and of correlations cover less than they say (80 to 90 % at 100 "
            f"cases with very heavy tails); {safer} are safer.",
        )


def _made_up(values: Floats, weight: Floats) -> float:
    """The share of the squares that the largest twentieth makes up, of the worst output."""
    squares = np.sort((values**2 * weight)[:, weight > 0.0], axis=-1)[:, ::-1]
    top = max(1, round(LARGEST * squares.shape[-1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nan_to_num(squares[:, :top].sum(axis=-1) / squares.sum(axis=-1)).max())


# ----------------------------------------------------------------------------------------------
# What a reader of a comparison should know, in numbered remarks that cite their source.
# ----------------------------------------------------------------------------------------------


LARGEST_GAPS, MOST_OF_IT = (
    0.05,
    0.65,
)  # of normal errors the largest 5 % make up half of the squares
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
    if found.by == "row":
        yield Advice("AC141", "cases were paired by row; name them with id to be sure.")
    if found.by == "none":
        yield _on_different_cases(found)
    if any(row.model is not None for row in rows):
        yield Advice("AC143", "differences between subgroups are of different cases, not paired.")
    yield from _on_dependent_pairs(list(found.models.values()), naive=naive)
    yield from _on_order(found)
    if any(row.interval is not None for row in rows):
        yield from _on_size_of_pairs(found, measures)
        yield from _on_few_that_vary(_cases_of_models(found), measures, compared=True)
        yield from _on_heavy_tails(found, measures)
        yield from _on_sure_calls_of_pairs({None: found.models}, rows, measures)
        yield from _on_distances(rows, measures)
        yield from _on_few_calls(found.models, measures)
        each = (_on_series(p, compared=True) for p in found.models.values())
        yield from islice(chain.from_iterable(each), 1)
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


def _on_size_of_pairs(found: Matched, measures: Sequence[Measure]) -> Iterator[Advice]:
    """The model with the fewest cases of a class, of different cases; else any of them."""
    told = (few_cases(cases, measures) for _, cases in _cases_of_models(found))
    few = next((text for text in told if text), None)
    if few:
        yield Advice("AC158", few)


FEW_CALLS = 10


def _on_few_calls(models: Mapping[str, Any], measures: Iterable[Measure]) -> Iterator[Advice]:
    """Weighted differences of what is asked of the cases called a class, where these are few.

    Of 239 cases of which one to five were called positive, negatives sampled one in fifteen,
    differences of markedness covered .78 and of precision .88.
    """
    asked = [m for m in measures if of_table(m)]
    for name, p in models.items() if asked else ():
        weight = p.cases.sample_weight
        if weight is None or alike(weight[weight > 0]):
            continue
        label = labels_of(p)[weight > 0]
        calls = np.bincount(label, minlength=len(p.classes))
        few = np.flatnonzero((calls > 0) & (calls < FEW_CALLS))
        told = {k: [m.title for m in asked if _of_calls(m, len(calls))[k]] for k in few.tolist()}
        for k, titles in told.items():
            if titles:
                number = _counted(int(calls[k]), "case")
                yield Advice(
                    "AC165",
                    f"model {name!r} calls {number} {str(p.classes[k])!r}: "
                    f"with sampling weights, differences of {listed(titles)} may cover less than "
                    "they say (.78 to .93 with one to five).",
                )
                return


@cache
def _of_calls(measure: Measure, classes: int) -> Any:
    """Whether a measure is of the cases called a class, class by class: precision, markedness."""
    none = np.zeros(classes, dtype=np.bool_)
    if measure.prevalence_free:
        return none
    table = np.arange(1.0, classes**2 + 1).reshape(classes, classes) + 3.0 * np.eye(classes)
    often = table * np.arange(1.0, classes + 1)  # every class called so many times as often
    value, other = float(measure.on_counts(table)), float(measure.on_counts(often))
    if not np.isclose(value, other, rtol=1e-9, atol=1e-12):
        return none
    share = as_share(measure, classes)
    return ~none if share is None else np.any(share.inside, axis=0)


def _cases_of_models(found: Matched) -> Iterator[tuple[str, Predictions]]:
    return ((name, expanded(one_run(p))) for name, p in found.models.items())


def _on_heavy_tails(found: Matched, measures: Sequence[Measure]) -> Iterator[Advice]:
    """Few cases that make up most of the differences of losses: means of them are hardly known."""
    first, *others = found.models.values()
    if found.by == "none" or not others or first.origin != "test":
        return
    heavy: dict[str, float] = {}
    top = max(1, round(LARGEST_GAPS * first.n))
    for measure in measures:
        if measure.law is not Law.MEAN or measure.form is not Form.LOSSES:
            continue
        for one, other in combinations(found.models.values(), 2):
            gaps = contributions(measure, one, other)
            if not np.isfinite(gaps).all() or not np.ptp(gaps) > 0:
                continue
            gaps = gaps / np.abs(gaps).max()  # squares of the least and largest numbers are none
            off = np.abs(gaps - gaps.mean())
            if not off.max() > 0:
                continue
            squares = np.sort((off / off.max()) ** 2)[::-1]
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


def _on_sure_calls_of_pairs(
    parts: Mapping[Any, Mapping[str, Predictions]],
    rows: Sequence[Difference],
    measures: Sequence[Measure],
) -> Iterator[Advice]:
    """Differences whose limits two wrong calls among the surest of a model would lead beyond."""
    known = {m.label: m for m in measures}

    @cache
    def cases(by: str | None, name: str) -> tuple[Predictions, Sample | None]:
        part = expanded(one_run(parts[by][name]))
        return part, with_sure_errors(part)

    @cache
    def move(label: str, by: str | None, name: str) -> float:
        return _moved(known[label], *cases(by, name))

    some = [
        row
        for row in rows
        if row.model is None
        and row.by in parts
        and row.interval is not None
        and not row.identical
        and _led_beyond(
            row.interval,
            row.difference,
            move(row.measure, row.by, row.first),
            -move(row.measure, row.by, row.second),
        )
    ]
    if some:
        yield Advice(
            "AC163",
            f"{_named(some)}: {SURE_CALLS} (differences of log scores .74 to .85 of .95 with 150 "
            "cases).",
        )


def _on_dependent_pairs(models: Sequence[Any], *, naive: bool) -> Iterator[Advice]:
    origin, cases = (getattr(models[0], name, None) for name in ("origin", "cases"))
    origin = origin or "test"
    if origin != "test" and naive:
        yield Advice(
            "AC145",
            "the t-test over folds treats folds as independent; training sets overlap, and it "
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
    held = [(p, p.cases.groups) for p in models if p.cases.groups is not None]
    if origin == "test":
        told = (few_clusters(p, groups) for p, groups in held)
        few = next((text for text in told if text), None)
        if few:
            yield Advice(
                "AC146",
                f"{few.removesuffix('.')}, and tests may find differences that are not there.",
                "Cameron & Miller (2015)",
            )
    if any(p.cases.sample_weight is not None for p in models):
        yield Advice(
            "AC147",
            "sampling weights: differences are weighted and have intervals; tests that count cases "
            "are not given.",
        )


def _on_order(found: Matched) -> Iterator[Advice]:
    """Cases in time order that tell little; cases of unstated order whose neighbours are alike."""
    first, *others = found.models.values()
    if found.by == "none" or not others or first.cases.sample_weight is not None:
        return
    order = first.cases.order
    pairs = (_loss_differences(first, other) for other in others)
    known = [gaps for gaps in pairs if gaps is not None and len(gaps) > 1 and np.ptp(gaps) > 0]
    if order is not None:
        with suppress(NotApplicable):
            if any(cosines(gaps, order).few for gaps in known):
                yield Advice(
                    "AC157",
                    "differences are so much alike from one time to the next that many times "
                    "count as few independent cases: tests and intervals may not hold.",
                    "Lazarus et al. (2018)",
                )
        return
    if first.origin != "test" or first.cases.groups is not None or _sorted(first):
        return
    if any(autocorrelated(gaps) < NOTICED for gaps in known):
        yield Advice(
            "AC156",
            "neighbouring rows differ alike, as cases in time order do, and tests and intervals "
            "treat them as independent: state the order with order= (--order), or clusters with "
            "groups= (--groups).",
            "Diebold & Mariano (1995)",
        )


def _loss_differences(first: Any, second: Any) -> Any:
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


def _on_distances(rows: Sequence[Difference], measures: Sequence[Measure]) -> Iterator[Advice]:
    """Distances are greater than 0 by chance alone, and not by as much in both models."""
    distances = {m.label for m in measures if not has_interval(m)}
    some = [row for row in rows if row.measure in distances and row.interval is not None]
    if some:
        yield Advice(
            "AC161",
            f"{_named(some)}: chance makes distances greater than they are, and more so the nearer "
            "a model is to right: intervals of their differences may cover less than they say "
            "(.85 of .95 where the models hardly differ).",
            "Roelofs et al. (2022)",
        )


def _on_tests(rows: Sequence[Difference], level: float) -> Iterator[Advice]:
    alpha = 1.0 - level
    stuck = [row for row in rows if row.least_p is not None and row.least_p > alpha]
    if stuck:
        least = min(float(row.least_p or 1.0) for row in stuck)
        names = listed([f"{r.measure} of {r.first} and {r.second}{_where([r])}" for r in stuck], 3)
        yield Advice(
            "AC148",
            f"too few cases or clusters differ for p to fall below {alpha:g} ({names}): the "
            f"smallest attainable p is {least:.3g}.",
        )
    student = [row for row in rows if _few_of_a_class(row.test_by or {})]
    if student:
        yield Advice(
            "AC149",
            f"the smaller class has fewer than 50 cases{_where(student)}: DeLong's test is "
            "referred to Student's t, as the normal distribution finds too many differences there.",
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
    """The measures of rows, once each, and the subgroups they are of."""
    return listed(list(dict.fromkeys(row.measure for row in rows)), 3) + _where(rows)


def _where(rows: Sequence[Estimate] | Sequence[Difference]) -> str:
    """Which subgroups rows are of; nothing where all are of all cases."""
    if all(row.by is None for row in rows):
        return ""
    names = dict.fromkeys("all cases" if row.by is None else row.by for row in rows)
    return f" in {listed(list(names), 8)}"
