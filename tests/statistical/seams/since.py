"""What was found since: other cases, few at a time, missing classes, order, thresholds, bands."""

from functools import cache, partial
from typing import Any

import numpy as np

import abovechance as ac
from statistical.audit import bands
from statistical.audit.settings import Setting
from statistical.audit.worlds import sample, truth
from statistical.seams.seam import seam

APART, LATE, MISSING = "different cases compared", "few cases at a time", "classes without a case"
ORDER, PARTS = "maxima in time order", "few cases unseen"
FEW = "models that part on few cases"
RARE = "hardly any case of one class"
SURE = "no case called wrongly"
SERIES = "few cases that tell, in time order"
CHOSEN = "thresholds chosen on the cases"
BENT = "calibration bands next to 0 and 1"
FOLLOWED = "calibration bands where the curve bends"
WORTH = "decision curves without an error seen"
RATES = "classes sampled at different rates, weights beside"
DRAWS = 199


def _labelled(rng: np.random.Generator, n: int) -> Any:
    """Three cases of ten positive, two labels of ten wrong."""
    y = np.zeros(n, dtype=int)
    while not 2 <= y.sum() <= n - 2:
        y = (rng.random(n) < 0.3).astype(int)
    label = np.where(rng.random(n) < 0.8, y, 1 - y)
    return ac.Binary(y, label=label, labels=[0, 1], pos_label=1)


for _measure in ("f1", "mcc"):

    @seam(APART, f"{_measure}, 80 + 40 cases, labels right in .8", "level", high=0.05)
    def _apart(rng: np.random.Generator, measure: str = _measure) -> float:
        models = {k: _labelled(rng, n) for k, n in (("a", 80), ("b", 40))}
        found = ac.compare(models, [measure], paired=False, draws=DRAWS, rng=1).differences[0]
        return float("nan") if found.p_value is None else float(found.p_value <= 0.05)


@seam(APART, "no error among 40 + 30 cases", "intervals of no width", high=0, fixed=True)
def _without_error(rng: np.random.Generator) -> float:
    y = [np.arange(n) % 2 for n in (40, 30)]
    models = {
        k: ac.Binary(v, probability=np.where(v, 0.9, 0.1), pos_label=1)
        for k, v in zip("ab", y, strict=True)
    }
    asked = ["f1", "mcc", "kappa", "balanced_accuracy", "brier", "log_score"]
    found = ac.compare(models, asked, paired=False, draws=DRAWS, rng=1).differences
    return float(sum(d.interval is not None and d.interval.low == d.interval.high for d in found))


def _weighted(rng: np.random.Generator, n: int) -> Any:
    """All right, with two kinds of weights."""
    y = np.arange(n) % 4 == 0
    score = 2.0 * y + rng.random(n)
    return ac.Binary(y, score=score, pos_label=True, sample_weight=1.0 + 2.0 * (score < 0.5))


@seam(APART, "partial area of 14 + 28 weighted cases, all right", "intervals of no width", high=0)
def _partial(rng: np.random.Generator) -> float:
    models = {k: _weighted(rng, n) for k, n in (("a", 14), ("b", 28))}
    found = ac.compare(models, ["partial_auc"], paired=False, draws=DRAWS, rng=1).differences[0]
    return float(found.interval is not None and found.interval.low == found.interval.high)


@seam(APART, "calibration errors of 200 + 800 cases, all calibrated", "level", high=0.05)
def _sizes(rng: np.random.Generator) -> float:
    models = {}
    for name, n in (("a", 200), ("b", 800)):
        p = rng.beta(2.0, 3.0, size=n)
        models[name] = ac.Binary((rng.random(n) < p).astype(int), probability=p, pos_label=1)
    found = ac.compare(models, ["ece"], paired=False, draws=DRAWS, rng=1).differences[0]
    return float("nan") if found.p_value is None else float(found.p_value <= 0.05)


ALIKE = Setting(kind="binary", verb="compare", n=150, prevalence=0.4, effect=1.0, series=0.8)

for _measure in ("sensitivity", "accuracy", "brier"):

    @seam(APART, f"{_measure}, two series of 150 times that keep .8", "level", high=0.05)
    def _series(rng: np.random.Generator, measure: str = _measure) -> float:
        models = {k: sample(ALIKE, rng)["new"] for k in ("a", "b")}
        found = ac.compare(models, [measure], paired=False, draws=DRAWS, rng=1).differences[0]
        return float("nan") if found.p_value is None else float(found.p_value <= 0.05)


CLOSE = Setting(
    kind="binary",
    verb="margin",
    n=20,
    prevalence=0.343,
    effect=0.947,
    confidence=0.5,
    cut="prevalence",
    correlation=0.9,
    worse=0.435,
    rounded=True,
)

for _measure in ("mcc", "f1"):

    @seam(FEW, f"{_measure} at its margin, 20 cases, models much alike", "level", high=0.05)
    def _close(rng: np.random.Generator, measure: str = _measure) -> float:
        margin = {measure: _worse(CLOSE, measure)}
        row = ac.compare(sample(CLOSE, rng), [measure], margin=margin, draws=DRAWS, rng=1)[measure]
        return float("nan") if row.margin is None else float(row.margin.noninferior)


def _numbers(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Normal errors, in part the same, of .8 and .5."""
    y, common = rng.normal(size=n), np.sqrt(0.3) * rng.normal(size=n)
    errors = [s * (common + np.sqrt(0.7) * rng.normal(size=n)) for s in (0.8, 0.5)]
    return {k: ac.Numeric(y, y + e) for k, e in zip(("new", "old"), errors, strict=True)}


for _measure, _margin, _n in (("rmse", 0.3, 13), ("rmse", 0.3, 20), ("mse", 0.39, 20)):

    @seam(FEW, f"{_measure} at its margin, {_n} cases", "level", high=0.05)
    def _loss(
        rng: np.random.Generator, measure: str = _measure, margin: float = _margin, n: int = _n
    ) -> float:
        found = ac.compare(_numbers(rng, n), [measure], margin=margin, draws=DRAWS, rng=1)
        row = found[measure]
        return float("nan") if row.margin is None else float(row.margin.noninferior)


# ---- hardly any case of one class --------------------------------------------------------------


def _rare(rng: np.random.Generator, positives: int) -> Any:
    """60 cases with probabilities that are right where one in twenty is positive."""
    y = np.arange(60) < positives
    p = _probability(1.5 * y + rng.normal(size=60), 1.5)
    return ac.Binary(y, probability=p, pos_label=True)


def _probability(seen: Any, shift: float) -> Any:
    return 1.0 / (1.0 + np.exp(-(np.log(0.05 / 0.95) + shift * seen - shift**2 / 2.0)))


@cache
def _tjur(shift: float) -> float:
    noise = np.random.default_rng(20_265).normal(size=400_000)
    return float((_probability(shift + noise, shift) - _probability(noise, shift)).mean())


for _positives in (2, 4):
    _cases = f"Tjur's R² of 60 cases, {_positives} positive"

    @seam(RARE, _cases, "coverage", low=0.9)
    def _of_few(rng: np.random.Generator, positives: int = _positives) -> float:
        row = ac.assess(_rare(rng, positives), ["tjur_r2"], draws=DRAWS, rng=1).estimates[0]
        if row.interval is None:
            return float("nan")
        return float(row.interval.low <= _tjur(1.5) <= row.interval.high)


# ---- no case called wrongly --------------------------------------------------------------------


def _sure(rng: np.random.Generator, n: int) -> Any:
    """Calls that are sure, one in a hundred of them wrong."""
    y = rng.random(n) < 0.35
    y[:2] = True, False
    side = np.where(y, 1.0, -1.0) * np.where(rng.random(n) < 0.01, -1.0, 1.0)
    p = 1.0 / (1.0 + np.exp(-(3.5 * side + rng.normal(size=n))))
    return ac.Binary(y, probability=p, pos_label=True)


@cache
def _true_of_sure(measure: str) -> float:
    return ac.measures.find(measure).of(_sure(np.random.default_rng(20_266), 400_000))


for _measure in ("brier", "log_score", "nagelkerke_r2"):

    @seam(SURE, f"{_measure}, 150 cases, one call in 100 surely wrong", "coverage", low=0.93)
    def _none_wrong(rng: np.random.Generator, measure: str = _measure) -> float:
        row = ac.assess(_sure(rng, 150), [measure], draws=DRAWS, rng=1).estimates[0]
        if row.interval is None:
            return float("nan")
        return float(row.interval.low <= _true_of_sure(measure) <= row.interval.high)


# ---- folds ---------------------------------------------------------------------------------------

PERFECT = Setting(
    kind="binary",
    verb="assess",
    n=570,
    prevalence=0.201,
    effect=4.1,
    origin="cv",
    folds=5,
    rounded=True,
)


@seam(
    "Cross-validation", "AUC .998 over 5 folds, 570 cases, a fifth positive", "coverage", low=0.93
)
def _near_one(rng: np.random.Generator) -> float:
    row = ac.assess(sample(PERFECT, rng)["new"], ["auc"], draws=DRAWS, rng=1).estimates[0]
    if row.interval is None:
        return float("nan")
    return float(row.interval.low <= truth(PERFECT, "auc") <= row.interval.high)


# ---- time order --------------------------------------------------------------------------------

CALLED = Setting(
    kind="binary",
    verb="margin",
    n=86,
    prevalence=0.252,
    effect=1.59,
    tails="skewed",
    spread=2.0,
    confidence=0.5,
    correlation=0.5,
    worse=0.456,
    series=0.6,
)


@cache
def _worse(s: Setting, measure: str) -> float:
    return abs(truth(s, measure) - truth(s, measure, "old"))


FEW_TIMES = Setting(
    kind="binary",
    verb="margin",
    n=125,
    prevalence=0.419,
    effect=1.18,
    tails="skewed",
    cut="prevalence",
    worse=0.838,
    series=0.9,
)

for _series, _measure in (
    (CALLED, "false_discovery_rate"),
    (CALLED, "npv"),
    (CALLED, "mcc"),
    (FEW_TIMES, "false_positive_rate"),
    (FEW_TIMES, "auc"),
):
    _of = f"{_series.n} times that keep {_series.series:g}".replace("0.", ".")

    @seam(SERIES, f"{_measure} at its margin, {_of}, of all samples", "level", high=0.05)
    def _at_margin(
        rng: np.random.Generator, s: Setting = _series, measure: str = _measure
    ) -> float:
        margin = {measure: _worse(s, measure)}
        row = ac.compare(sample(s, rng), [measure], margin=margin, rng=1).differences[0]
        return float(row.margin is not None and row.margin.noninferior)


def _rarely_large(rng: np.random.Generator, kept: float, n: int = 1000) -> dict[str, Any]:
    """Squared errors lognormal in time order; the other model is always right."""
    normal = np.empty(n)
    normal[0], *steps = rng.normal(size=n)
    for at, step in enumerate(steps, 1):
        normal[at] = kept * normal[at - 1] + np.sqrt(1.0 - kept**2) * step
    values = {"new": np.exp(0.8 * normal), "old": np.zeros(n)}
    order, none = np.arange(n), np.zeros(n)
    return {name: ac.Numeric(none, value=value, order=order) for name, value in values.items()}


for _kept in (0.6, 0.9):

    @seam(
        SERIES,
        f"squared lognormal errors at the margin, 1000 times that keep {_kept}, of all samples",
        "level",
        high=0.05,
    )
    def _large(rng: np.random.Generator, kept: float = _kept) -> float:
        margin = {"mse": float(np.exp(1.28))}
        row = ac.compare(_rarely_large(rng, kept), ["mse"], margin=margin, rng=1).differences[0]
        return float(row.margin is not None and row.margin.noninferior)


@seam(
    SERIES,
    "sensitivity of 9 positives of 100 times, all found",
    "lower limit",
    high=0.7,
    fixed=True,
)
def _nine(rng: np.random.Generator) -> float:
    y = np.arange(100) % 12 == 0
    p = np.where(y, 0.9, 0.3 + 0.25 * np.sin(np.arange(100)))
    made = ac.Binary(y, probability=p, pos_label=True, order=np.arange(100))
    return float(ac.assess(made, ["sensitivity"])["sensitivity"].interval.low)


# ---- survival at a time that few are followed to -----------------------------------------------


def _followed(rng: np.random.Generator, n: int) -> Any:
    """Risks that are too extreme by half, judged at a time that three in a hundred reach."""
    signal = rng.normal(size=n)
    time, limit = rng.exponential(np.exp(-signal)), 1.2 * rng.exponential(size=n)
    late = np.array([2.0])
    survival = np.exp(-late * np.exp(1.5 * signal[:, None]))
    return ac.Survival(
        np.minimum(time, limit), time <= limit, risk=signal, survival=survival, times=late
    )


@cache
def _slope() -> float:
    rng = np.random.default_rng(20_264)
    signal = rng.normal(size=200_000)
    time = rng.exponential(np.exp(-signal))
    survival = np.exp(-2.0 * np.exp(1.5 * signal[:, None]))
    seen = np.ones(len(time), dtype=bool)
    whole = ac.Survival(time, seen, risk=signal, survival=survival, times=np.array([2.0]))
    return ac.measures.find("calibration_slope_at").of(whole)


@seam(LATE, "calibration slope at a time that few of 100 reach", "missed without a word", high=0.05)
def _late(rng: np.random.Generator) -> float:
    found = ac.assess(_followed(rng, 100), ["calibration_slope_at"], draws=DRAWS, rng=1)
    row = found.estimates[0]
    if row.interval is None:
        return float("nan")
    missed = not row.interval.low <= _slope() <= row.interval.high
    return float(missed and not any("cover less" in str(a) for a in found.advice))


# ---- a class without a case --------------------------------------------------------------------


@seam(
    MISSING,
    "balanced accuracy where a subgroup has one class",
    "given without a word",
    high=0,
    fixed=True,
)
def _missing(rng: np.random.Generator) -> float:
    y = np.r_[np.arange(40) % 2, np.zeros(20, dtype=int)]
    label = np.where(np.arange(60) % 5 == 0, 1 - y, y)
    by = np.repeat(["both", "one"], [40, 20])
    made = ac.Binary(y, label=label, pos_label=1)
    found = ac.assess(made, ["balanced_accuracy"], by=by, draws=DRAWS, rng=1).estimates
    row = next(e for e in found if e.by is not None and "one" in str(e.by))
    said = f"{row.undefined or ''} {getattr(row, 'remark', None) or ''}"
    return float(np.isfinite(row.value) and "no case" not in said)


@seam(PARTS, "12 of 400 cases in a subgroup", "intervals without a word", high=0, fixed=True)
def _small_subgroup(rng: np.random.Generator) -> float:
    y = np.arange(400) % 2
    p = 0.5 + 0.3 * np.sin(np.arange(400)) + 0.1 * y
    by = np.repeat(["few", "rest"], [12, 388])
    made = ac.Binary(y, probability=p, pos_label=1)
    found = ac.assess(made, ["auc"], by=by, draws=DRAWS, rng=1)
    told = any("cover less" in str(a) for a in found.advice)
    return 0.0 if told else float(sum(e.interval is not None for e in found.estimates if e.by))


@seam(PARTS, "60 + 60 cases, worth 10 each", "intervals without a word", high=0, fixed=True)
def _worth_little(rng: np.random.Generator) -> float:
    y = np.arange(120) % 2
    p = 0.5 + 0.3 * np.sin(np.arange(120)) + 0.1 * y
    made = ac.Binary(y, probability=p, pos_label=1, sample_weight=np.exp(-np.arange(120) / 10.0))
    found = ac.assess(made, ["auc"], draws=DRAWS, rng=1)
    told = any("cover less" in str(a) for a in found.advice)
    return 0.0 if told else float(found["auc"].interval is not None)


@seam(ORDER, "KS distance and largest error of 100 times", "intervals", high=0, fixed=True)
def _largest(rng: np.random.Generator) -> float:
    y, time = np.arange(100) % 2, np.arange(100)
    try:
        two = ac.Binary(y, score=np.sin(time) + y, pos_label=1, order=time)
        one = ac.Numeric(np.cos(time), np.sin(time), order=time)
    except TypeError:  # a version that does not ask for the order
        return float("nan")
    rows = [ac.assess(p, [m], rng=1)[m] for p, m in ((two, "ks"), (one, "max_error"))]
    return float(sum(row.interval is not None for row in rows))


# ---- thresholds chosen on the cases ------------------------------------------------------------


def _holds_the_middle(rng: np.random.Generator, positives: int, n: int, criterion: str) -> float:
    """Scores of two normal classes, two apart: the best threshold lies midway."""
    y = np.arange(n) < positives
    made = ac.Binary(y.astype(int), score=rng.normal(size=n) + 2.0 * y)
    interval = ac.thresholds(made, draws=DRAWS, rng=1)[criterion].interval
    return float("nan") if interval is None else float(interval.low <= 1.0 <= interval.high)


for _title, _criterion, _positives in (
    ("nearest to the corner", "closest", 30),
    ("nearest to the corner", "closest", 5),
    ("greatest Youden's J", "youden", 290),
    ("greatest Youden's J", "youden", 270),
):

    @seam(CHOSEN, f"{_title}, {_positives} + {300 - _positives} cases", "coverage", low=0.94)
    def _chosen(
        rng: np.random.Generator, criterion: str = _criterion, positives: int = _positives
    ) -> float:
        return _holds_the_middle(rng, positives, 300, criterion)


# ---- calibration bands where probabilities crowd next to 0 and 1 -------------------------------


for _centre, _spread, _slope_of, _n in (
    (0.0, 4.0, 0.6, 500),
    (0.0, 4.0, 0.6, 2000),
    (0.0, 4.0, 1.6, 2000),
    (-3.0, 4.0, 0.6, 2000),
    (-6.0, 3.0, 1.0, 500),
):

    @seam(
        BENT,
        f"log odds {_centre:g} ± {_spread:g}, slope {_slope_of:g}, {_n} cases",
        "mean coverage of the band",
        low=0.93,
    )
    def _bent(
        rng: np.random.Generator,
        centre: float = _centre,
        spread: float = _spread,
        slope: float = _slope_of,
        n: int = _n,
    ) -> float:
        odds = rng.normal(centre, spread, n)
        chance = 1.0 / (1.0 + np.exp(-slope * odds))
        predicted = 1.0 / (1.0 + np.exp(-odds))
        made = ac.Binary((rng.random(n) < chance).astype(int), probability=predicted, pos_label=1)
        band, at = ac.curves.calibration(made), np.quantile(odds, np.linspace(0.06, 0.94, 23))
        low, high = (np.interp(1.0 / (1.0 + np.exp(-at)), band.x, y) for y in (band.low, band.high))
        truth = 1.0 / (1.0 + np.exp(-slope * at))
        return float(((low <= truth) & (truth <= high)).mean())


# ---- bands in settings that the audit drew -----------------------------------------------------


_drawn = partial(Setting, kind="binary", verb="assess")
_curved, _no_error = (FOLLOWED, "calibration"), (WORTH, "decision")
_bands_of = (
    (_curved, _drawn(n=1160, prevalence=0.3854, effect=2.1562, tails="skewed", cut="prevalence")),
    (
        _curved,
        _drawn(
            n=1019,
            prevalence=0.1424,
            effect=1.4569,
            tails="skewed",
            confidence=0.5,
            clusters="unequal",
            groups=15,
        ),
    ),
    (
        _curved,
        _drawn(
            n=754,
            prevalence=0.2546,
            effect=1.0895,
            spread=2.0,
            ties=6,
            confidence=0.5,
            cut="prevalence",
            clusters="equal",
            groups=51,
            icc=0.1,
            rounded=True,
        ),
    ),
    (
        _curved,
        _drawn(
            n=1023, prevalence=0.1271, effect=1.6261, tails="skewed", ties=12, weights="unrelated"
        ),
    ),
    (
        _no_error,
        _drawn(
            n=1359,
            prevalence=0.2024,
            effect=3.7154,
            spread=2.0,
            ties=3,
            weights="unrelated",
            misread=0.003,
        ),
    ),
    (_no_error, _drawn(n=203, prevalence=0.4326, effect=3.0248, ties=3, weights="unrelated")),
    (
        _no_error,
        _drawn(
            n=59,
            prevalence=0.4,
            effect=2.9023,
            tails="t3",
            ties=12,
            cut="prevalence",
            clusters="unequal",
            held="constant",
            groups=10,
            icc=0.6,
        ),
    ),
    (
        _no_error,
        _drawn(
            n=76,
            prevalence=0.1802,
            effect=3.4693,
            tails="t3",
            ties=6,
            cut="prevalence",
            weights="by score",
        ),
    ),
)

for (_topic, _curve), _setting in _bands_of:

    @seam(_topic, _setting.words, "mean coverage of the band", low=0.9)
    def _bands(rng: np.random.Generator, s: Setting = _setting, curve: str = _curve) -> float:
        tally, made = bands.Tally(), sample(s, rng)["new"]
        bands.look(s, curve, made, int(rng.integers(2**31)), tally)
        return tally.held[0] if tally.held else float("nan")


# ---- classes sampled at different rates --------------------------------------------------------

for _n, _prevalence, _effect, _cut in ((100, 0.05, 2.5, "half"), (150, 0.02, 2.0, "prevalence")):
    _sampled = _drawn(n=_n, prevalence=_prevalence, effect=_effect, cut=_cut, weights="by class")
    for _measure in ("precision", "npv", "net_benefit"):

        @seam(RATES, f"{_measure}: {_sampled.words}", "coverage", low=0.93)
        def _weighed(
            rng: np.random.Generator, s: Setting = _sampled, measure: str = _measure
        ) -> float:
            row = ac.assess(sample(s, rng)["new"], [measure], rng=1)[measure]
            if row.interval is None:
                return float("nan")
            return float(row.interval.low <= truth(s, measure) <= row.interval.high)


def _of_calls(rng: np.random.Generator, y: Any, tpr: float, fpr: float) -> Any:
    return (rng.random(len(y)) < np.where(y == 1, tpr, fpr)).astype(int)


@seam(RATES, "sensitivity, one in ten verified of those not called", "coverage", low=0.93)
def _verified(rng: np.random.Generator) -> float:
    y = (rng.random(1000) < 0.1).astype(int)
    label = _of_calls(rng, y, 0.9, 0.1)
    kept = (label == 1) | (rng.random(1000) < 0.1)
    weight = np.where(label == 1, 1.0, 10.0)[kept]
    made = ac.Binary(y[kept], label=label[kept], pos_label=1, sample_weight=weight)
    found = ac.assess(made, ["sensitivity"], rng=1)["sensitivity"].interval
    return float("nan") if found is None else float(found.low <= 0.9 <= found.high)


@seam(RATES, "net benefit, 30 clusters of 4, negatives weigh 19", "coverage", low=0.93)
def _weighted_clusters(rng: np.random.Generator) -> float:
    y = np.arange(120) % 2
    made = ac.Binary(
        y,
        probability=np.where(_of_calls(rng, y, 0.8, 0.02) == 1, 0.9, 0.1),
        threshold=0.5,
        pos_label=1,
        sample_weight=np.where(y == 1, 1.0, 19.0),
        groups=np.arange(120) // 4,
    )
    found = ac.assess(made, ["net_benefit"], rng=1, draws=DRAWS)["net_benefit"].interval
    value = 0.05 * 0.8 - 0.95 * 0.02
    return float("nan") if found is None else float(found.low <= value <= found.high)
