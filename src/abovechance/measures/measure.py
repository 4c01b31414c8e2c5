"""What a measure is: one frozen declaration, a pure formula with its facts above it."""

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, cached_property
from numbers import Real
from typing import Any, Self

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import NotApplicable, listed
from abovechance.errors import shown as quoted
from abovechance.gate import alternatives, as_number, fits, in_words
from abovechance.predictions import Predictions, View

# ----------------------------------------------------------------------------------------------
# Parameters of measures: of the kind the formula takes, and how they are shown.
# ----------------------------------------------------------------------------------------------


def fitted(owner: str, formula: Callable[..., Any], values: dict[str, Any]) -> dict[str, Any]:
    """Parameters as the formula takes them; refused where they are of another kind.

    >>> fitted("f_beta", lambda tp, *, beta: tp, {"beta": "two"})  # not annotated: anything fits
    {'beta': 'two'}
    """
    found = {}
    signature = inspect.signature(formula)
    for name, value in values.items():
        kinds = alternatives(signature.parameters[name].annotation)
        if inspect.Parameter.empty not in kinds and not any(fits(value, kind) for kind in kinds):
            raise NotApplicable(
                f"{name} of {owner} must be {in_words(kinds)}; got {quoted(value)}."
            )
        number = as_number(value, kinds)
        found[name] = value if number is None else number
        if hasattr(value, "dtype") and not np.isscalar(value):
            found[name] = list(value)  # arrays cannot be compared as one thing
    return found


def shown(value: Any) -> str:
    """A parameter in a measure's label.

    >>> shown(2.0), shown("linear"), shown(False)
    ('2', 'linear', 'False')
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    return f"{value:g}" if number else str(value)


def separate(text: str) -> list[str]:
    """Names separated by commas; commas inside brackets belong to a name.

    >>> separate("auc, expected_cost(1, 5)")
    ['auc', 'expected_cost(1, 5)']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


class Family(StrEnum):
    """Which question a measure answers."""

    CATEGORICAL = "categorical"
    RANK = "rank"
    QUADRATIC = "quadratic"
    INFORMATION = "information"
    CALIBRATION = "calibration"
    UTILITY = "utility"
    REGRESSION = "regression"
    SURVIVAL = "survival"


class Law(StrEnum):
    """How a measure varies from sample to sample; inference chooses its methods by this."""

    SHARE = "share of all cases"
    CONDITIONAL = "conditional share"
    BALANCED = "mean of shares"
    PAIRS = "pairs"
    CENSORED_PAIRS = "censored pairs"
    MEAN = "mean loss"
    UNKNOWN = "unknown"
    CALIBRATION = "calibration"
    UTILITY = "utility"


class Form(StrEnum):
    """What a formula takes, and so how a batch of resamples is evaluated."""

    LOSSES = "losses"  # (outcome, prediction) -> one loss per case, then a weighted mean
    COUNTS = "counts"  # (table (…, K, K)) -> (…)
    CLASS_RATIO = "class ratio"  # (tp, fp, fn, tn) -> numerator and denominator of each class
    CLASS_VALUE = "class value"  # (tp, fp, fn, tn) -> value of each class
    RANKS = "ranks"  # (Ranked) -> (…)
    PAIR_AUCS = "pair areas"  # (areas (…, K, K), prevalences (…, K)) -> (…)
    SAMPLE = "sample"  # (outcome, prediction, weight (…, n)) -> (…)
    DRAWS = "draws"  # (outcome, prediction, weight (n,)) -> number: needs index draws
    CENSORED = "censored"  # (Survival) -> number: needs index draws


class LabelScore(StrEnum):
    """The score whose sum over the positives a measure is monotone in, class sizes fixed."""

    LABEL = "label"
    MIDRANK = "midrank"
    PROBABILITY = "probability"
    LOGIT = "logit"


class Calibration(StrEnum):
    """What of calibration a measure tells; its interval and its test follow from this."""

    LEVEL = "in the large"
    INTERCEPT = "intercept"
    SLOPE = "slope"
    RATIO = "observed to expected"
    DIFFERENCE = "observed less expected"
    DISTANCE = "distance"  # greater than 0 by chance alone: simulated, no interval
    SCORE = "standard score"  # normal if probabilities are right


class Statistic(StrEnum):
    """What a measure is a function of beside class counts, so that a summary of cases suffices."""

    SQUARES = "mean squared error of probabilities"
    LOGS = "mean log probability"
    CLASS_MEANS = "mean probability of each class"
    DECISIONS = "counts at the measure's own threshold"
    MOMENTS = "means, variances and covariance of numbers"
    LARGEST = "largest error"


class Errors(StrEnum):
    """What of the absolute errors of numbers a measure is, but for what `after` does to it."""

    MEAN = "mean"
    LOGS = "mean logarithm of one more"
    RELATIVE = "mean share of the outcome"
    MEDIAN = "median"
    LARGEST = "largest"


Formula = Callable[..., Any]
Chance = Callable[[Predictions, "Measure"], float]


@dataclass(frozen=True, eq=False, kw_only=True)
class Measure:
    """A number that judges predictions: a formula and the facts about it.

    Call it with arrays (`brier(y, p)`) or predictions; `measure` declares one above its formula.

    Attributes
    ----------
    name, title
        Its name in code, and in words.
    formula
        The function itself; it checks nothing.
    form
        What the formula takes, and so how resamples are evaluated.
    family
        Which question it answers.
    reads
        What it reads of the predictions.
    range, best
        The smallest and largest value, and that of perfect predictions.
    law
        How it varies from sample to sample, by which its interval and its tests are chosen.
    source
        Where the formula stands.
    attainable
        Whether perfect predictions reach `best` in any sample.
    chance
        The mean over all orders of the outcomes, where it cannot be told from the formula.
    reference
        What a prediction that is the same for every case scores at best.
    aliases
        Other names that `find` knows it by.
    outcomes
        The kinds of outcome that it is for.
    directed
        Whether it matters which class is positive.
    averages, average, macro_law
        Whether it is averaged over classes, how this version was, and the law of the mean.
    after
        What is done to the mean of the losses, such as taking the root.
    many_outputs
        Whether it is for several outputs together.
    weighted
        Whether cases can have weights.
    terms
        What each case adds to a mean once all outcomes are given, of what is no mean of losses.
    smooth
        Whether every case moves the value a little, as it does not with a quantile.
    extreme
        Whether chance alone makes it greater than it is, so that no interval would cover.
    calibration
        What of calibration it tells.
    takes_batches
        Whether a formula that needs index draws takes batches of outcomes and predictions.
    of_top_label
        Whether, of several classes, the formula takes whether the most probable one was right, and
        its probability, in place of all classes.
    distances, of_distances, resampled_distances, curve
        The distances between a calibration curve and the diagonal, the value from them, those of
        resamples, and the curve where it is linear in the outcomes.
    grouping, of_groups
        The group of every case by its probability, and the value from cases, observed and expected
        positives of the groups.
    influence
        How much each case moves the value, where there is a closed form.
    permuted
        Of censored times: the values with outcomes in many other orders at once.
    shuffled_limit
        Of ranks: its law when outcomes are shuffled among many cases.
    slopes
        Of a function of a confusion table: its derivative by every cell; of areas of pairs of
        classes: by every area.
    prevalence_free
        Whether it stays the same when the classes become more or less frequent.
    label_score
        The score whose sum over the positives it is a monotone function of.
    pair_weight
        Of censored pairs: what a pair weighs, by its earlier case.
    monotone_in
        The mean loss that it is a monotone function of once the outcomes are given.
    on_scale
        Of cases that count one each: a scale, and the measure that it is of numbers on that scale.
    errors
        What of the absolute errors of numbers it is.
    null_spread
        Of numbers: its standard deviation over all orders of the outcomes, where nearly normal.
    shortcut
        The value from what predictions keep in store, where that is faster.
    swept
        What the compiled bootstrap of sorted cases calls it, where that computes it.
    sufficient
        The statistic that a summary of a stream holds and that suffices for the value.
    multiclass
        Its version for more than two classes, when that is another formula.
    undefined
        When there is no value, in words.
    parameters
        The parameters of the formula, with their values.
    listed
        Whether it is computed when no measure is named.
    dialect
        The package whose variant it is; empty for the formula of its source.
    origin
        The module and the name under which it was declared.

    See Also
    --------
    find : a measure by its name.
    abovechance.measure : declares one.

    Examples
    --------
    >>> from abovechance.measures import brier
    >>> brier([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9]), brier.higher_is_better
    (0.085, False)
    """

    name: str
    title: str
    formula: Formula
    form: Form
    family: Family
    reads: View
    range: tuple[float, float]
    best: float
    law: Law
    source: str
    attainable: bool = True
    # the mean over all orders of the outcomes, where `shuffled` cannot tell it from the formula
    chance: Chance | None = None
    # what a prediction that is the same for every case scores at best
    reference: Chance | None = None
    aliases: tuple[str, ...] = ()
    outcomes: frozenset[str] = frozenset({"binary", "multiclass"})
    directed: bool = False
    averages: bool = False
    average: str | None = None
    macro_law: Law = Law.UNKNOWN
    after: Callable[[Any], Any] | None = None
    many_outputs: bool = False
    weighted: bool = True
    # (predictions, **parameters) -> what each case adds to a mean once all outcomes are given, of
    # what is no mean of losses
    terms: Callable[..., Floats] | None = None
    # whether every case moves the value a little, as it does not with a quantile: what is not
    # smooth is resampled, for leaving out a case says nothing of it
    smooth: bool = True
    # a largest distance, which chance alone makes greater than it is: no interval would cover
    extreme: bool = False
    calibration: Calibration | None = None
    # of a formula that needs index draws: whether it takes batches of outcomes and predictions
    # (…, n) all the same, one row of weights at a time
    takes_batches: bool = False
    # (sample, **parameters) -> distances (…, n) of a calibration curve from the diagonal, which
    # measures share, and what a measure makes of them
    distances: Callable[..., Floats] | None = None
    of_distances: Callable[[Floats], Floats] | None = None
    # (sample, counts (B, n), **parameters) -> the distances of resamples, one after the other
    resampled_distances: Callable[..., Any] | None = None
    # (sample, **parameters) -> the smoother of that curve; None where it is not linear
    curve: Callable[..., Any] | None = None
    # whether, of several classes, a formula takes the most probable one: was it right, how probable
    of_top_label: bool = False
    # (probability, **parameters) -> the group of every case, None where a border may divide one;
    # (cases, observed, expected), each (…, groups), -> the value
    grouping: Callable[..., Any] | None = None
    of_groups: Callable[[Floats, Floats, Floats], Floats] | None = None
    # (outcome, prediction, **parameters), of censored times (predictions, **parameters) -> how much
    # each case moves the value, the derivative by its share
    influence: Callable[..., Floats] | None = None
    # of censored times: (predictions, orders (draws, n), **parameters) -> values (draws,) where
    # each case has the outcome that its order says; None where only the formula itself tells
    permuted: Callable[..., Floats | None] | None = None
    # of ranks: (sizes of groups of equal scores, ascending, positives, **parameters) -> its law
    # when outcomes are shuffled, with a `mean` and a `tail`; None where cases are too few for it
    shuffled_limit: Callable[..., Any] | None = None
    # of a formula that takes a table: (table (…, K, K), **parameters) -> its derivative by every
    # cell, where that is known without trying each of them; of areas (areas, shares, **parameters)
    slopes: Callable[..., Floats] | None = None
    prevalence_free: bool = False
    label_score: LabelScore | None = None
    # of censored pairs: what a pair weighs, by its earlier case; None where all weigh the same
    pair_weight: Callable[..., Floats] | None = None
    # the mean loss that it is a monotone function of once the outcomes are given, with the usual
    # `reference` where it has one: models of equal mean loss have equal values
    monotone_in: str = ""
    # (scale of all outcomes or all predictions, name): it is that measure of both on the scale
    on_scale: tuple[Callable[[Floats], Floats], str] | None = None
    errors: Errors | None = None
    # (outcome, value) -> its standard deviation over all orders of the outcomes; None where ties
    # leave the law of it too far from a normal one
    null_spread: Callable[[Floats, Floats], float | None] | None = None
    shortcut: Callable[[Any], float] | None = None
    # what the compiled bootstrap of sorted cases calls it, where it computes it directly
    swept: str | None = None
    # the sufficient statistic that summaries of streams hold; None where they need the cases
    sufficient: Statistic | None = None
    multiclass: "Measure | None" = None
    undefined: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    listed: bool = True
    dialect: str = ""
    origin: tuple[str, str] = ("", "")

    @cached_property
    def higher_is_better(self) -> bool | None:
        """Direction, from range and best; None when the best lies between the extremes."""
        if self.best == self.range[1]:
            return True
        return False if self.best == self.range[0] else None

    @property
    def decomposable(self) -> bool:
        """Whether the value is a mean of one loss per case."""
        return self.form is Form.LOSSES

    @property
    def needs_index_draws(self) -> bool:
        """Whether resamples cannot be evaluated as weights on the cases."""
        return self.form in (Form.DRAWS, Form.CENSORED)

    @cached_property
    def label(self) -> str:
        """The name with the parameters that were set: `f_beta(2)`."""
        if not self.parameters or self.parameters == defaults(self.formula):
            return self.name
        return f"{self.name}({', '.join(shown(v) for v in self.parameters.values())})"

    @property
    def heading(self) -> str:
        """The title with the parameters that were set: `F-beta (beta=2)`."""
        usual = defaults(self.formula)
        changed = [f"{k}={shown(v)}" for k, v in self.parameters.items() if v != usual[k]]
        return f"{self.title} ({', '.join(changed)})" if changed else self.title

    @property
    def doc(self) -> str:
        """Formula, meaning and source; first what this version does differently."""
        own, declared = inspect.getdoc(self.formula) or "", _declared(*self.origin).formula
        if self.formula is declared:
            return own
        return "\n\n".join(filter(None, (own, inspect.getdoc(declared))))

    @property
    def __name__(self) -> str:
        return self.name

    @classmethod
    def meant(cls, given: Any, *, several: bool = False) -> Any:
        """The measure that users mean by what they give; of several, what names them."""
        from abovechance.measures.catalogue import find, named

        if not several:
            return find(given)
        if given is not None:
            given = given if isinstance(given, str | Measure) else named(given)
        return given

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """The value for arrays (truth first, prediction second), or the measure with parameters.

        `f_beta(y, yhat, beta=2)` is a number; `f_beta(2)` and `f_beta(beta=2)` are measures.
        """
        from abovechance.measures.as_function import array_names, call

        for name in array_names(self)[len(arrays) :]:
            if name not in options:
                break
            arrays = (*arrays, options.pop(name))
        return call(self, arrays, options)

    def of(self, predictions: Predictions) -> float:
        """The value for predictions, `nan` where it is undefined."""
        from abovechance.measures.evaluation import value

        return value(self, predictions)

    def batch(self, predictions: Predictions, weights: Floats) -> Floats:
        """The values under many weightings of the cases, one per row of `weights`."""
        from abovechance.measures.evaluation import batch

        return batch(self, predictions, weights)

    def losses(self, predictions: Predictions) -> Floats:
        """One loss per case, whose (weighted) mean is the value."""
        from abovechance.measures.evaluation import losses

        return losses(self, predictions)

    def on_counts(self, table: Array) -> Floats:
        """The values of confusion tables (…, K, K), rows actual, the positive class last."""
        from abovechance.measures.evaluation import on_counts

        return on_counts(self, np.asarray(table, dtype=np.float64))

    def from_confusion(self, table: Any, *, labels: Any = None, pos_label: Any = None) -> float:
        """The value of one confusion table: rows actual, columns predicted."""
        from abovechance.measures.as_function import from_confusion

        return from_confusion(self, table, labels, pos_label)

    def scorer(self, *, pos_label: Any = None) -> Any:
        """A scorer for scikit-learn's `scoring=`, where greater is better: losses are negated."""
        from abovechance.measures.as_function import Scorer

        return Scorer(self, pos_label)

    def applies(self, predictions: Predictions) -> bool:
        """Whether the value can be computed from these predictions."""
        from abovechance.measures.evaluation import obstacle

        return obstacle(self, predictions) is None

    def with_parameters(self, **values: Any) -> Self:
        """The same measure with other parameters, a measure of its own."""
        known = defaults(self.formula)
        unknown = sorted(set(values) - set(known))
        if unknown:
            takes = f"it takes {listed(sorted(known))}" if known else "it takes none"
            raise NotApplicable(f"{self.name} has no parameter {unknown[0]!r}; {takes}.")
        values = fitted(self.name, self.formula, values)
        merged = {**self.parameters, **values}
        other = None if self.multiclass is None else self.multiclass.with_parameters(**values)
        quick = self.shortcut if merged == self.parameters else None
        return replace(self, parameters=merged, multiclass=other, shortcut=quick)

    def averaged(self, average: str) -> "Measure":
        """The average over classes: "macro", "micro" or "weighted", a measure of its own."""
        if not self.averages:
            raise NotApplicable(f"{self.name} is not an average over classes.")
        law = {"macro": self.macro_law, "micro": Law.SHARE}.get(average, Law.UNKNOWN)
        return replace(
            self,
            name=f"{self.name}_{average}",
            title=f"{self.title}, {AVERAGES[average]}",
            aliases=tuple(f"{alias}_{average}" for alias in self.aliases),
            average=average,
            averages=False,
            directed=False,
            prevalence_free=self.prevalence_free
            and average == "macro"
            and self.macro_law != Law.UNKNOWN,
            law=law,
            influence=None,
        )

    @cached_property
    def _macro(self) -> "Measure":
        return self.averaged("macro")  # always the same one, by which values are kept

    def for_outcome(self, kind: str) -> "Measure":
        """The version that applies to a kind of outcome."""
        if kind == "multiclass" and self.averages and self.average is None:
            return self._macro
        if kind == "multiclass" and self.multiclass is not None:
            return self.multiclass
        return self

    def __repr__(self) -> str:
        return f"<measure {self.label}>"

    def __reduce__(self) -> Any:
        return _restore, (
            *self.origin,
            self.name,
            self.average,
            self.dialect,
            dict(self.parameters),
        )


class _OfMeasure:
    """An attribute that `inspect` and `help` read: of a measure its own, of the class as ever."""

    def __init__(self, of: Callable[[Measure], Any], own: str | None = None) -> None:
        self.of, self.own = of, own

    def __get__(self, measure: Measure | None, owner: type) -> Any:
        if measure is not None:
            return self.of(measure)
        if self.own is None:
            raise AttributeError
        return self.own


def _page(measure: Measure) -> str:
    from abovechance.measures.as_function import page

    return page(measure)


def _signature(measure: Measure) -> inspect.Signature:
    from abovechance.measures.as_function import signature

    return signature(measure)


# after the class is made, for dataclass() reads some of them while it makes it
for _name, _attribute in {
    "__doc__": _OfMeasure(_page, Measure.__doc__),
    "__signature__": _OfMeasure(_signature),
    "__wrapped__": _OfMeasure(lambda measure: measure.formula),
}.items():
    setattr(Measure, _name, _attribute)


AVERAGES = {
    "macro": "mean over classes",
    "micro": "pooled over classes",
    "weighted": "mean over classes by prevalence",
}


def measure(
    *,
    title: str,
    form: Form,
    family: Family,
    reads: View,
    range: tuple[float, float],
    best: float,
    law: Law,
    source: str,
    multiclass: Formula | None = None,
    multiclass_facts: Mapping[str, Any] | None = None,
    **facts: Any,
) -> Callable[[Formula], Measure]:
    """Declare a measure above its formula; its name is the function's.

    What is declared decides everything else: which predictions it applies to, its interval, its
    test and its comparison, and what the command line and reports say of it.

    Parameters
    ----------
    title
        The name in words, as in a table: "Brier score".
    form
        What the formula takes, and so how resamples are evaluated; see `measures.Form`.
    family
        Which question the measure answers; see `measures.Family`.
    reads
        What it reads of the predictions: labels, scores, probabilities, …; see `measures.View`.
    range
        The smallest and the largest possible value.
    best
        The value of perfect predictions; whether higher is better follows from it.
    law
        How the value varies from sample to sample; see `measures.Law`. `Law.UNKNOWN` always holds.
    source
        Where the formula stands: author and year, with equation or section.
    multiclass
        The formula for more than two classes, when it is another one; the same when not given.
    multiclass_facts
        What else is declared differently for more than two classes.
    **facts
        Optional facts, the fields of `measures.Measure`: aliases, outcomes, chance, reference,
        undefined, directed, weighted, prevalence_free, influence, …

    Returns
    -------
    function
        A decorator that makes a `Measure` of the formula.

    See Also
    --------
    measures.Measure : all facts.
    measures.find : a measure by its name.

    Examples
    --------
    >>> from abovechance.measures import Family, Form, Law, View
    >>> @measure(title="Mean absolute distance", form=Form.LOSSES, family=Family.QUADRATIC,
    ...          reads=View.PROBABILITY, range=(0.0, 1.0), best=0.0, law=Law.MEAN, source="mine")
    ... def distance(outcome, probability):
    ...     "Distance between an outcome (0 or 1) and its predicted probability."
    ...     return abs(outcome - probability)
    >>> distance([0, 1, 1], [0.2, 0.7, 0.9])
    0.2
    >>> distance.higher_is_better
    False
    """

    def declare(formula: Formula) -> Measure:
        origin = (formula.__module__, formula.__name__)
        common = {
            "name": formula.__name__.rstrip("_"),
            "title": title,
            "family": family,
            "reads": reads,
            "range": range,
            "best": best,
            "law": law,
            "source": source,
            "origin": origin,
            **facts,
        }
        other = None
        if multiclass is not None:
            apart = {
                "label_score": None,
                "shortcut": None,
                "influence": None,
                "directed": False,
                "origin": (origin[0], f"{origin[1]}.multiclass"),
            }
            changes = {"form": form, **apart, **(multiclass_facts or {})}
            other = Measure(
                **{**common, **changes},
                formula=multiclass,
                parameters=defaults(multiclass),
            )
        return Measure(
            **common, form=form, formula=formula, parameters=defaults(formula), multiclass=other
        )

    return declare


@cache
def defaults(formula: Formula) -> dict[str, Any]:
    """The keyword-only parameters of a formula with their defaults."""
    return {
        name: p.default
        for name, p in inspect.signature(formula).parameters.items()
        if p.kind is p.KEYWORD_ONLY
    }


def _declared(module: str, path: str) -> Measure:
    """The declaration that a version of a measure goes back to."""
    return getattr(importlib.import_module(module), path.partition(".")[0])


def _restore(
    module: str,
    path: str,
    name: str,
    average: str | None,
    dialect: str,
    values: dict[str, Any],
) -> Measure:
    found = _declared(module, path)
    if dialect or name not in (found.name, f"{found.name}_{average}"):
        from abovechance.measures.catalogue import find

        found = find(name, dialect=dialect or None)
    elif average is not None:
        found = found.averaged(average)
    elif path.endswith(".multiclass"):
        found = found.for_outcome("multiclass")
    return found.with_parameters(**values) if values else found
