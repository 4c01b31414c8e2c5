"""Intervals and tests of one assessment, gathered together so that they share their draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable, listed
from abovechance.inference.defaults import (
    Setting,
    asked_interval,
    expanded,
    has_interval,
    interval_by_law,
)
from abovechance.inference.estimates import Estimate, Skill
from abovechance.inference.intervals.folds import OverFolds, averages
from abovechance.inference.intervals.tables import of_table
from abovechance.inference.intervals.utility import DRAWS as UTILITY_DRAWS
from abovechance.inference.intervals.utility import gain
from abovechance.inference.method import Fact, Kind, Method, every, facts_of, first_of
from abovechance.inference.method import gain as gain_method
from abovechance.inference.results import Interval, Test
from abovechance.inference.significance.association import (
    ALL_LABELLINGS,
    ALL_SLOW,
    PERMUTATION,
    Draws,
    association,
)
from abovechance.inference.significance.calibration import calibration_tests
from abovechance.inference.significance.constant import gain_over
from abovechance.inference.significance.null import scheme_for
from abovechance.inference.values import reference_level
from abovechance.measures import Calibration, Law, Measure, find
from abovechance.measures.evaluation import obstacle
from abovechance.measures.shuffled import shuffled
from abovechance.measures.utility import threshold_of
from abovechance.predictions import Binary, Multiclass, Predictions
from abovechance.resampling import DEFAULT, Resampling

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


SAME = 1e-9  # relative: losses that rounding alone tells apart
NOTHING_VARIES = "these cases do not vary, which says nothing of how much others would."
NO_LIMITS = {
    Calibration.DISTANCE: "no interval: none would cover a true 0.",
    Calibration.SCORE: "no interval: a test statistic.",
    None: "no interval: which aspect of calibration it measures is not declared.",
}


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

    @classmethod
    def gather(
        cls,
        predictions: Predictions,
        measures: Sequence[Measure],
        *,
        level: float,
        draws: int | None,
        rates: Mapping[str, float | str] = MappingProxyType({}),
        exact: bool = False,
        sampling: str = "random",
        prevalence: float | None = None,
        inference: bool = True,
        tests: bool = True,
        methods: Mapping[Kind, Mapping[str, Method]] = MappingProxyType({}),
        resampling: Resampling = DEFAULT,
    ) -> "Evidence":
        """All intervals and, unless told otherwise, tests that these predictions allow."""
        found = cls()
        if sampling not in ("random", "case-control"):
            raise NotApplicable(f"sampling must be 'random' or 'case-control'; got {sampling!r}.")
        if sampling == "random" and prevalence is not None:
            raise NotApplicable(
                "a stated prevalence is for classes that were sampled separately; leave it out, or "
                "say sampling='case-control' (--sampling case-control)."
            )
        cases = expanded(predictions)
        weighted = cases
        if sampling == "case-control":
            weighted = found._reweighted(cases, measures, prevalence)
        if not inference:
            return found
        kept = [m for m in measures if m.label not in found.refused]
        without = [m for m in kept if not has_interval(m)]
        found.asides.update({m.label: NO_LIMITS[m.calibration] for m in without})
        facts = facts_of(cases) - {Fact.FOLDS}
        if predictions.origin != "test":
            facts |= {Fact.FOLDS}
        if sampling == "case-control":
            facts |= {Fact.CASE_CONTROL}
        seed, draws_of = resampling.seed, Draws(draws, resampling, exact)
        setting = Setting(
            weighted,
            kept,
            level,
            draws,
            seed,
            stratified=sampling == "case-control",
            prevalence=prevalence,
        )
        if facts & {Fact.ORDER, Fact.FOLDS}:
            found._dependent(cases, kept, setting, facts)
            why = IN_ORDER if Fact.ORDER in facts else POOLED
            if Fact.ORDER in facts:
                found.refused["p"] = "they take cases for independent, and these are in time order."
            if rates:
                found.refused["rate"] = f"{listed(list(rates))}: {why}"
            return found
        found._intervals(cases, kept, setting, facts, methods.get(Kind.INTERVAL, {}))
        if not tests:
            return found
        calibrating = [m for m in measures if m.law is Law.CALIBRATION]
        others = [m for m in measures if m not in calibrating]
        found._tests(cases, others, draws_of, methods.get(Kind.TEST, {}))
        if sampling == "random":
            found._calibration(cases, calibrating, draws_of)
        elif calibrating:
            found.refused["calibration"] = CASE_CONTROL
        if exact:
            found._not_exact(cases)
        found._against(cases, measures, rates, sampling)
        if cases.cases.groups is not None:
            # What is not tested would show the chance of another shuffle, blind to clusters.
            untested = [m.label for m in measures if m.label not in found.tests]
            found.chances.update(dict.fromkeys(untested))
        if cases.weight is None and sampling == "random":
            found._skills(cases, kept, setting)
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
        remark = row.remark or self.remarks.get(label) or self.asides.get(label)
        value = self.values.get(label, row.value)
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
            changed = replace(changed, skill=gain_over(changed, measure))
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
        setting: Setting,
        facts: frozenset[Fact],
        chosen: Mapping[str, Method],
    ) -> None:
        """Each measure's interval: by the method asked for, else by law and facts of the data."""
        weighted = setting.predictions
        by_rows = weighted.weight is not None or Fact.CASE_CONTROL in facts
        values = {m.label: m.of(weighted) for m in measures if has_interval(m)}
        bounded = [m for m in measures if m.label in values and _bounded(m, values[m.label])]
        setting.needed.update(
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
            try:
                if m.label in chosen:
                    self.intervals[m.label] = asked_interval(chosen[m.label], m, cases, setting)
                    continue
                interval = interval_by_law(m, cases, setting, own)
                self.intervals[m.label] = _sound(m, values[m.label], interval, setting)
            except NotApplicable as reason:
                self.asides[m.label] = f"no interval: {reason}"

    def _tests(
        self,
        cases: Any,
        measures: Sequence[Measure],
        draws: Draws,
        chosen: Mapping[str, Method],
    ) -> None:
        laws = {law for method in every(Kind.TEST) for law in method.default}
        testable = [m for m in measures if m.law in laws or m.label in chosen]
        try:
            found = association(cases, testable, draws, chosen=chosen)
        except NotApplicable as reason:
            self.refused["p"] = str(reason)
            return
        self.tests.update(found)
        if testable and not found and isinstance(cases, Binary | Multiclass):
            seen = int((cases.prevalences > 0).sum())
            if seen < 2:
                self.refused["p"] = "only one class was observed."

    def _calibration(self, cases: Any, measures: Sequence[Measure], draws: Draws) -> None:
        if not measures:
            return
        try:
            tests, remarks = calibration_tests(cases, measures, draws)
            self.tests.update(tests)
            self.remarks.update(remarks)
        except NotApplicable as reason:
            self.refused["calibration"] = str(reason)

    def _against(
        self,
        cases: Any,
        measures: Sequence[Measure],
        rates: Mapping[str, float | str],
        sampling: str,
    ) -> None:
        """Shares against rates stated beforehand, accuracy also against the largest class."""
        from abovechance.inference.significance.accuracy import against

        untested: dict[str, list[str]] = {}
        absent = [label for label in rates if label not in {m.label for m in measures}]
        if absent:
            untested["it is not among what is assessed here."] = absent
        for m in measures:
            if m.label not in rates:
                continue
            try:
                if sampling == "case-control" and not m.prevalence_free:
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
            limit = f"{ALL_LABELLINGS:,}" if many > ALL_LABELLINGS else f"{ALL_SLOW:,} slow ones"
            said.append(
                f"{listed(drawn)}: {many:.3g} arrangements of the outcomes are more than {limit}, "
                "so p is from random ones."
            )
        if normal:
            said.append(f"{listed(normal)}: too many cases to count rank sums.")
        if said:
            self.refused["exact"] = " ".join(said)

    def _skills(self, cases: Any, measures: Sequence[Measure], setting: Setting) -> None:
        """Gains over the reference, of measures whose law has a method for it."""
        laws = {law for method in every(Kind.GAIN) for law in method.default}
        for m in measures:
            several = len(getattr(cases, "outputs", ())) > 1
            if m.law not in laws or several or cases.n < 2:
                continue
            if m.higher_is_better is None or m.reference is None or np.isnan(m.of(cases)):
                continue
            method = first_of(Kind.GAIN, m.law)
            assert method.function is not None
            try:
                found = method.function(m, cases, setting)
            except NotApplicable:
                continue
            if found is not None:
                self.skills[m.label] = found

    def _dependent(
        self, cases: Any, measures: Sequence[Measure], setting: Setting, facts: frozenset[Fact]
    ) -> None:
        """Cases in time order, or pooled over folds: intervals that allow for it, and no test."""
        for m in measures:
            if not has_interval(m) or not np.isfinite(m.of(cases)):
                continue
            method = first_of(Kind.INTERVAL, m.law, facts)
            assert method.function is not None
            try:
                found = method.function(m, cases, setting)
            except NotApplicable as reason:
                self.asides[m.label] = f"no interval: {reason}"
                if Fact.ORDER not in facts and averages(m, cases):
                    self.refused.setdefault("folds", str(reason))
                continue
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
        if not isinstance(cases, Binary):
            raise NotApplicable("case-control sampling is for binary outcomes.")
        depends = [m for m in measures if not m.prevalence_free]
        if prevalence is None:
            self.refused.update({m.label: NO_PREVALENCE for m in depends})
            return cases
        if not 0.0 < prevalence < 1.0:
            raise NotApplicable(f"prevalence must lie between 0 and 1; got {prevalence}.")
        share = cases.prevalences[1]
        if share in (0.0, 1.0):
            raise NotApplicable("a stated prevalence needs cases of both classes.")
        weight = np.where(cases.positive, prevalence / share, (1 - prevalence) / (1 - share))
        if cases.weight is not None:
            weight = weight * cases.weight
        other = cases.with_cases(sample_weight=weight)
        for m in depends:
            if obstacle(m, other) is not None:
                self.refused[m.label] = NO_WEIGHTED_FORM
                continue
            self.values[m.label] = float(np.clip(m.of(other), *m.range))
            self.chances[m.label] = shuffled(m, other)
            self.references[m.label] = reference_level(m, other)
        return other


def _sound(measure: Measure, value: float, interval: Interval, setting: Setting) -> Interval:
    """An interval that is one of this measure and has a width.

    A law's limits are those of its own quantity: a measure that was declared on another scale is
    resampled. Cases that do not vary at all say nothing about how much others would.
    """
    slack = 1e-9 * max(1.0, abs(value))
    if np.isfinite(value) and not interval.low - slack <= value <= interval.high + slack:
        interval = setting.bootstrap(measure)
    if not interval.low < interval.high:
        raise NotApplicable(NOTHING_VARIES)
    if measure.monotone_in and _same_losses(measure, setting.predictions):
        raise NotApplicable("every case has the same loss: the cases show no spread.")
    return interval


def _same_losses(measure: Measure, cases: Any) -> bool:
    """Whether the loss that a measure scales is the same for every case.

    What varies then is the reference alone, and tells nothing of how far the predictions may err.
    """
    loss = find(measure.monotone_in).for_outcome(cases.kind)
    if obstacle(loss, cases) is not None:
        return False
    try:
        each = np.atleast_2d(loss.losses(cases))
    except NotApplicable:  # only a summary is left
        return False
    return bool((np.ptp(each, axis=-1) <= SAME * np.abs(each).max(axis=-1)).all())


def _bounded(measure: Measure, value: float) -> bool:
    """Whether an interval makes sense: of finite values, and of lines too steep to be measured."""
    return bool(np.isfinite(value) or (measure.law is Law.CALIBRATION and np.isinf(value)))


def _resampled(measure: Measure, cases: Any) -> bool:
    """Whether an interval may come from the common bootstrap run."""
    return measure.law not in (Law.CALIBRATION, Law.UTILITY)


@gain_method(
    name="net_gain",
    title="gain over the better of acting on all and on none",
    words="the gain over the better of acting on all and on none",
    source="vickers2006",
    default=[Law.UTILITY],
    allows=[Fact.CLUSTERS],
)
def net_gain(measure: Measure, cases: Any, setting: Setting) -> Skill | None:
    """Net benefit beside the better of acting on every case and on none; None of other utility."""
    if not measure.decomposable or "threshold" not in measure.parameters:
        return None
    found = gain(
        cases,
        threshold_of(measure),
        confidence_level=setting.level,
        draws=UTILITY_DRAWS if setting.draws is None else setting.draws,
        rng=np.random.default_rng(np.random.SeedSequence(setting.seed, spawn_key=(8,))),
    )
    return Skill(reference=found.reference, difference=found.difference, interval=found.interval)
