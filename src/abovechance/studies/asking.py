"""What a study is asked: sizes, effects and tests, checked before anything is simulated."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from numbers import Real
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.errors import AboveChanceError
from abovechance.resampling import child_seed
from abovechance.studies.closed_forms import level_of
from abovechance.studies.papers import Rule
from abovechance.studies.predictions import Binormal, Pilot, percent
from abovechance.studies.questions import QUESTIONS, label_of, named, uses_draws, usual_tests
from abovechance.studies.samples import Design, Groups, Predicted, Sample, UserTest, name_of, number

LEAST = 4
"""Cases in the smallest sample."""

USUAL_STATISTICS = ("hotelling", "hotelling_shrink", "srivastava_du", "lda.cv8")

RARE = 0.15
"""How far the threshold may lie from the prevalence before that is worth a remark."""

UNEQUAL = 0.05
"""How far the share of positives may lie from one half before that is worth a remark."""

LABELLED = ("fisher", "skill.accuracy", "binomial")
"""Tests against chance that see predicted labels only."""

OPTIMISM = Advice(
    "AC801",
    "these powers take the pilot's predictions at their word. A small pilot that looked good "
    "enough to go on is optimistic; an effect (--keep) of 0.8 or 0.5 shows the power of a model "
    "that keeps only that share of the signal.",
    "Albers & Lakens 2018",
)
MAJORITY = Advice(
    "AC803",
    "binomial tests accuracy against the share of the larger class, as the papers do; assess tests "
    "accuracy by Fisher's test, which has another power when the classes are unequal. To plan for "
    "assess, ask for accuracy.",
    "Dinga et al.",
)


@dataclass(frozen=True)
class Asked:
    """The tests of a study: as they are run, and under names of which no two are equal."""

    tests: tuple[str | UserTest, ...]
    labels: tuple[str, ...]
    kind: type
    advice: tuple[Advice, ...]

    @property
    def question(self) -> str:
        return QUESTIONS[self.kind]


def design_and_tests(
    design: Design | str, tests: str | UserTest | Sequence[str | UserTest] | None
) -> tuple[Design, str | UserTest | Sequence[str | UserTest] | None]:
    """A design and its tests; the name of a test alone is asked of a calibrated model."""
    if not isinstance(design, str):
        return design, tests
    if tests is not None:
        raise AboveChanceError(
            f"the first argument must be a design, as ac.studies.Binormal(); got {design!r}."
        )
    return Binormal(), design


def asked_of(
    design: Design,
    tests: str | UserTest | Sequence[str | UserTest] | None,
    setting: tuple[int, float],
    *,
    alpha: float,
    draws: int,
    rule: Rule = "valid",
    seed: int = 0,
) -> Asked:
    """The tests to ask, checked; without any, the usual ones for the design.

    A design of one's own draws one sample first, to tell of what kind its samples are.
    """
    if isinstance(design, type):
        raise AboveChanceError(f"give a design, not its class: {design.__name__}(…).")
    kind, share = getattr(design, "kind", None), _share(design)
    if tests is None:
        if kind is None:
            raise AboveChanceError("name the tests; a design of your own has no usual ones.")
        tests = USUAL_STATISTICS if kind is Groups else usual_tests(kind)
    if kind not in QUESTIONS:
        sample = _one(design, setting, seed)
        kind = next(known for known in QUESTIONS if isinstance(sample, known))
        share = float(sample.positive.mean()) if isinstance(sample, Predicted) else share
    given = [tests] if isinstance(tests, str) or callable(tests) else list(tests)
    if not given:
        raise AboveChanceError("name at least one test.")
    asked = {_key(named(test, kind)): test for test in reversed(given)}
    chosen = [asked[key] for key in dict.fromkeys(_key(named(test, kind)) for test in given)]
    found = tuple(named(test, kind) for test in chosen)
    labels = labels_of([label_of(t, kind) if isinstance(t, str) else t for t in chosen])
    _reachable(found, kind, alpha, draws, rule)
    return Asked(found, labels, kind, _advice(design, found, labels, share))


def _key(test: str | UserTest) -> object:
    return test if isinstance(test, str) else id(test)


def _one(design: Design, setting: tuple[int, float], seed: int) -> Sample:
    sample = design(*setting, np.random.default_rng(child_seed(seed, "kind of design")))
    if not isinstance(sample, tuple(QUESTIONS)):
        raise AboveChanceError(
            f"a design must return a Predicted, a Pair or Groups of abovechance.studies; "
            f"{name_of(design)} returned a {type(sample).__name__}."
        )
    return sample


def labels_of(tests: Sequence[str | UserTest]) -> tuple[str, ...]:
    """Names for a table; functions whose name is taken are numbered.

    >>> labels_of(["len", len, len])
    ('len', 'len (2)', 'len (3)')
    """
    taken = {test for test in tests if isinstance(test, str)}
    found = []
    for test in tests:
        label = name = test if isinstance(test, str) else name_of(test)
        count = 1
        while not isinstance(test, str) and label in taken:
            count += 1
            label = f"{name} ({count})"
        taken.add(label)
        found.append(label)
    return tuple(found)


def _reachable(
    tests: Sequence[str | UserTest], kind: type, alpha: float, draws: int, rule: Rule
) -> None:
    """Refuse tests whose smallest p is above the level."""
    drawn = [str(test) for test in tests if uses_draws(test, kind)]
    if drawn and level_of(alpha, draws, rule) == 0.0:
        raise AboveChanceError(
            f"draws must be at least {ceil(1 / alpha) - 1} for a level of {alpha:g}: with {draws} "
            f"the smallest p of {', '.join(drawn)} is {1 / (draws + 1):.2g}. Raise draws, or leave "
            "out what needs them."
        )


def _share(design: object) -> float | None:
    """The share of positives where a design says it."""
    if isinstance(design, Binormal):
        return design.prevalence
    return float(design.positive.mean()) if isinstance(design, Pilot) else None


def _advice(
    design: Design,
    tests: Sequence[str | UserTest],
    labels: Sequence[str],
    share: float | None,
) -> tuple[Advice, ...]:
    """What to know about powers of these tests in this design."""
    found = []
    if isinstance(design, Pilot):
        found.append(OPTIMISM)
    labelled = [label for test, label in zip(tests, labels, strict=True) if test in LABELLED]
    threshold = design.threshold if isinstance(design, Binormal | Pilot) else share
    if labelled and share is not None and threshold is not None and abs(threshold - share) > RARE:
        found.append(_far_threshold(labelled, threshold, share))
    if share is not None and abs(share - 0.5) > UNEQUAL and "binomial" in tests:
        found.append(MAJORITY)
    return tuple(found)


def _far_threshold(tests: Sequence[str], threshold: float, share: float) -> Advice:
    see = "sees" if len(tests) == 1 else "see"
    text = (
        f"{' and '.join(tests)} {see} labels only, positive above {threshold:g} although "
        f"{percent(share)} of the cases are positive; another threshold has other power."
    )
    return Advice("AC802", text)


def sizes_of(n: Any) -> tuple[int, ...]:
    """Sizes as whole numbers, from one or several, each once.

    >>> sizes_of(np.int64(40)), sizes_of([20, 40.0, 20])
    ((40,), (20, 40))
    """
    given = _several(n)
    for size in given:
        if isinstance(size, bool) or not isinstance(size, Real) or not float(size).is_integer():
            raise AboveChanceError(f"n must be a whole number of cases; got {size!r}.")
    sizes = tuple(dict.fromkeys(int(size) for size in given))
    if not sizes or min(sizes) < LEAST:
        raise AboveChanceError(f"samples must have at least {LEAST} cases; got n = {list(sizes)}.")
    return sizes


def effects_of(design: Design, effects: Any) -> tuple[float, ...]:
    """Effects as numbers, each once; without any, the usual ones of the design."""
    if effects is None:
        effects = getattr(design, "effects", None)
        if effects is None:
            raise AboveChanceError("give effects=; a design of your own has no usual ones.")
    given = _several(effects)
    for effect in given:
        number("an effect", effect)
    if not given:
        raise AboveChanceError("give at least one effect.")
    return tuple(dict.fromkeys(float(effect) for effect in given))


def _several(values: Any) -> list[Any]:
    """One value, or several, as a list."""
    single = isinstance(values, str | Real) or not isinstance(values, Iterable)
    return [values] if single else list(values)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as columns, the first to the left and the others to the right.

    >>> print(aligned([("test", "n"), ("auc", "40")]))
    test   n
    auc   40
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            text.rjust(width) if i else text.ljust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
