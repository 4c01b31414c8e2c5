"""The tests that a study runs on a sample: their names, their titles, their p-values.

A measure stands for the test that `assess`, or `compare`, gives it; tests of the papers that the
verbs do without have names of their own (`studies.paper_tests`). All tests of one sample share its
permutations or sign flips.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import AboveChanceError, NotApplicable, UnknownMeasure, did_you_mean
from abovechance.inference.results import Interval
from abovechance.measures import Law, Measure, find
from abovechance.measures.measure import LabelScore
from abovechance.predictions import Binary, Predictions
from abovechance.resampling import LabelPermutations
from abovechance.settings import Rule, Settings
from abovechance.studies import paper_tests
from abovechance.studies.designs import Groups, Pair, Predicted, Sample, UserTest, name_of
from abovechance.studies.paper_tests import logits, p_by_rule

# ----------------------------------------------------------------------------------------------
# The tests of `assess` and `compare` on one sample: the functions that the verbs call.
# ----------------------------------------------------------------------------------------------


AGAINST_CHANCE = ("accuracy", "auc", "brier", "log_score")
COMPARISONS = ("accuracy", "auc", "brier", "log_score")
FISHER = "fisher"
SKILL = "skill."
SKILLS = ("skill.accuracy", "skill.brier", "skill.log_score")
"""Tests of `assess` against the uninformative forecast, or always the larger class."""

ONE_TEST = {
    LabelScore.LABEL: FISHER,
    LabelScore.MIDRANK: "auc",
    LabelScore.PROBABILITY: "brier",
    LabelScore.LOGIT: "log_score",
}
"""Against chance, measures with one label score have one test."""


class Asked(NamedTuple):
    """A test by name: the measure it is about, and the method where one was asked for."""

    name: str
    measure: Measure
    method: Any

    @classmethod
    def by(cls, name: str, kind: type) -> "Asked":
        """What a name means on samples of a kind."""
        return cls(name, measure_of(name.removeprefix(SKILL)), method_of(name, kind))


def against_chance(
    sample: Predicted, tests: Sequence[Asked], seed: int, draws: int, rule: Rule
) -> dict[str, float]:
    """The p-values that `assess` gives, one-sided; NaN where it gives none."""
    from abovechance.inference.method import Kind
    from abovechance.inference.permutation import association

    if any(asked.name in ("log_score", "skill.log_score") for asked in tests):
        logits(sample.probability)
    predictions = _predicted(sample, sample.probability)
    settings = Settings(draws=draws, seed=seed, p_alone=True)
    plain = [asked for asked in tests if asked.name not in SKILLS]
    usual = [asked.measure for asked in plain if asked.method is None]
    found = association(predictions, usual, settings)
    p: dict[str, float] = {}
    for name, measure, method in plain:
        test = found.get(measure.label)
        if method is not None:
            alone = replace(settings, methods={Kind.TEST: {measure.label: method}})
            test = association(predictions, [measure], alone).get(measure.label)
        p[name] = np.nan if test is None else _by_rule(test.p_value, test.draws, rule)
    skills = (asked for asked in tests if asked.name in SKILLS)
    return p | {a.name: _skill(a.measure, predictions, seed, draws) for a in skills}


def _skill(measure: Measure, predictions: Binary, seed: int, draws: int) -> float:
    from abovechance.inference.interval_choice import Shared
    from abovechance.inference.method import Kind, first_of

    settings = Shared.among(Settings(draws=draws, seed=seed), predictions, [measure])
    method = first_of(Kind.GAIN, measure.law)
    assert method.function is not None
    try:
        found = method.function(measure, predictions, settings)
    except NotApplicable:
        return float("nan")
    return float("nan") if found.p_value is None else found.p_value


def compared(
    sample: Pair, tests: Sequence[Asked], seed: int, draws: int, rule: Rule
) -> dict[str, float]:
    """The p-values that `compare` gives, two-sided and of one pair; NaN where it gives none."""
    from abovechance.inference.law_contrasts import ModelFamily
    from abovechance.inference.method import Kind

    if any(asked.name == "log_score" for asked in tests):
        for one in (sample.first, sample.second):
            logits(one)
    models = [_predicted(sample, p) for p in (sample.first, sample.second)]
    found = {}
    for name, measure, method in tests:
        asked = {} if method is None else {Kind.COMPARISON: {measure.label: method}}
        settings = Settings(draws=draws, seed=seed, methods=asked)
        try:
            answer = ModelFamily(measure, models, settings).contrast(0, 1).test("two-sided")
            found[name] = _by_rule(answer.test.p_value, answer.test.draws, rule)
        except NotApplicable:
            found[name] = float("nan")
    return found


class Shown(NamedTuple):
    """A measure's value with the interval that `assess` shows, or the reason why it shows none."""

    value: float
    interval: Interval | None
    reason: str


def interval_shown(
    predictions: Predictions, measure: Measure, level: float, draws: int, seed: int
) -> Shown:
    """The interval of a measure, by the very method of `assess`."""
    from abovechance.inference.assessment import Evidence

    settings = Settings(level=level, draws=draws, seed=seed)
    evidence = Evidence.gather(predictions, [measure], settings, tests=False)
    label = measure.label
    reasons = (evidence.refused, evidence.remarks, evidence.asides)
    reason = next((said[label] for said in reasons if label in said), "")
    return Shown(measure.of(predictions), evidence.intervals.get(label), reason)


def _by_rule(p: float, draws: int | None, rule: Rule) -> float:
    if rule == "standard" or draws is None:
        return p
    return float(np.rint(p * (draws + 1) - 1) / draws)


@lru_cache(maxsize=4096)
def least_mann_whitney_p(n1: int, n0: int) -> float:
    """The smallest p that `assess` gives an area, when every positive is above every negative.

    >>> least_mann_whitney_p(2, 3)
    0.1
    """
    from abovechance.inference.areas import mann_whitney

    return mann_whitney(Binary(np.arange(n1 + n0) >= n0, score=np.arange(n1 + n0))).p_value


@cache
def measure_of(name: str) -> Measure:
    """The measure that a test by name is about; of Fisher's, which has many, accuracy."""
    asked = name.partition("=")[0]
    return find("accuracy" if asked == FISHER else asked).for_outcome("binary")


def method_of(name: str, kind: type) -> Any:
    """The method that is asked for as auc=exchange; None for that of the measure's law."""
    from abovechance.inference.method import Kind, requested_methods

    if "=" not in name:
        return None
    measure, wanted = measure_of(name), name.partition("=")[2]
    verb = Kind.TEST if kind is Predicted else Kind.COMPARISON
    return requested_methods({measure.label: wanted}, [measure], "binary", (verb,))[verb][
        measure.label
    ]


def tested_as(name: str, kind: type) -> str | None:
    """The one name of the test that a verb gives a measure, None where it gives none."""
    if name == FISHER:  # a test and no measure; its own name where one model is judged
        return FISHER if kind is Predicted else None
    try:
        measure = measure_of(name)
        asked = method_of(name, kind)
    except UnknownMeasure:
        return None
    if asked is not None:
        return f"{measure.label}={asked.name}"
    if method_for(name, kind) is None or measure.higher_is_better is None:
        return None
    if not measure.applies(_some()):
        return None
    if kind is Predicted and measure.label_score is not None:
        return ONE_TEST[measure.label_score]
    return measure.label


def method_for(name: str, kind: type) -> Any:
    """The test or comparison that a verb gives a measure, None where it gives no p-value."""
    from abovechance.inference.method import Kind, first_of, suited

    asked = method_of(name, kind)
    if asked is not None:
        return asked
    measure, verb = measure_of(name), Kind.TEST if kind is Predicted else Kind.COMPARISON
    if measure.law in (Law.CALIBRATION, Law.UTILITY):
        return None
    return next(suited(first_of(verb, measure.law), measure, _some(), frozenset()), None)


def draws_of(name: str, kind: type) -> bool:
    """Whether a verb's test rests on permutations, flips or resamples."""
    method = method_for(name, kind)
    return method is not None and bool(method.drawn)


def _predicted(sample: Predicted | Pair, probability: Floats) -> Binary:
    """Predictions of a sample, which was checked when it was made and is not checked again."""
    return _some().replace(
        positive=sample.positive, probability=probability, threshold=sample.threshold
    )


@cache
def _some() -> Binary:
    return Binary(np.array([False, True]), probability=np.array([0.4, 0.6]))


ALIASES: dict[type, dict[str, str]] = {
    Predicted: {"mann_whitney": "auc", "log": "log_score"},
    Pair: {"mcnemar": "accuracy", "log": "log_score"},
}
INSTEAD = {
    Predicted: (
        "compares two models and this design has one; against chance choose",
        {"delong": "auc", "sign_flip.brier": "brier", "sign_flip.log_score": "log_score"},
    ),
    Pair: (
        "tests one model against chance and this design has two; to compare them choose",
        {
            "fisher": "accuracy, which is McNemar's test",
            "binomial": "accuracy, which is McNemar's test",
            "wilcoxon": "auc",
            "skill.accuracy": "accuracy",
            "skill.brier": "brier",
            "skill.log_score": "log_score",
            "permutation.brier": "brier",
            "permutation.log_score": "log_score",
        },
    ),
}
"""What to say, and what to offer, where a test belongs to the other question."""

KINDS: dict[type, str] = {
    Predicted: "one model against chance",
    Pair: "two models compared",
    Groups: "two groups of rows",
}
"""What the tests of a kind of sample are about, in words."""

TITLES_AGAINST_CHANCE = {
    "auc": "Mann–Whitney test of the AUC",
    "brier": "Permutation test of the Brier score",
    "log_score": "Permutation test of the log score",
    "fisher": "Fisher's exact test",
    "binomial": "Binomial test of accuracy",
    "wilcoxon": "Wilcoxon test of the AUC",
    "skill.accuracy": "McNemar's test of accuracy against always the larger class",
    "skill.brier": "Test of skill by the Brier score",
    "skill.log_score": "Test of skill by the log score",
    "permutation.brier": "Permutation test of the Brier score",
    "permutation.log_score": "Permutation test of the log score",
}
TITLES_OF_TWO_MODELS = {
    "accuracy": "McNemar's test of accuracy",
    "auc": "DeLong's test of the AUC",
    "brier": "Paired test of the Brier score",
    "log_score": "Paired test of the log score",
    "delong": "DeLong's test of the AUC by the normal law",
    "sign_flip.brier": "Sign-flip test of the Brier score",
    "sign_flip.log_score": "Sign-flip test of the log score",
}
SIDES = {"greater": "one-sided", "two-sided": "two-sided"}

NO_ORACLE = "the oracle needs a design whose covariance is known. Leave it out."

ROUNDING = 1e-9
"""How far a p-value may lie above the level, relative to it, and still be taken for equal."""


def usual_tests(kind: type) -> tuple[str, ...]:
    """The tests of predictions when none is named."""
    return AGAINST_CHANCE if kind is Predicted else COMPARISONS


def known_tests(kind: type) -> tuple[str, ...]:
    """The names of tests for a kind of sample; any other measure's name is one too."""
    if kind is Predicted:
        return (*AGAINST_CHANCE, *_own_names(kind))
    if kind is Pair:
        return (*COMPARISONS, *_own_names(kind))
    from abovechance.signal import known_names

    return ("oracle", *known_names())


def named(test: str | UserTest, kind: type) -> str | UserTest:
    """The test as the study knows it; names are checked, functions pass."""
    if not isinstance(test, str):
        if not callable(test):
            raise AboveChanceError(
                f"a test must be a name or a function of (sample, rng); got {test!r}."
            )
        return test
    if kind is Groups:
        canonical(test, kind)
        return test
    return canonical(test, kind)


def label_of(test: str | UserTest, kind: type) -> str:
    """What a test is called in a table: the measure it was asked for by, or its own name.

    >>> label_of("acc", Predicted), label_of("fisher", Predicted), label_of("mcnemar", Pair)
    ('accuracy', 'fisher', 'accuracy')
    """
    if not isinstance(test, str):
        return name_of(test)
    if kind is Groups:
        return test
    meant = canonical(test, kind)
    if meant != FISHER or test.lower() == FISHER:
        return meant
    from abovechance.measures import find

    return find(test).label


def canonical(test: str, kind: type) -> str:
    """The one name of a test, of all it goes by where this kind of sample is drawn.

    A measure stands for its test in `assess` or `compare`: everything that is read off a 2 x 2
    table, accuracy too, for Fisher's against chance.

    >>> canonical("mcnemar", Pair), canonical("balanced_accuracy", Predicted)
    ('accuracy', 'fisher')
    """
    if kind is Groups:
        from abovechance.signal import find

        return "oracle" if test.lower() == "oracle" else find(test).name
    meant = _meant(test, kind)
    if meant is not None:
        return meant
    elsewhere = _meant(test, Pair if kind is Predicted else Predicted)
    if elsewhere is not None:
        why, offers = INSTEAD[kind]
        raise AboveChanceError(f"{test} {why} {offers.get(elsewhere, elsewhere)}.")
    known = known_tests(kind)
    close = did_you_mean(test, known) or f"; choose from {', '.join(known)}."
    raise AboveChanceError(f"unknown test {test!r}{close}")


def _meant(test: str, kind: type) -> str | None:
    name = ALIASES[kind].get(test.lower(), test.lower())
    if name in _own_names(kind):
        return name
    return tested_as(name, kind)


def _own_names(kind: type) -> tuple[str, ...]:
    """Names of tests that are no names of measures."""
    if kind is Predicted:
        return (FISHER, *SKILLS, *paper_tests.AGAINST_CHANCE)
    return paper_tests.COMPARISONS


def uses_draws(test: str | UserTest, kind: type) -> bool:
    """Whether a test by name rests on permutations or flips."""
    if not isinstance(test, str):
        return False
    if kind is Groups or "." in test:
        return True
    return test not in _own_names(kind) and draws_of(test, kind)


def rejects(p: Any, alpha: float) -> Any:
    """Whether p-values are at most the level; one that differs by rounding only is equal to it.

    >>> rejects(0.05 + 1e-16, 0.05), rejects(0.0501, 0.05)
    (True, False)
    """
    return p <= alpha * (1.0 + ROUNDING)


def kind_of(sample: Any) -> type:
    """The kind of a sample, which may be of a class made from one of the kinds."""
    return next(kind for kind in KINDS if isinstance(sample, kind))


@dataclass(frozen=True)
class Battery:
    """The tests of a study on samples of one kind: what their names mean is settled once."""

    tests: tuple[str | UserTest, ...]
    kind: type
    draws: int = 999
    rule: Rule = "standard"

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(test for test in self.tests if isinstance(test, str))

    @cached_property
    def _theirs(self) -> tuple[str, ...]:
        """Tests of the papers that the verbs do without."""
        return tuple(name for name in self._names if name in _papers(self.kind))

    @cached_property
    def _ours(self) -> tuple[Asked, ...]:
        """Tests of the verbs."""
        rest = (name for name in self._names if name not in self._theirs)
        return tuple(Asked.by(name, self.kind) for name in rest)

    @cached_property
    def _drawn(self) -> bool:
        return any(uses_draws(asked.name, self.kind) for asked in self._ours)

    def run(self, sample: Sample, rng: np.random.Generator) -> Floats:
        """The p-value of every test on one sample; see `run_tests`."""
        own = {
            i: _own(test, sample, rng)
            for i, test in enumerate(self.tests)
            if not isinstance(test, str)
        }
        p = self._p_values(sample, rng)
        return np.array([p[t] if isinstance(t, str) else own[i] for i, t in enumerate(self.tests)])

    def _p_values(self, sample: Sample, rng: np.random.Generator) -> dict[str, float]:
        if isinstance(sample, Groups):
            return _grouped(sample, self._names, rng, self.draws, self.rule)
        alone = isinstance(sample, Predicted)
        if alone and (sample.positive.all() or not sample.positive.any()):
            return dict.fromkeys(self._names, float("nan"))
        p: dict[str, float] = {}
        if self._theirs:
            papers: Any = paper_tests.against_chance if alone else paper_tests.compared
            p |= papers(sample, self._theirs, rng, self.draws, self.rule)
        if self._ours:
            # the seed of the verbs' tests; where none draws, nothing is taken from the stream
            seed = int(rng.integers(2**63)) if self._drawn else 0
            verbs: Any = against_chance if alone else compared
            p |= verbs(sample, self._ours, seed, self.draws, self.rule)
        return p


def run_tests(
    sample: Sample,
    tests: Sequence[str | UserTest],
    rng: np.random.Generator,
    *,
    draws: int = 999,
    rule: Rule = "standard",
) -> Floats:
    """The p-value of every test on one sample.

    Tests against chance are one-sided, comparisons two-sided. A measure has the test that
    `assess` or `compare` gives it, with `draws` and a seed drawn from `rng`. The papers' tests are
    those of `studies.paper_tests`. Statistics of two groups: labels permuted. Where a test of
    predictions is not defined, as in a sample without positives, its p is NaN, which rejects
    nothing.

    >>> rng = np.random.default_rng(1)
    >>> sample = Predicted(np.arange(40) < 20, np.linspace(0.9, 0.1, 40))
    >>> run_tests(sample, ["fisher", "brier"], rng).round(3)
    array([0.   , 0.001])
    """
    return Battery(tuple(tests), kind_of(sample), draws, rule).run(sample, rng)


def _own(test: UserTest, sample: Sample, rng: np.random.Generator) -> float:
    """What a test of one's own returns, if it is a p-value."""
    p: Any = test(sample, rng)
    if isinstance(p, np.ndarray) and p.ndim == 0:
        p = p.item()
    number = isinstance(p, Real) and not isinstance(p, bool)
    if number and 0.0 <= p <= 1.0 + ROUNDING:
        return min(float(p), 1.0)
    what = f"{p}" if p is None or number else f"a {type(p).__name__}"
    raise AboveChanceError(
        f"a test must return a p-value, a number in [0, 1]; {name_of(test)} returned {what}."
    )


def _papers(kind: type) -> tuple[str, ...]:
    return paper_tests.AGAINST_CHANCE if kind is Predicted else paper_tests.COMPARISONS


def _grouped(
    sample: Groups, names: Sequence[str], rng: np.random.Generator, draws: int, rule: Rule
) -> dict[str, float]:
    if not names:
        return {}
    from abovechance.signal import evaluate

    statistics = [_statistic(name, sample) for name in names]
    permuted = LabelPermutations(sample.labels).draw(rng, draws)
    labels = np.concatenate([sample.labels[None], permuted.astype(np.int64)])
    values = evaluate(sample.X, labels, statistics, rng)
    # A statistic that is not defined on these labels rejects nothing.
    undefined = np.isnan(values).any(axis=0)
    p = p_by_rule(*_finite(values), rule, "greater")
    return dict(zip(names, np.where(undefined, 1.0, p), strict=True))


def _statistic(name: str, sample: Groups) -> Any:
    from abovechance.signal import find, oracle

    if name.lower() != "oracle":
        return find(name)
    if sample.covariance is None:
        raise AboveChanceError(NO_ORACLE)
    return oracle(sample.covariance)


def _finite(values: Floats) -> tuple[Floats, Floats]:
    filled = np.where(np.isnan(values), 0.0, values)
    return filled[0], filled[1:]


def title_of(test: str | UserTest, label: str, kind: type) -> str | None:
    """A test in words; None for statistics of two groups and tests of one's own."""
    if not isinstance(test, str) or kind is Groups:
        return None
    if "=" in test:
        words = method_for(test, kind).worded()
        return f"{words[0].upper()}{words[1:]}, of {_measure(label.partition('=')[0])}"
    if kind is Pair:
        return TITLES_OF_TWO_MODELS.get(test) or f"Paired test of {_measure(label)}"
    if test == "fisher" and label != test:
        return f"{TITLES_AGAINST_CHANCE[test]} of {_measure(label)}"
    return TITLES_AGAINST_CHANCE.get(test) or f"Permutation test of {_measure(label)}"


def _measure(label: str) -> str:
    from abovechance.inference.prose import lower
    from abovechance.measures import find

    return lower(find(label).title)


def alternative_of(test: str | UserTest, kind: type) -> str | None:
    """Which side a test looks at: "greater" against chance, "two-sided" between models."""
    if not isinstance(test, str) or kind is Groups:
        return None
    return "greater" if kind is Predicted else "two-sided"


def sides(alternatives: set[str | None]) -> str:
    """How many sides tests have, in a word before "tests"; nothing where that is not known.

    >>> sides({"greater"}), sides({"greater", None})
    ('one-sided ', '')
    """
    (one,) = alternatives if len(alternatives) == 1 else (None,)
    return "" if one is None else f"{SIDES[one]} "


def kind_in_words(words: str) -> type | None:
    """The kind of sample that a question in words is about."""
    return next((kind for kind, name in KINDS.items() if name == words), None)
