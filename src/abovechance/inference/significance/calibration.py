"""Did outcomes happen as often as predicted? Tests of the hypothesis that probabilities are right.

The hypothesis is Y ~ Bernoulli(p), case by case and independently: it says everything about the
outcomes, so what any calibration error would be under it can be simulated.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable
from abovechance.inference.method import (
    Fact,
    Kind,
    Takes,
    answer,
    checked,
    facts_of,
    first_of,
    suited,
    test,
)
from abovechance.inference.results import Result, Test
from abovechance.inference.significance.association import Draws
from abovechance.measures import Calibration, Law, Measure, find
from abovechance.measures.calibration import decile_groups
from abovechance.measures.evaluation import fit
from abovechance.measures.sample import Sample, evaluate
from abovechance.numerics.exact import never_zero
from abovechance.numerics.recalibration import (
    line,
    line_log_likelihood,
    log_likelihood,
    log_odds,
    shift,
)
from abovechance.predictions import Binary, Multiclass
from abovechance.resampling import Resampling, seed_of, tail

RIGHT = "outcomes happen with the predicted probabilities, independently"
DRAWS = 999
PLACES = 2000  # where a curve is compared with the diagonal when there are more cases
LINE_OF = {  # what of the recalibration line a measure's test asks
    Calibration.INTERCEPT: "intercept",
    Calibration.SLOPE: "slope",
    Calibration.LEVEL: "in_the_large",
    Calibration.RATIO: "in_the_large",
    Calibration.DIFFERENCE: "in_the_large",
}


@dataclass(frozen=True, kw_only=True)
class CalibrationError(Result, kind="calibration_error"):
    """A calibration error beside what chance alone makes of right probabilities.

    `debiased` is the value less what is expected of right probabilities; it may be negative.
    """

    measure: str
    value: float
    expected: float
    debiased: float
    test: Test

    def __str__(self) -> str:
        return f"{self.measure} {self.value:.3f}; {remark(self)}; {self.test}"


def remark(error: CalibrationError) -> str:
    """Value and expectation in words."""
    return f"{error.expected:.3f} expected if right, {error.debiased:+.3f} beyond"


def calibration(
    predictions: Binary | Multiclass,
    measure: Measure | str = "ece",
    *,
    draws: int = DRAWS,
    rng: Any = None,
    workers: int = 1,
) -> CalibrationError:
    """Test whether probabilities are right, by a calibration error.

    Outcomes are simulated from the probabilities, and the error of the observed ones is compared
    with theirs. There is no interval: resampling cases always gives distances greater than 0, so
    that limits would never cover a true value of 0.

    Parameters
    ----------
    predictions
        Probabilities of classes, made with `Binary` or `Multiclass`.
    measure
        A calibration error or its name: "ece", "mce", "ici", "brier_miscalibration", …
    draws
        Number of simulated samples; 999 unless stated.
    rng
        Seed of the draws: a number, a numpy Generator, or None for a fresh seed each time.
    workers
        Number of processes to share the draws between, or an executor such as `Dask`; the results
        are the same.

    Returns
    -------
    CalibrationError
        The observed `value`, the one `expected` if probabilities are right, and the `test`.

    Raises
    ------
    NotApplicable
        If the measure cannot be simulated or is undefined here; for predictions pooled over folds,
        cases in time order, clusters and sampling weights.

    See Also
    --------
    likelihood_ratio : of the recalibration line; more powerful where probabilities are too extreme.
    abovechance.curves.calibration : where probabilities are wrong, and how far.

    References
    ----------
    Bröcker & Smith (2007), Increasing the reliability of reliability diagrams.

    Examples
    --------
    >>> from abovechance import examples
    >>> found = calibration(examples.breast_cancer("p_texture"), "ece", rng=1)
    >>> found.value, found.expected, found.test.p_value
    (0.082, 0.055, 0.025)
    """
    chosen = find(measure) if isinstance(measure, str) else measure
    chosen = fit(chosen, predictions)
    how = Draws(draws, Resampling(seed=seed_of(rng), workers=workers))
    found = simulated(predictions, [chosen], how)
    if chosen.label not in found:
        raise NotApplicable(f"{chosen.title} cannot be simulated or is undefined here.")
    return found[chosen.label]


def likelihood_ratio(predictions: Binary, hypothesis: str = "line") -> Test:
    """Test whether probabilities are right, by the line that would recalibrate them.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.
    hypothesis
        "line": intercept 0 and slope 1, both at once; "in_the_large": intercept 0, the slope being
        1; "slope": slope 1, whatever the intercept; "intercept": intercept 0, whatever the slope.

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    NotApplicable
        For an unknown hypothesis, or where the line is not defined: all probabilities equal, or the
        classes separated; for predictions pooled over folds, cases in time order, clusters and
        sampling weights.

    See Also
    --------
    abovechance.intervals.recalibration : the interval that goes with it.

    References
    ----------
    Cox (1958); Miller, Hui & Tierney (1991).

    Examples
    --------
    >>> from abovechance import examples
    >>> likelihood_ratio(examples.breast_cancer("p_texture")).p_value
    0.203
    """
    from scipy.special import chdtrc

    words = {
        "line": "intercept 0 and slope 1 of the recalibration line",
        "in_the_large": "intercept 0 where the slope is 1",
        "slope": "slope 1 of the recalibration line, whatever its intercept",
        "intercept": "intercept 0 of the recalibration line, whatever its slope",
    }
    if hypothesis not in words:
        raise NotApplicable(f"hypothesis must be one of {', '.join(words)}; got {hypothesis!r}.")
    predictions = _checked(predictions, "likelihood_ratio")
    y, x, weight = _told(predictions)
    shifted, free = float(shift(y, x, None, weight)), line(y, x, weight)
    at = {
        "given": float(log_likelihood(y, x, weight)),
        "shifted": 0.0 if np.isinf(shifted) else float(log_likelihood(y, x + shifted, weight)),
    }
    if hypothesis != "in_the_large":
        if np.isnan(free.slope):
            raise NotApplicable("the recalibration line is not defined here, so it is not tested.")
        at["free"] = line_log_likelihood(free, y, x, weight)
    if hypothesis == "intercept":
        if np.isinf(free.slope):
            raise NotApplicable("the classes are separated, so the intercept is not defined.")
        turned = float(shift(y, np.zeros_like(x), x, weight))
        at["turned"] = float(log_likelihood(y, turned * x, weight))
    lower, upper, df = {
        "line": ("given", "free", 2),
        "in_the_large": ("given", "shifted", 1),
        "slope": ("shifted", "free", 1),
        "intercept": ("turned", "free", 1),
    }[hypothesis]
    statistic = max(0.0, 2.0 * (at[upper] - at[lower]))
    return answer(
        "likelihood_ratio",
        statistic=statistic,
        p_value=never_zero(chdtrc(df, statistic)),
        alternative="two-sided",
        hypothesis=words[hypothesis],
        df=df,
    )


@test(
    title="Hosmer–Lemeshow[, χ² on {df} df]",
    words="Hosmer and Lemeshow's test[ (χ² on {df} df)]",
    source="hosmer1980",
    hypothesis=RIGHT,
    laws=[Law.CALIBRATION],
    takes=Takes.PARTS,
)
def hosmer_lemeshow(
    predictions: Binary,
    *,
    groups: int = 10,
    fitted: bool = False,
    method: str = "simulated",
    draws: int = DRAWS,
    rng: Any = None,
) -> Test:
    """Hosmer and Lemeshow's test whether probabilities are right, in groups of rising probability.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.
    groups
        Number of groups; 10 unless stated.
    fitted
        Whether a logistic model was fitted to these very cases; False for predictions of new ones.
    method
        "simulated": outcomes are drawn from the probabilities; "chi2": χ² on as many degrees of
        freedom as there are groups, which rejects right probabilities too often where a group
        expects few events. For fitted cases, which the model has followed, it is χ² on two degrees
        of freedom fewer.
    draws
        Number of simulated samples; 999 unless stated.
    rng
        Seed of the draws: a number, a numpy Generator, or None for a fresh seed each time.

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    NotApplicable
        For an unknown method, or when the groups leave no degree of freedom; for predictions pooled
        over folds, cases in time order, clusters and sampling weights.

    See Also
    --------
    likelihood_ratio : does not depend on groups.

    References
    ----------
    Hosmer & Lemeshow (1980); Hosmer, Lemeshow & Sturdivant (2013), section 5.2.

    Examples
    --------
    >>> from abovechance import examples
    >>> hosmer_lemeshow(examples.breast_cancer("p_texture"), rng=1).p_value
    0.15
    """
    from scipy.special import chdtrc

    predictions = _checked(predictions, "hosmer_lemeshow")
    assert predictions.probability is not None
    measure = find("hosmer_lemeshow").with_parameters(groups=groups)
    statistic = measure.of(predictions)
    common: dict[str, Any] = {
        "statistic": statistic,
        "alternative": "greater",
        "hypothesis": RIGHT,
    }
    if method not in ("simulated", "chi2"):
        raise NotApplicable(f"method must be 'simulated' or 'chi2'; got {method!r}.")
    if method == "simulated" and not fitted:
        how = Draws(draws, Resampling(seed=seed_of(rng)))
        null = how.null(_Simulated(predictions, (measure,)), draws, predictions.n)
        found = tail(statistic, null[measure.label])
        return answer("calibration", **common, p_value=found.p_value, draws=found.draws)
    y = predictions.positive.astype(np.float64)
    kept = len(decile_groups(y, predictions.probability, groups)[0])
    df = kept - 2 if fitted else kept
    if df < 1:
        raise NotApplicable(f"{kept} groups leave no degree of freedom; take more groups.")
    p = never_zero(chdtrc(df, statistic))
    return answer("hosmer_lemeshow", **common, p_value=p, df=df)


def spiegelhalter(predictions: Binary) -> Test:
    """Spiegelhalter's test whether the Brier score is what right probabilities give, two-sided.

    The p-value is `nan` where every probability is 0, 1/2 or 1.

    Parameters
    ----------
    predictions
        Probabilities of two classes, made with `Binary`.

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    NotApplicable
        For predictions pooled over folds, cases in time order, clusters and sampling weights.

    See Also
    --------
    likelihood_ratio : tests the line of recalibration.

    References
    ----------
    Spiegelhalter (1986).

    Examples
    --------
    >>> from abovechance import examples
    >>> spiegelhalter(examples.breast_cancer("p_texture")).p_value
    0.037
    """
    return _standard(find("spiegelhalter_z"), predictions)


def _standard(measure: Measure, predictions: Binary) -> Test:
    """Of a score that is standard normal if the probabilities are right."""
    from scipy.special import erfc

    z = measure.of(_checked(predictions, "spiegelhalter"))
    return answer(
        "spiegelhalter",
        statistic=z,
        p_value=never_zero(erfc(abs(z) / np.sqrt(2.0))),
        alternative="two-sided",
        measure=measure.title,
    )


def simulated(
    predictions: Binary | Multiclass, measures: Sequence[Measure], draws: Draws
) -> dict[str, CalibrationError]:
    """Calibration errors beside those of outcomes simulated from the probabilities, by label."""
    predictions = _checked(predictions)
    fitted = tuple(fit(m, predictions) for m in measures)
    values = {m.label: m.of(predictions) for m in fitted}
    fitted = tuple(m for m in fitted if np.isfinite(values[m.label]))
    if not fitted:
        return {}
    total = DRAWS if draws.count is None else draws.count
    work = _Simulated(predictions, fitted)
    observed = work.observed()
    null = draws.null(work, total, predictions.n)
    found = {}
    for m in fitted:
        value = values[m.label]
        where = tail(observed[m.label], null[m.label])
        expected = float(null[m.label].mean())
        result = answer(
            "calibration",
            statistic=value,
            p_value=where.p_value,
            alternative="greater",
            draws=where.draws,
        )
        found[m.label] = CalibrationError(
            measure=m.label, value=value, expected=expected, debiased=value - expected, test=result
        )
    return found


def calibration_tests(
    predictions: Any, measures: Sequence[Measure], draws: Draws
) -> tuple[dict[str, Test], dict[str, str]]:
    """Tests of every calibration measure that has one, and remarks on errors, by label."""
    tests: dict[str, Test] = {}
    remarks: dict[str, str] = {}
    if not Sample.of(predictions).classes:
        return tests, remarks
    predictions = cast(Binary | Multiclass, _checked(predictions))
    first, facts = first_of(Kind.TEST, Law.CALIBRATION), facts_of(predictions)
    by = {m: next(suited(first, m, predictions, facts), None) for m in measures}
    errors = [m for m, method in by.items() if method is not None and method.name == "calibration"]
    for label, error in simulated(predictions, errors, draws).items():
        tests[label], remarks[label] = error.test, remark(error)
    for m, method in by.items():
        if method is None or m in errors:
            continue
        assert method.function is not None
        with suppress(NotApplicable):
            found = method.function(m, predictions, draws)
            if not np.isnan(found.p_value):
                tests[m.label] = found
    return tests, remarks


def _of_a_line(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return predictions.kind == "binary" and measure.calibration in LINE_OF


@test(
    name="likelihood_ratio",
    title="likelihood ratio[, χ² on {df} df]",
    words="a likelihood-ratio test[ (χ² on {df} df)]",
    source="cox1958",
    hypothesis="intercept 0 and slope 1 of the recalibration line",
    default=[Law.CALIBRATION],
    fits=_of_a_line,
    otherwise="spiegelhalter",
)
def of_line(measure: Measure, predictions: Binary, draws: Draws) -> Test:
    """What of the recalibration line a measure tells, by likelihood ratio."""
    assert measure.calibration is not None
    return likelihood_ratio(predictions, LINE_OF[measure.calibration])


def _of_a_score(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return predictions.kind == "binary" and measure.calibration is Calibration.SCORE


@test(
    name="spiegelhalter",
    title="[{measure}, ]normal, two-sided",
    words="[{measure}, ]a normal test, two-sided",
    source="spiegelhalter1986",
    hypothesis=RIGHT,
    laws=[Law.CALIBRATION],
    fits=_of_a_score,
    otherwise="calibration",
)
def of_score(measure: Measure, predictions: Binary, draws: Draws) -> Test:
    """A score that is standard normal if the probabilities are right."""
    return _standard(measure, predictions)


def _of_a_distance(measure: Measure, predictions: Any, facts: frozenset[Fact]) -> bool:
    return measure.calibration is Calibration.DISTANCE


@test(
    name="calibration",
    drawn=True,
    title="outcomes simulated from the probabilities",
    words="a test with outcomes simulated from the probabilities",
    source="dinga2019",
    hypothesis=RIGHT,
    laws=[Law.CALIBRATION],
    takes=Takes.MEASURES,
    fits=_of_a_distance,
)
def of_distances(predictions: Any, measures: Sequence[Measure], draws: Draws) -> dict[str, Test]:
    """Distances beside those of outcomes simulated from the probabilities."""
    return {label: error.test for label, error in simulated(predictions, measures, draws).items()}


def _checked(predictions: Any, test: str = "calibration") -> Any:
    """Cases whose outcomes may be taken for independent draws from the probabilities."""
    return checked(test, predictions, Kind.TEST)


def _told(predictions: Binary) -> tuple[Floats, Floats, Floats | None]:
    p, y = predictions.probability, predictions.positive
    assert p is not None
    if np.where(y, p == 0.0, p == 1.0).any():
        raise NotApplicable("something of predicted probability 0 happened: that refutes them.")
    inside = (p > 0.0) & (p < 1.0)
    if not inside.any():
        raise NotApplicable("every probability is 0 or 1 and came true; there is nothing to test.")
    weight = None if predictions.weight is None else predictions.weight[inside]
    return y[inside].astype(np.float64), log_odds(p[inside]), weight


@dataclass(frozen=True, eq=False)
class _Simulated:
    """Calibration errors of simulated outcomes, as work for blocks."""

    predictions: Binary | Multiclass
    measures: tuple[Measure, ...]

    def __call__(self, rng: np.random.Generator, size: int) -> dict[str, Array]:
        uniform = rng.random((size, self.predictions.n))
        columns = self._columns
        # class k where the uniform number falls between the sums of probabilities around it
        upto = np.cumsum(columns, axis=0)
        if len(columns) == 1:
            return self.errors(uniform < columns[0])
        return self.errors((uniform[:, None, :] * upto[-1] >= upto[None, :-1]).sum(axis=1))

    def errors(self, outcome: Array) -> dict[str, Array]:
        """Values for many outcomes (draws, n); the same curve serves several measures."""
        sample = Sample.of(self.predictions).observed(outcome)
        found: dict[str, Array] = {}
        shared: dict[tuple[Any, ...], Floats] = {}
        for m in self.measures:
            if m.distances is None or m.of_distances is None:
                found[m.label] = evaluate(m, sample)
                continue
            key = tuple(m.parameters.values())
            if key not in shared:
                shared[key] = m.distances(sample, self._places, **m.parameters)
            values = m.of_distances(shared[key])
            found[m.label] = values if values.ndim == 1 else values.mean(axis=-1)
        return found

    def observed(self) -> dict[str, float]:
        """The same for the outcomes as they are."""
        itself = self.errors(Sample.of(self.predictions).outcome[None])
        return {label: float(values[0]) for label, values in itself.items()}

    @property
    def _columns(self) -> Floats:
        """Probabilities, one row per class; of two classes that of the positive one."""
        return np.atleast_2d(Sample.of(self.predictions).column("probability"))

    @cached_property
    def _places(self) -> list[Floats] | Floats:
        """Where curves are compared: at every case, or at enough of them in order."""
        each = [_spread_out(p) for p in self._columns]
        return each[0] if len(each) == 1 else each


def _spread_out(p: Floats) -> Floats:
    if len(p) <= PLACES:
        return p
    return np.sort(p)[np.linspace(0, len(p) - 1, PLACES).astype(np.int64)]
