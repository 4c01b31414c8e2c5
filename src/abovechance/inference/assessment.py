"""From predictions to every applicable measure, each with what is known about it: `assess`.

First what it is made of: subgroups, point values as rows, intervals and tests that share their
draws; the verb comes last.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Bools
from abovechance.errors import DataError, NotApplicable, listed, shown
from abovechance.format import magnitude, thousands
from abovechance.inference.arguments import predictions_given
from abovechance.inference.confusion_tables import Counted, TwoRecalls, counted, of_table
from abovechance.inference.folds import OverFolds, averages
from abovechance.inference.gains import gain_over
from abovechance.inference.goals import advice_on_goals, check, judge, stated
from abovechance.inference.influence import too_few_for_a_verdict
from abovechance.inference.interval_choice import (
    Shared,
    expanded,
    interval_by_law,
    requested_interval,
)
from abovechance.inference.method import (
    Fact,
    Kind,
    Method,
    every,
    facts_of,
    first_of,
    requested_methods,
    suited,
)
from abovechance.inference.miscalibration import calibration_tests, has_interval
from abovechance.inference.permutation import (
    ALL_LABELLINGS,
    ALL_SLOW,
    PERMUTATION,
    association,
    scheme_for,
)
from abovechance.inference.proportions import clopper_pearson
from abovechance.inference.remarks import advice_for, advice_on_primary, advice_on_subgroups
from abovechance.inference.results import Assessment, Estimate, Interval, Skill, Subgroup, Test
from abovechance.inference.shares import exact_interval_of_recalls
from abovechance.measures import Calibration, Form, Law, Measure, applicable, find, per_class
from abovechance.measures.calibration import remark_on
from abovechance.measures.catalogue import named
from abovechance.measures.chance_levels import shuffled
from abovechance.measures.evaluation import obstacle
from abovechance.measures.sample import COUNTING, Sample, left_out
from abovechance.measures.survival import time_of
from abovechance.measures.utility import at_threshold, labelling_threshold
from abovechance.predictions import (
    Multiclass,
    Predictions,
    View,
    checks,
)
from abovechance.predictions.checks import MOST_CASES, in_order_of
from abovechance.predictions.multiclass import (
    MOST_IN_TABLES,
    MOST_RESAMPLED,
    refuse_to_resample,
)
from abovechance.resampling import Store, digest
from abovechance.settings import QUICK, Settings, settled, share

# ----------------------------------------------------------------------------------------------
# Subgroups of the cases: their order, and how many cases and events each holds.
# ----------------------------------------------------------------------------------------------


def subgroup(by: str, predictions: Predictions) -> Subgroup:
    """The size of a subgroup."""
    return Subgroup(by=by, n=int(predictions.total), events=events(predictions))


def events(predictions: Any) -> int | None:
    """How many cases had the event; None where the outcome is no event."""
    happened, counts = predictions.happened, predictions.cases.counts
    if happened is None:
        return None
    return int(happened.sum() if counts is None else counts[happened].sum())


def in_order(labels: Any) -> list[str]:
    """Subgroups in the order of the numbers in their names, where all have one.

    >>> in_order(["30-44", "45+", "<30"]), in_order(["b", "a"]), in_order(["10", "9"])
    (['<30', '30-44', '45+'], ['a', 'b'], ['9', '10'])
    """
    names = sorted({str(label) for label in labels})
    numbers = [re.search(r"\d+(\.\d+)?", name) for name in names]
    if any(number is None for number in numbers):
        return names
    keys = [
        (float(number.group()), not name.lstrip().startswith(("<", "≤")), name)
        for number, name in zip(numbers, names, strict=True)
        if number is not None
    ]
    return [name for *_, name in sorted(keys)]


# ----------------------------------------------------------------------------------------------
# Point values as rows: of all cases, of each class, of each output.
# ----------------------------------------------------------------------------------------------


LINES = (Calibration.LEVEL, Calibration.INTERCEPT, Calibration.SLOPE)
CALIBRATION_OF_EACH_CLASS = ("calibration_in_the_large", "calibration_slope", "ece")
OF_EACH_CLASS = ("sensitivity", "specificity", "ppv", "npv", "f1")


def estimate(measure: Measure, predictions: Predictions, by: str | None = None) -> Estimate:
    """One measure of all cases: its value, its chance level, and why it is undefined if it is."""
    measure = measure.for_outcome(predictions.kind)
    value = measure.of(predictions)
    words = remark(measure, predictions, value)
    return Estimate(
        measure=measure.label,
        title=titled(measure, predictions),
        family=measure.family.value,
        value=value,
        time=time_of(measure, predictions),
        chance=shuffled(measure, predictions),
        reference=reference_level(measure, predictions),
        by=by,
        undefined=words if np.isnan(value) else None,
        remark=None if np.isnan(value) else words,
    )


def titled(measure: Measure, predictions: Predictions) -> str:
    """The title of a measure with all that its value depends on; a time by its number."""
    time = time_of(measure, predictions)
    if time is None:
        return measure.heading
    plain = replace(measure, parameters={**measure.parameters, "t": None}).heading
    return plain.replace("at a time", f"at time {time:g}")


def reference_level(measure: Measure, predictions: Predictions) -> float | None:
    """What the same prediction for every case would score here at best."""
    if measure.reference is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        level = measure.reference(predictions, measure)
    return None if np.isnan(level) else level


def remark(measure: Measure, predictions: Any, value: float) -> str | None:
    """Why a value is undefined or infinite, or what an average had to leave out."""
    line = measure.calibration in LINES and not np.isfinite(value)
    if line and predictions.kind == "binary" and View.PROBABILITY in predictions.views:
        return remark_on(predictions, value)
    if np.isnan(value):
        return measure.undefined or "not defined for these cases"
    if measure.parameters.get("t", 0) is None:
        times = getattr(predictions, "times", None)
        if times is not None and len(times) > 1:
            return f"the last of {len(times)} predicted times; {measure.name}(t) for another"
    if np.isinf(value) and measure.reads is View.PROBABILITY:
        return _impossible(predictions) or measure.undefined or None
    return left_out(measure, predictions)


def rows_per_class(
    measures: Sequence[Measure], predictions: Multiclass, by: str | None
) -> Iterator[Estimate]:
    """A row for each class, of the measures clinicians ask for."""
    wanted = {m.name for m in measures}
    for name in OF_EACH_CLASS:
        if not wanted & {name, f"{name}_macro"}:
            continue
        measure = find(name)
        values = per_class(measure, predictions)
        for label, value in zip(predictions.classes, values, strict=True):
            alone = predictions.against_rest(label)
            yield Estimate(
                measure=measure.name,
                title=measure.heading,
                family=measure.family.value,
                value=float(value),
                chance=shuffled(measure, alone),
                reference=reference_level(measure, alone),
                by=by,
                class_=str(label),
                undefined=measure.undefined if np.isnan(value) else None,
            )
    if predictions.probability is not None and any(m.law is Law.CALIBRATION for m in measures):
        for label in predictions.classes:
            alone = predictions.against_rest(label)
            for name in CALIBRATION_OF_EACH_CLASS:
                yield replace(estimate(find(name), alone, by), class_=str(label))


def _impossible(predictions: Predictions) -> str:
    """How many cases happened against all odds, in words; empty when none did."""
    given = Sample.of(predictions).probability_given
    cases = predictions.cases
    each = cases.counts if cases.counts is not None else np.ones(predictions.n)
    weighed = cases.sample_weight is None or cases.sample_weight > 0
    count = int(each[(given == 0) & weighed].sum())
    words = f"{count} case{'s' * (count != 1)} had an outcome of predicted probability 0"
    return words if count else ""


# ----------------------------------------------------------------------------------------------
# Intervals and tests of one assessment, gathered together so that they share their draws.
# ----------------------------------------------------------------------------------------------


POOLED = "cross-validated predictions depend on each other."
IN_ORDER = "cases are in time order."
CASE_CONTROL = (
    "classes sampled separately say nothing of whether probabilities are right where the classes "
    "are as frequent as stated."
)
NO_PREVALENCE = (
    "depends on how frequent the classes are, which a case-control sample does not show; "
    "state prevalence="
)

NO_WEIGHTED_FORM = "has no weighted form, which a stated prevalence needs"
INFINITE = "no interval: the value is infinite here"
NO_TEST = f"no test: with more than {MOST_RESAMPLED} classes only measures of labels have one"
TOO_MANY = (
    f"no interval and no test: with more than {MOST_RESAMPLED} classes only measures of labels and "
    "means of losses have them; join rare classes"
)


NO_LIMITS = {
    Calibration.DISTANCE: "no interval: none would cover a true 0.",
    Calibration.SCORE: "no interval: a test statistic.",
    None: "no interval: which aspect of calibration it measures is not declared.",
}


def _of_too_many_classes(predictions: Predictions, measures: Sequence[Measure]) -> list[Measure]:
    """Measures that take every pair of classes, or a curve of each, where classes are many."""
    if len(predictions.each_class) <= MOST_RESAMPLED:
        return []
    means = [m for m in measures if m.form is Form.LOSSES and m.law is Law.MEAN]
    return [m for m in measures if m.form not in COUNTING and m not in means]


@dataclass(frozen=True)
class Evidence:
    """What is known of each measure beyond its value, by label; and what was refused, and why."""

    intervals: dict[str, Interval] = field(default_factory=dict)
    tests: dict[str, Test] = field(default_factory=dict)
    skills: dict[str, Skill] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    chances: dict[str, float | None] = field(default_factory=dict)
    references: dict[str, float | None] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)
    asides: dict[str, str] = field(default_factory=dict)
    pooled: dict[str, float] = field(default_factory=dict)  # beside means over folds
    limits: dict[str, "Limits"] = field(default_factory=dict)  # the intervals, at any level

    @classmethod
    def gather(
        cls,
        predictions: Predictions,
        measures: Sequence[Measure],
        settings: Settings,
        *,
        rates: Mapping[str, float | str] = MappingProxyType({}),
        tests: bool = True,
    ) -> "Evidence":
        """All intervals and, unless told otherwise, tests that these predictions allow."""
        found = cls()
        prevalence = settings.prevalence
        if not settings.case_control and prevalence is not None:
            raise NotApplicable(
                "a stated prevalence is for classes that were sampled separately; leave it out, or "
                "say sampling='case-control' (--sampling case-control)."
            )
        if not (settings.inference or settings.case_control):
            return found
        cases = expanded(predictions)
        weighted = cases
        if settings.case_control:
            weighted = found._reweighted(cases, measures, prevalence)
        if not settings.inference:
            return found
        beyond = _of_too_many_classes(predictions, measures)
        found.asides.update({m.label: TOO_MANY for m in beyond})
        measures = [m for m in measures if m not in beyond]
        kept = [m for m in measures if m.label not in found.refused]
        without = [m for m in kept if not has_interval(m)]
        found.asides.update({m.label: NO_LIMITS[m.calibration] for m in without})
        facts = facts_of(cases) - {Fact.FOLDS}
        if predictions.origin != "test":
            facts |= {Fact.FOLDS}
        if settings.case_control:
            facts |= {Fact.CASE_CONTROL}
        shared = Shared.among(settings, weighted, kept)
        if facts & {Fact.ORDER, Fact.FOLDS}:
            found._dependent(cases, kept, shared, facts)
            why = IN_ORDER if Fact.ORDER in facts else POOLED
            if Fact.ORDER in facts:
                found.refused["p"] = "they assume independent cases, and these are in time order."
            if rates:
                found.refused["rate"] = f"{listed(list(rates))}: {why}"
            return found
        found._intervals(cases, kept, shared, facts)
        if not tests:
            return found
        calibrating = [m for m in measures if m.law is Law.CALIBRATION]
        others = [m for m in measures if m not in calibrating]
        if len(predictions.each_class) > MOST_RESAMPLED:  # a loss under each of many classes
            losses = [m for m in others if m.form not in COUNTING]
            found.asides.update({m.label: NO_TEST for m in losses})
            others = [m for m in others if m not in losses]
        found._tests(cases, others, settings)
        if not settings.case_control:
            found._calibration(cases, calibrating, settings)
        elif calibrating:
            found.refused["calibration"] = CASE_CONTROL
        if settings.exact:
            found._not_exact(cases)
        if settings.quick:
            found._undrawn(cases, others if "p" not in found.refused else (), settings)
            told = "calibration" in found.refused
            found._undrawn(cases, () if told else calibrating, settings)
        found.against(cases, measures, rates, settings)
        if cases.cases.groups is not None:
            # What is not tested would show the chance of another shuffle, blind to clusters.
            untested = [m.label for m in measures if m.label not in found.tests]
            found.chances.update(dict.fromkeys(untested))
        if cases.weight is None and not settings.case_control:
            found._skills(cases, kept, shared)
        return found

    def added_to(self, row: Estimate, measure: Measure) -> Estimate:
        """A row with its interval, test and skill."""
        label = measure.label
        if label in self.refused:
            return replace(
                row,
                value=float("nan"),
                chance=None,
                reference=None,
                undefined=self.refused[label],
                remark=None,
            )
        test = self.tests.get(label)
        value = self.values.get(label, row.value)
        said = [row.remark, self.remarks.get(label) or self.asides.get(label)]
        kept = list(filter(None, said))
        remark = "; ".join(kept if np.isfinite(value) else kept[:1]) or None
        changed = replace(
            row,
            value=value,
            chance=self.chances.get(label, row.chance),
            reference=self.references.get(label, row.reference),
            interval=self.intervals.get(label),
            skill=self.skills.get(label),
            remark=None if np.isnan(value) else remark,
        )
        if changed.skill is None:
            # a test that was left out would have had the chance of the row
            left = changed.chance is None and QUICK in self.asides.get(label, "")
            of = replace(changed, chance=row.chance) if left else changed
            changed = replace(changed, skill=gain_over(of, measure))
        if test is None:
            return changed
        tested = label in self.chances or test.expected is None
        return replace(
            changed,
            chance=changed.chance if tested else test.expected,
            p_value=test.p_value,
            alternative=test.alternative,
            hypothesis=test.hypothesis,
            test=test.method,
            test_by=test.by,
            draws=test.draws,
        )

    def _intervals(
        self,
        cases: Any,
        measures: Sequence[Measure],
        settings: Shared,
        facts: frozenset[Fact],
    ) -> None:
        """Each measure's interval: by the method asked for, else by law and facts of the data."""
        weighted, chosen = settings.predictions, settings.chosen(Kind.INTERVAL)
        by_rows = weighted.weight is not None or Fact.CASE_CONTROL in facts
        values = {m.label: m.of(weighted) for m in measures if has_interval(m)}
        bounded = [m for m in measures if m.label in values and _bounded(m, values[m.label])]
        settings.needed.update(
            m.label
            for m in bounded
            if np.isfinite(values[m.label])
            and not of_table(m)
            and (by_rows or _resampled(m, cases))
        )
        infinite = [m for m in measures if of_table(m) and np.isinf(values.get(m.label, 0.0))]
        self.asides.update({m.label: INFINITE for m in infinite})
        for m in bounded:
            # a prevalence that was set by sampling is nothing to what does not depend on it
            free = m.prevalence_free and cases.weight is None
            own = facts - {Fact.CASE_CONTROL} if free else facts
            limits = Limits(m, cases, settings, own, values[m.label], chosen.get(m.label))
            try:
                self.intervals[m.label] = limits(settings.level)
                self.limits[m.label] = limits
            except NotApplicable as reason:
                self.asides[m.label] = f"no interval: {reason}"

    def _tests(self, cases: Any, measures: Sequence[Measure], settings: Settings) -> None:
        chosen = settings.chosen(Kind.TEST)
        laws = {law for method in every(Kind.TEST) for law in method.default}
        testable = [m for m in measures if m.law in laws or m.label in chosen]
        try:
            found = association(cases, testable, settings)
        except NotApplicable as reason:
            self.refused["p"] = str(reason)
            return
        self.tests.update(found)
        if testable and not found and cases.one_class:
            self.refused["p"] = "only one class was observed."

    def _calibration(self, cases: Any, measures: Sequence[Measure], settings: Settings) -> None:
        if not measures:
            return
        try:
            tests, remarks = calibration_tests(cases, measures, settings)
            self.tests.update(tests)
            self.remarks.update(remarks)
        except NotApplicable as reason:
            self.refused["calibration"] = str(reason)

    def against(
        self,
        cases: Any,
        measures: Sequence[Measure],
        rates: Mapping[str, float | str],
        settings: Settings,
    ) -> None:
        """Shares against rates stated beforehand, accuracy also against the largest class."""
        from abovechance.inference.shares import against

        untested: dict[str, list[str]] = {}
        absent = [label for label in rates if label not in {m.label for m in measures}]
        if absent:
            untested["it is not among what is assessed here."] = absent
        for m in measures:
            if m.label not in rates:
                continue
            try:
                if settings.case_control and not m.prevalence_free:
                    raise NotApplicable("depends on prevalence, which a case-control sample sets.")
                test, rate = against(m, cases, rates[m.label])
            except NotApplicable as reason:
                untested.setdefault(str(reason), []).append(m.label)
            else:
                self.tests[m.label], self.chances[m.label] = test, rate
        if untested:
            said = (f"{listed(labels)}: {reason}" for reason, labels in untested.items())
            self.refused["rate"] = " ".join(said)

    def _not_exact(self, cases: Any) -> None:
        """Which p-values are not exact although they were asked to be, and why."""
        drawn = [
            label
            for label, test in self.tests.items()
            if test.by.get("name") == PERMUTATION and "exact" not in test.by
        ]
        normal = [label for label, test in self.tests.items() if "approximation" in test.by]
        said = []
        if drawn:
            many = scheme_for(cases)[0].arrangements
            slow = f"{thousands(ALL_SLOW)} slow ones"
            limit = thousands(ALL_LABELLINGS) if many > ALL_LABELLINGS else slow
            said.append(
                f"{listed(drawn)}: {magnitude(many)} arrangements of the outcomes are more than "
                f"{limit}, so p is from random ones."
            )
        if normal:
            said.append(f"{listed(normal)}: too many cases to count rank sums.")
        if said:
            self.refused["exact"] = " ".join(said)

    def _undrawn(self, cases: Any, measures: Sequence[Measure], settings: Settings) -> None:
        """Which tests were left out because they draw, as their rows say it."""
        facts, chosen = facts_of(cases), settings.chosen(Kind.TEST)
        laws = {law for method in every(Kind.TEST) for law in method.default}
        for m in measures:
            method = chosen.get(m.label)
            if method is None and m.law in laws:
                method = next(suited(first_of(Kind.TEST, m.law, facts), m, cases, facts), None)
            if m.label in self.tests or np.isnan(m.of(cases)):
                continue
            if method is not None and method.drawn:
                said = self.asides.get(m.label, "")
                both = said == f"no interval: {QUICK}"
                own = f"no interval, no p: {QUICK}" if both else f"no p: {QUICK}"
                self.asides[m.label] = own if both or not said else f"{said.rstrip('.')}; {own}"

    def _skills(self, cases: Any, measures: Sequence[Measure], settings: Shared) -> None:
        """Gains over the reference, of measures whose law has a method for it."""
        for m in measures:
            several = len(getattr(cases, "outputs", ())) > 1
            if not several and cases.n >= 2 and not np.isnan(m.of(cases)):
                self.add_skill(m, cases, settings)

    def add_skill(
        self,
        measure: Measure,
        cases: Any,
        settings: Shared,
        facts: frozenset[Fact] = frozenset(),
    ) -> None:
        """The gain over the reference, where there is one and the law has a method for it."""
        if measure.higher_is_better is None or measure.reference is None:
            return
        try:
            method = first_of(Kind.GAIN, measure.law, facts)
            if facts and not method.suits(measure, cases, facts):
                return
            assert method.function is not None
            found = method.function(measure, cases, settings)
        except NotApplicable:  # of the law, or of these cases
            return
        if found is not None:
            self.skills[measure.label] = found

    def _dependent(
        self, cases: Any, measures: Sequence[Measure], settings: Shared, facts: frozenset[Fact]
    ) -> None:
        """Cases in time order, or pooled over folds: intervals that allow for it, and no test."""
        for m in measures:
            if not has_interval(m) or not np.isfinite(m.of(cases)):
                continue
            limits = Limits(m, cases, settings, facts, m.of(cases))
            try:
                found = limits.over()
            except NotApplicable as reason:
                self.asides[m.label] = f"no interval: {reason}"
                if Fact.ORDER not in facts and averages(m, cases):
                    self.refused.setdefault("folds", str(reason))
                continue
            self.limits[m.label] = limits
            if isinstance(found, Interval):
                self.intervals[m.label] = found
            else:
                self._mean_over_folds(m, cases, found)

    def _mean_over_folds(self, measure: Measure, cases: Any, found: OverFolds) -> None:
        """The value shown is the one that the interval is about."""
        pooled, said = measure.of(cases), []
        if not np.isclose(found.mean, pooled, rtol=1e-9, atol=1e-12):
            self.values[measure.label], self.pooled[measure.label] = found.mean, pooled
            said.append(f"mean over folds; {pooled:.3f} of all cases pooled")
        if found.interval is None:
            said.append(f"no interval: {found.reason}")
        else:
            self.intervals[measure.label] = found.interval
        if said:
            self.asides[measure.label] = "; ".join(said)

    def _reweighted(self, cases: Any, measures: Sequence[Measure], prevalence: float | None) -> Any:
        """Cases weighted to a stated prevalence; measures refused when there is none."""
        other = cases.at_prevalence(prevalence)
        depends = [m for m in measures if not m.prevalence_free]
        if prevalence is None:
            self.refused.update({m.label: NO_PREVALENCE for m in depends})
            return cases
        for m in depends:
            if obstacle(m, other) is not None:
                self.refused[m.label] = NO_WEIGHTED_FORM
                continue
            self.values[m.label] = float(np.clip(m.of(other), *m.range))
            self.chances[m.label] = shuffled(m, other)
            self.references[m.label] = reference_level(m, other)
        return other


@dataclass(frozen=True)
class Limits:
    """The interval of one measure on these cases, at any level and from the same draws."""

    measure: Measure
    cases: Any
    settings: Shared
    facts: frozenset[Fact]
    value: float
    method: Method | None = None  # asked for by name

    def __call__(self, level: float) -> Interval:
        """The interval that an assessment at this level has."""
        settings = self.settings.at(level)
        if self.method is not None:
            return requested_interval(self.method, self.measure, self.cases, settings)
        if self.facts & {Fact.ORDER, Fact.FOLDS}:
            found = self.over(level)
            found = found if isinstance(found, Interval) else found.interval
            if found is None:
                raise NotApplicable("the folds leave no interval.")
            return found
        return interval_by_law(self.measure, self.cases, settings, self.facts, self.value)

    def over(self, level: float | None = None) -> Any:
        """Of cases in time order or of folds, which may have a mean over folds to tell."""
        settings = self.settings if level is None else self.settings.at(level)
        method = first_of(Kind.INTERVAL, self.measure.law, self.facts)
        assert method.function is not None
        return method.function(self.measure, self.cases, settings)

    @property
    def exact(self) -> Counted | None:
        """Cases to be counted exactly, of a share of independent ones; None for anything else."""
        if self.method is not None or not EXACTLY.suits(self.measure, self.cases, self.facts):
            return None
        if not of_table(self.measure):
            return None
        found = counted(self.measure, self.settings.cells(self.cases))
        return found if found is not None and found.whole else None

    @property
    def recalls(self) -> TwoRecalls | None:
        """Two recalls of independent cases, to be counted too; None for anything else."""
        usual = self.method is None and not self.facts and self.measure.law is Law.BALANCED
        if not usual or not of_table(self.measure):
            return None
        return TwoRecalls.of(self.measure, self.settings.cells(self.cases))

    @property
    def too_few(self) -> str | None:
        """Why nothing but shares, areas and what tables tell has a verdict over few clusters."""
        held = self.measure.law in HELD_OVER_CLUSTERS or of_table(self.measure)
        return None if held else too_few_for_a_verdict(self.cases, "goal")

    def counted(self, level: float) -> Interval:
        """The exact interval of such a share, or of such recalls."""
        exactly = RECALLS if self.exact is None else EXACTLY
        return requested_interval(exactly, self.measure, self.cases, self.settings.at(level))


HELD_OVER_CLUSTERS = (Law.SHARE, Law.CONDITIONAL, Law.BALANCED, Law.PAIRS)
EXACTLY = clopper_pearson.method  # type: ignore[attr-defined]
RECALLS = exact_interval_of_recalls.method  # type: ignore[attr-defined]


def _bounded(measure: Measure, value: float) -> bool:
    """Whether an interval makes sense: of finite values, and of lines too steep to be measured."""
    return bool(np.isfinite(value) or (measure.law is Law.CALIBRATION and np.isinf(value)))


def _resampled(measure: Measure, cases: Any) -> bool:
    """Whether an interval may come from the common bootstrap run."""
    return measure.law not in (Law.CALIBRATION, Law.UTILITY)


# ----------------------------------------------------------------------------------------------
# From predictions to every applicable measure, each with what is known about it.
# ----------------------------------------------------------------------------------------------


PRIMARY = {
    "binary": ("log_score", "balanced_accuracy", "auc"),
    "multiclass": ("log_score", "balanced_accuracy"),
    "numeric": ("mse",),
    "several outputs": ("arrmse", "multi_r2"),
    "survival": ("c_index", "integrated_brier"),
}


@settled
def assess(
    predictions: Any,
    prediction: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    primary: str | Measure | None = None,
    by: Any = None,
    by_name: str = "",
    dialect: str | None = None,
    rate: float | str | Mapping[str, float] | None = None,
    goals: Any = None,
    goal_rule: str | None = None,
    **facts: Any,
) -> Assessment:
    """Every applicable measure of predictions, with interval and test where they are defensible.

    Parameters
    ----------
    predictions, prediction
        Binary, Multiclass, Numeric or Survival, and nothing else; or what was observed and what
        was predicted, whose kind is seen from the values and said; or a dataframe or file, whose
        columns are found by name as `read` does.
    measures
        Names or measures; all applicable ones when not given. After predictions, a dataframe or a
        file it may be the second argument.
    primary
        The measure the study is about; the others are descriptive. When not given, the log score
        where there are probabilities, else balanced accuracy.
    by
        One value per case: values and intervals again for each subgroup; none when not given.
    by_name
        What `by` is called in tables, as in "site=3"; only its values are shown when not given.
    dialect
        "familiar" computes as that R package does; as the formulas here when not given.
    rate
        Test shares against a rate stated beforehand (exact binomial on their denominator): a
        number for accuracy, or for every measure named; {"sensitivity": 0.8} for some. "majority"
        tests accuracy against the constant prediction of the largest class (exact McNemar).
    goals
        Standards stated beforehand: "sensitivity>=.85", several of them, {"brier": "<= 0.2"}, or
        the path of a TOML or JSON file. "MEASURE in LOW..HIGH" is a band, "MEASURE[sex=f]" is for
        a subgroup and "MEASURE[*]" for each. Met, not met or undecided by the interval that is
        shown, which for shares is then the exact one.
    goal_rule
        "all" goals must be met, or "any"; all unless stated.
    **facts
        Of observed and predicted values, or a table: pos_label=, labels=, threshold=, groups=,
        sample_weight=, … as in `Binary` and `read`; score=, label= or value= instead of
        `prediction` where its kind cannot be seen.

    Returns
    -------
    Assessment
        One estimate per measure; `assessment["auc"]` has its value, interval, chance and p-value.

    Raises
    ------
    DataError
        If the values are not what they must be; the message names the row and the remedy.
    UnknownMeasure
        If no measure goes by a name.
    NotApplicable
        If a measure that was named cannot be computed from these predictions.

    See Also
    --------
    compare : two models or more.
    report : the result as a page.
    measures.applicable : which measures these are.

    Examples
    --------
    >>> print(assess([0, 0, 1, 1], [0.2, 0.6, 0.4, 0.9], ["auc"])["auc"].value)
    0.75
    >>> from abovechance import examples
    >>> assessment = assess(examples.breast_cancer("p_texture"), ["auc", "brier"], rng=1)
    >>> print(assessment["auc"].interval)
    0.756 to 0.865
    >>> assess(examples.breast_cancer("p_texture"), ["auc"], goals="auc>=.7", rng=1).goals.verdict
    'met'
    """
    wanted = stated(goals, goal_rule)
    settings = Settings.of("assess", facts, facts=True)
    predictions, measures = predictions_given("assess", predictions, prediction, measures, facts)
    if settings.inference:
        refuse_to_resample(predictions, MOST_IN_TABLES)
    counted = predictions.cases.counts is not None
    if counted and settings.inference and predictions.total > MOST_CASES:
        from abovechance.inference.streaming import assess_table

        more = {"by": by, "dialect": dialect, "goals": goals}
        return assess_table(predictions, measures, settings, more, primary=primary, rate=rate)
    chosen = chosen_measures(predictions, measures, dialect)
    # one for every goal, though several may be of one measure
    aims = [chosen_measures(predictions, m, dialect)[0] for m in wanted.measures] if wanted else []
    labels = {m.label for m in chosen}
    chosen += {m.label: m for m in aims if m.label not in labels}.values()
    if wanted is not None:
        if not settings.inference:
            raise NotApplicable("a goal is judged by an interval; leave inference=False out.")
        for goal, measure in zip(wanted.goals, aims, strict=True):
            check(goal, measure, predictions)
    rates = stated_rates(rate, chosen, predictions.kind, named=measures is not None)
    main = primary_measure(predictions, chosen, primary)
    methods = requested_methods(
        settings.methods, chosen, predictions.kind, (Kind.INTERVAL, Kind.TEST)
    )
    store = _shared(settings.store, predictions, chosen, settings.seed)
    settings = replace(settings, methods=methods, store=store)
    joint = [m for m in chosen if m.many_outputs or not predictions.each_output]
    evidence = Evidence.gather(predictions, joint, settings, rates=rates)
    within = partial(Evidence.gather, settings=settings.alone(), tests=False)
    rows = list(_rows(predictions, chosen, evidence, within))
    parts = list(_parts(predictions, by, by_name))
    limits: dict[str | None, dict[str, Limits]] = {None: evidence.limits}
    for name, part in parts:
        inside = within(part, joint)
        limits[name] = inside.limits
        rows.extend(_rows(part, chosen, inside, within, name))
    verdicts = None
    if wanted is not None:
        rows, verdicts = judge(wanted, aims, rows, limits, settings.level)
    return Assessment(
        outcome=predictions.kind,
        n=distinct_cases(predictions),
        origin=predictions.origin,
        origin_stated=predictions.origin_stated,
        threshold=labelling_threshold(predictions),
        seed=settings.seed if settings.inference else None,
        primary=main,
        estimates=tuple(rows),
        advice=(
            *predictions.notes,
            *(advice_on_primary(main) if settings.inference else ()),
            *advice_for(predictions, rows, evidence),
            *(advice_on_subgroups(parts, rows, chosen) if settings.inference else ()),
            *_on_quick(rows),
            *_on_rate(rate, measures, chosen),
            *(advice_on_goals() if verdicts else ()),
        ),
        described=predictions.described,
        dropped=predictions.dropped,
        subgroups=tuple(subgroup(name, part) for name, part in parts),
        goals=verdicts,
        level=settings.level,
    )


def _on_quick(rows: Sequence[Estimate]) -> Iterator[Advice]:
    """How many measures lack what a quick answer leaves out."""
    whole = [row for row in rows if row.by is None and row.class_ is None]
    without = [row for row in whole if QUICK in (row.remark or "")]
    if without:
        yield Advice(
            "AC028",
            f"quick: nothing was resampled or permuted, so {len(without)} of {len(whole)} measures "
            "have no interval or no p; leave quick out (--quick) for these.",
        )


def _on_rate(rate: Any, measures: Any, chosen: Sequence[Measure]) -> Iterator[Advice]:
    """A number without names is a rate of accuracy; whoever meant another share is told how."""
    if measures is None and isinstance(rate, Real):
        others = [m.label for m in chosen if m.law is Law.CONDITIONAL]
        if others:
            yield Advice(
                "AC019",
                f"the rate was tested for accuracy alone; for other shares name them, as "
                f"rate={{{others[0]!r}: {rate}}} (--rate {others[0]}={rate}).",
            )


def stated_rates(
    rate: Any, measures: Sequence[Measure], kind: str, *, named: bool
) -> dict[str, float | str]:
    """Which measures are tested against which rate, by label.

    One number is for the measures that were named; for accuracy when none were.
    """
    if rate is None:
        return {}
    labels = [m.label for m in measures]
    if isinstance(rate, Mapping):
        found: dict[str, float | str] = {}
        for name, value in rate.items():
            label = find(name).for_outcome(kind).label
            if label not in labels:
                raise NotApplicable(f"{label!r} has a rate and is not among those assessed.")
            found[label] = value if value == "majority" else share(f"rate of {label}", value)
        return found
    if not isinstance(rate, str) or rate != "majority":
        if not isinstance(rate, Real):
            raise DataError(f"rate must lie between 0 and 1, or be 'majority'; got {shown(rate)}.")
        rate = share("rate", rate)
    return dict.fromkeys(labels if named and rate != "majority" else ["accuracy"], rate)


def distinct_cases(predictions: Predictions) -> int:
    """How many cases there are: repeats of a cross-validation predict the same ones again."""
    repeat = predictions.cases.repeat
    if predictions.origin != "repeated_cv" or repeat is None:
        return int(predictions.total)
    return round(float(predictions.total) / len(np.unique(repeat)))


def _shared(store: Any, predictions: Predictions, chosen: Sequence[Measure], seed: int) -> Any:
    """One file for the several nulls of an assessment, known by what is assessed."""
    if store is None or isinstance(store, Store):
        return store
    names = [m.label for m in chosen]
    return Store(store, configuration={"assess": digest(predictions, names), "seed": seed})


def chosen_measures(
    predictions: Predictions,
    measures: str | Measure | Iterable[str | Measure] | None,
    dialect: str | None = None,
) -> list[Measure]:
    """The measures that were named, else all that apply, as these predictions have them."""
    from abovechance.measures.evaluation import fit

    if measures is None:
        known = applicable(predictions)
        if dialect is not None:
            known = [find(m.name, dialect=dialect) for m in known]
    else:
        known = named(measures, dialect=dialect)
    return [fit(at_threshold(m, predictions), predictions) for m in known]


def primary_measure(
    predictions: Predictions, chosen: Sequence[Measure], primary: str | Measure | None
) -> str | None:
    """The label of the measure a study is about: as stated, else the usual one."""
    labels = [m.label for m in chosen]
    if primary is not None:
        label = find(primary).for_outcome(predictions.kind).label
        if label not in labels:
            label = at_threshold(find(primary), predictions).label
        if label not in labels:
            raise NotApplicable(f"the primary measure {label!r} is not among those assessed.")
        return label
    usual = PRIMARY["several outputs" if predictions.each_output else predictions.kind]
    found = [name for name in usual if name in labels]
    return found[0] if found else (labels[0] if labels else None)


def _rows(
    predictions: Predictions,
    measures: Sequence[Measure],
    evidence: Evidence,
    within: Callable[[Predictions, Sequence[Measure]], Evidence],
    by: str | None = None,
) -> Iterator[Estimate]:
    """Rows of all cases, with what is known of them; then of each class, with intervals."""
    parts: dict[str, Evidence] = {}
    outputs = predictions.each_output
    for measure in measures:
        if outputs and not measure.many_outputs:
            for name, output in outputs.items():
                if name not in parts:
                    parts[name] = within(output, [m for m in measures if not m.many_outputs])
                row = replace(estimate(measure, output, by), output=name)
                yield parts[name].added_to(row, measure)
        else:
            yield evidence.added_to(estimate(measure, predictions, by), measure)
    if predictions.each_class:
        yield from _class_rows(predictions, measures, within, by)


def _class_rows(
    predictions: Any,
    measures: Sequence[Measure],
    within: Callable[[Predictions, Sequence[Measure]], Evidence],
    by: str | None,
) -> Iterator[Estimate]:
    rows = list(rows_per_class(measures, predictions, by))
    names = list(dict.fromkeys(row.measure for row in rows))
    known = {
        str(label): within(predictions.against_rest(label), [find(name) for name in names])
        for label in (predictions.each_class if names else ())
    }
    for row in rows:
        assert row.class_ is not None
        yield known[row.class_].added_to(row, find(row.measure))


def _parts(predictions: Predictions, by: Any, name: str) -> Iterator[tuple[str, Predictions]]:
    if by is None:
        return
    column = checks.unmasked(in_order_of(predictions.cases.index, "by", by), "by")
    if column.shape != (predictions.n,):
        raise DataError(
            f"by must hold one value for each of the {predictions.n} cases; got {column.shape}."
        )
    values = column.astype(str)
    for value in in_order(values.tolist()):
        yield (f"{name}={value}" if name else value), part_of(predictions, values == value, value)


def part_of(predictions: Predictions, inside: Bools, name: str) -> Predictions:
    """The cases of a subgroup; refused where none of them counts."""
    found = predictions.take(inside)
    if found.weight is not None and not found.weight.any():
        raise DataError(
            f"the subgroup {shown(name)} must hold a case that counts; the weights or counts there "
            "are all 0. Leave it out."
        )
    return found
