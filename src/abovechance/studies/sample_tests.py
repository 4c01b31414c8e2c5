"""The tests that a study runs on a sample: their names, their titles, their p-values.

A measure stands for the test that `assess`, or `compare`, gives it (`studies.verb_tests`); tests of
the papers that the verbs do without have names of their own (`studies.paper_tests`). All tests of
one sample share its permutations or sign flips.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import AboveChanceError, did_you_mean
from abovechance.resampling import LabelPermutations
from abovechance.settings import Rule
from abovechance.studies import paper_tests, verb_tests
from abovechance.studies.designs import Groups, Pair, Predicted, Sample, UserTest, name_of
from abovechance.studies.paper_tests import p_by_rule

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
    return verb_tests.AGAINST_CHANCE if kind is Predicted else verb_tests.COMPARISONS


def known_tests(kind: type) -> tuple[str, ...]:
    """The names of tests for a kind of sample; any other measure's name is one too."""
    if kind is Predicted:
        return (*verb_tests.AGAINST_CHANCE, *_own_names(kind))
    if kind is Pair:
        return (*verb_tests.COMPARISONS, *_own_names(kind))
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
    if meant != verb_tests.FISHER or test.lower() == verb_tests.FISHER:
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
    return verb_tests.tested_as(name, kind)


def _own_names(kind: type) -> tuple[str, ...]:
    """Names of tests that are no names of measures."""
    if kind is Predicted:
        return (verb_tests.FISHER, *verb_tests.SKILLS, *paper_tests.AGAINST_CHANCE)
    return paper_tests.COMPARISONS


def uses_draws(test: str | UserTest, kind: type) -> bool:
    """Whether a test by name rests on permutations or flips."""
    if not isinstance(test, str):
        return False
    if kind is Groups or "." in test:
        return True
    return test not in _own_names(kind) and verb_tests.draws_of(test, kind)


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
    def _ours(self) -> tuple[verb_tests.Asked, ...]:
        """Tests of the verbs."""
        rest = (name for name in self._names if name not in self._theirs)
        return tuple(verb_tests.Asked.by(name, self.kind) for name in rest)

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
            verbs: Any = verb_tests.against_chance if alone else verb_tests.compared
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
        words = verb_tests.method_for(test, kind).worded()
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
