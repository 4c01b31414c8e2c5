"""What the audit found: losses at a stated prevalence, references, margins few cases decide."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import abovechance as ac
from statistical.audit.settings import Setting
from statistical.audit.worlds import sample, truth
from statistical.seams.seam import seam

STATED, REFERENCE = "classes sampled apart", "the best single number"
RARE, SMALL, LARGEST = "margins that few cases decide", "few cases compared", "largest shares"
DRAWS = 199

# 62 controls and 63 cases with heavy tails, stated to be one case in eleven
APART = Setting(
    kind="binary",
    verb="assess",
    n=125,
    prevalence=0.0875,
    effect=1.47,
    tails="t3",
    ties=12,
    confidence=0.5,
    sampling="case-control",
)
SHARP = Setting(
    kind="binary",
    verb="margin",
    n=65,
    prevalence=0.0615,
    effect=4.23,
    ties=12,
    cut="prevalence",
    correlation=0.5,
    worse=0.854,
)
SKEWED = Setting(kind="numeric", verb="assess", n=348, tails="skewed", ties=3)
CLASSES = Setting(kind="multiclass", verb="assess", n=59, classes=4, effect=3.95)


@cache
def _true(s: Setting, measure: str, model: str = "new") -> float:
    return truth(s, measure, model)


def _assessed(s: Setting, measure: str, rng: np.random.Generator) -> tuple[Any, Any]:
    options: dict[str, Any] = {}
    if s.sampling == "case-control":
        options = {"sampling": s.sampling, "prevalence": s.prevalence}
    found = ac.assess(sample(s, rng)["new"], [measure], draws=DRAWS, rng=1, **options)
    return found.estimates[0], found.advice


def _covered(row: Any, goal: float) -> float:
    found = row.interval
    return float("nan") if found is None else float(found.low <= goal <= found.high)


def _level(rng: np.random.Generator, measure: str, s: Setting) -> float:
    """Whether a model is called non-inferior that is worse by exactly the margin."""
    margin = abs(_true(s, measure) - _true(s, measure, "old"))
    found = ac.compare(sample(s, rng), [measure], margin={measure: margin}, draws=DRAWS, rng=1)
    verdict = found.differences[0].margin
    return float(verdict is not None and verdict.noninferior)


def _warned(advice: Any) -> bool:
    return any("cover less" in str(a) for a in advice)


@seam(STATED, "standardised net benefit, 62+63, prevalence .09, heavy tails", "coverage", low=0.93)
def _net_benefit(rng: np.random.Generator) -> float:
    row, _ = _assessed(APART, "standardised_net_benefit", rng)
    return _covered(row, _true(APART, "standardised_net_benefit"))


for _measure in ("brier", "log_loss", "average_precision", "mcfadden_r2"):

    @seam(
        STATED,
        f"{_measure}, 62+63, prevalence .09, heavy tails",
        "share not covered and not a word",
        high=0.05,
    )
    def _told(rng: np.random.Generator, measure: str = _measure) -> float:
        row, advice = _assessed(APART, measure, rng)
        covered = _covered(row, _true(APART, measure))
        return covered if np.isnan(covered) else float(covered == 0.0 and not _warned(advice))


for _measure in ("relative_error", "mae"):

    @seam(
        REFERENCE,
        f"{_measure}, skewed outcomes, predictions that know nothing",
        "level of skill",
        high=0.05,
    )
    def _skill(rng: np.random.Generator, measure: str = _measure) -> float:
        y = np.exp(0.8 * rng.normal(size=SKEWED.n))
        nothing = np.exp(0.1 * rng.normal(size=SKEWED.n) - (0.4 if measure != "mae" else 0.0))
        row = ac.assess(ac.Numeric(y, nothing), [measure], draws=DRAWS, rng=1).estimates[0]
        return float(row.skill.p_value <= 0.05)


for _measure in ("log_score", "brier", "mcfadden_r2"):

    @seam(RARE, f"{_measure}, 4 of 65 cases positive, few errors", "level", high=0.05)
    def _rare(rng: np.random.Generator, measure: str = _measure) -> float:
        return _level(rng, measure, SHARP)


@seam(
    SMALL,
    "log score, 4 of 65 cases positive, few errors",
    "share not covered and not a word",
    high=0.05,
)
def _said(rng: np.random.Generator) -> float:
    goal = _true(SHARP, "log_score") - _true(SHARP, "log_score", "old")
    found = ac.compare(sample(SHARP, rng), ["log_score"], draws=DRAWS, rng=1)
    covered = _covered(found.differences[0], goal)
    return covered if np.isnan(covered) else float(covered == 0.0 and not _warned(found.advice))


@seam(LARGEST, "standardised accuracy, 4 classes, n = 59", "coverage", low=0.93)
def _standardised(rng: np.random.Generator) -> float:
    row, _ = _assessed(CLASSES, "z_accuracy", rng)
    return _covered(row, _true(CLASSES, "z_accuracy"))


# scikit-learn's folds hold the classes alike, so they do not show how these vary between samples
STRATIFIED = Setting(
    kind="binary", verb="assess", n=352, prevalence=0.13, effect=0.39, origin="cv", folds=10
)

for _measure in ("accuracy", "brier", "log_loss"):

    @seam(
        "stratified folds", f"{_measure}, n = 352, prevalence .13, 10 folds", "coverage", low=0.93
    )
    def _folds(rng: np.random.Generator, measure: str = _measure) -> float:
        row, _ = _assessed(STRATIFIED, measure, rng)
        return _covered(row, _true(STRATIFIED, measure))


# probabilities twice too extreme on the log-odds scale: the intercept's line does not fit
@cache
def _shifted(too_extreme: float) -> float:
    outcome, odds = _extreme(400_000, too_extreme, np.random.default_rng(20_261))
    return ac.measures.calibration_in_the_large.of(_of_odds(outcome, odds))


def _extreme(n: int, times: float, rng: np.random.Generator) -> tuple[Any, Any]:
    odds = -0.5 + 1.5 * rng.normal(size=n)
    return rng.random(n) < 1.0 / (1.0 + np.exp(-odds)), times * odds


def _of_odds(outcome: Any, odds: Any) -> ac.Binary:
    return ac.Binary(outcome, probability=1.0 / (1.0 + np.exp(-odds)), pos_label=True)


for _times in (1.0, 2.0, 3.0):

    @seam(
        "a line that does not fit",
        f"calibration in the large, n = 200, log odds {_times:g} times too far",
        "coverage",
        low=0.93,
    )
    def _in_the_large(rng: np.random.Generator, times: float = _times) -> float:
        made = _of_odds(*_extreme(200, times, rng))
        row = ac.assess(made, ["calibration_in_the_large"], draws=DRAWS, rng=1).estimates[0]
        return _covered(row, _shifted(times))


COSTLY = Setting(
    kind="binary",
    verb="compare",
    n=150,
    prevalence=0.1,
    effect=1.5,
    cut="prevalence",
    correlation=0.5,
    worse=0.6,
)


@seam(
    "pairs of tables",
    "expected cost, n = 150, prevalence .1",
    "coverage, none counted as missed",
    low=0.93,
)
def _costs(rng: np.random.Generator) -> float:
    goal = _true(COSTLY, "expected_cost") - _true(COSTLY, "expected_cost", "old")
    try:
        row = ac.compare(sample(COSTLY, rng), ["expected_cost"], draws=DRAWS, rng=1).differences[0]
    except ValueError:  # as it was: tables with other cells
        return 0.0
    covered = _covered(row, goal)
    return 0.0 if np.isnan(covered) else covered


FEW_HELD = Setting(
    kind="binary",
    verb="margin",
    n=755,
    prevalence=0.31,
    effect=0.8,
    spread=2.0,
    cut="prevalence",
    clusters="unequal",
    held="constant",
    groups=13,
    icc=0.6,
    correlation=0.5,
    worse=0.41,
)

for _groups in (13, 26, 80):

    @seam(
        "margins over clusters",
        f"balanced accuracy, {_groups} clusters, three in ten positive",
        "level",
        high=0.05,
    )
    def _over_clusters(rng: np.random.Generator, groups: int = _groups) -> float:
        s = replace(FEW_HELD, groups=groups)
        return _level(rng, "balanced_accuracy", s)


RARELY_FOUND = Setting(
    kind="binary",
    verb="assess",
    n=196,
    prevalence=0.128,
    effect=0.94,
    spread=2.0,
    cut="half",
    origin="cv",
    folds=10,
)


@seam(
    "stratified folds",
    "balanced error rate, n = 196, prevalence .13, few positives found",
    "coverage",
    low=0.93,
)
def _rarely(rng: np.random.Generator) -> float:
    row, _ = _assessed(RARELY_FOUND, "balanced_error_rate", rng)
    return _covered(row, _true(RARELY_FOUND, "balanced_error_rate"))


# models that err alike in how frequent the classes are: all folds call too few, or too many
CALLED = Setting(
    kind="binary", verb="assess", n=991, prevalence=0.333, effect=0.843, origin="cv", folds=10
)

for _measure in ("sensitivity", "specificity", "balanced_error_rate"):

    @seam(
        "values at a threshold over folds",
        f"{_measure}, n = 991, prevalence .33, 10 folds",
        "coverage",
        low=0.93,
    )
    def _calling(rng: np.random.Generator, measure: str = _measure) -> float:
        row, _ = _assessed(CALLED, measure, rng)
        return _covered(row, _true(CALLED, measure))


@seam(
    "values at a threshold over folds",
    "sensitivity, the same with heavy-tailed features, missed without a word",
    "level",
    high=0.05,
)
def _calling_of_extremes(rng: np.random.Generator) -> float:
    s = replace(CALLED, tails="t3")
    row, advice = _assessed(s, "sensitivity", rng)
    missed = _covered(row, _true(s, "sensitivity")) == 0.0
    return float(missed and not any("may still cover" in a.text for a in advice))


GRADED = Setting(
    kind="binary",
    verb="compare",
    n=44,
    prevalence=0.0909,
    effect=1.5,
    spread=2.0,
    ties=3,
    confidence=2.0,
    correlation=0.9,
)


@seam(SMALL, "partial area of grades, 4 of 44 positive", "level", high=0.05)
def _graded(rng: np.random.Generator) -> float:
    found = ac.compare(sample(GRADED, rng), ["partial_auc"], draws=DRAWS, rng=1)
    p = found.differences[0].p_value
    return float("nan") if p is None else float(p <= 0.05)
