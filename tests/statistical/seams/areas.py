"""Areas under the ROC curve near 1, over clusters, at a margin, of several classes, by any name."""

import numpy as np
from scipy.special import ndtri

import abovechance as ac
from abovechance.measures.measure import Family, Form, Law, measure
from abovechance.numerics import ranks
from abovechance.predictions import View
from statistical.seams.seam import seam

NEAR = "AUC near 1"
CLUSTERS = "AUC over clusters"
MARGIN = "AUC at a margin"
CLASSES = "AUC of several classes"
NAMES = "AUC by another name"
FEW = "AUC with one case of a class"
ICC = 0.5


def interval(predictions):
    """The interval that `assess` gives by default, without its tests."""
    return ac.intervals.delong(predictions)


def covers(found, truth: float) -> float:
    return np.nan if found is None else float(found.low <= truth <= found.high)


def width(found) -> float:
    return np.nan if found is None else found.high - found.low


def shown(declare, topic: str, setting: str, *, least: float, widest: float) -> None:
    """Coverage and mean width of one setting, `declare` giving an interval and the truth."""
    seam(topic, setting, "coverage", low=least)(lambda rng: covers(*declare(rng)))
    seam(topic, setting, "width", high=widest)(lambda rng: width(declare(rng)[0]))


# ---- near 1 ----------------------------------------------------------------------------------


def _perfect(n: int) -> ac.Binary:
    return ac.Binary(np.repeat([0, 1], n), score=np.arange(2.0 * n), pos_label=1)


for _size, _low in ((10, 0.79), (20, 0.89), (100, 0.975), (1000, 0.997)):
    seam(NEAR, f"AUC 1 seen in {_size}+{_size}", "lower limit", low=_low, fixed=True)(
        lambda rng, n=_size: ac.assess(_perfect(n), ["auc"], rng=1)["auc"].interval.low
    )


@seam(NEAR, "one discordant pair in 300+300", "lower limit", low=0.98, fixed=True)
def _one_discordant(rng: np.random.Generator) -> float:
    score = np.arange(600.0)
    score[[299, 300]] = score[[300, 299]]
    return interval(ac.Binary(np.repeat([0, 1], 300), score=score, pos_label=1)).low


@seam(NEAR, "AUC 1 in 20+20, every case twice", "width less that of one each", high=0, fixed=True)
def _doubled(rng: np.random.Generator) -> float:
    y, s = np.repeat([0, 1], 20), np.arange(40.0)
    twice = ac.Binary(np.repeat(y, 2), score=np.repeat(s, 2), pos_label=1)
    return width(interval(twice)) - width(interval(_perfect(20)))


def normal(rng, n1: int, n0: int, area: float, spread: float) -> tuple:
    shift = ndtri(area) * np.hypot(1.0, spread)
    score = np.r_[shift + spread * rng.normal(size=n1), rng.normal(size=n0)]
    return interval(ac.Binary(np.repeat([1, 0], [n1, n0]), score=score, pos_label=1)), area


def mixed(rng, n1: int, n0: int, area: float) -> tuple:
    """Some positives look like negatives, as when labels are noisy; all others stand above."""
    lost = rng.random(n1) < 2.0 * (1.0 - area)
    score = np.r_[rng.normal(size=n1) + np.where(lost, 0.0, 99.0), rng.normal(size=n0)]
    return interval(ac.Binary(np.repeat([1, 0], [n1, n0]), score=score, pos_label=1)), area


for _n1, _n0, _area, _spread, _least, _widest in (
    (10, 10, 0.95, 1.0, 0.90, 0.32),
    (6, 30, 0.95, 1.0, 0.90, 0.35),
    (20, 20, 0.98, 1.0, 0.90, 0.17),
    (20, 60, 0.9, 2.0, 0.90, 0.23),
    (50, 50, 0.95, 1.0, 0.93, 0.12),
    (50, 450, 0.95, 2.0, 0.93, 0.11),
    (50, 450, 0.8, 1.0, 0.93, 0.17),
    (200, 200, 0.99, 1.0, 0.93, 0.03),
):
    shown(
        lambda rng, a=(_n1, _n0, _area, _spread): normal(rng, *a),
        NEAR,
        f"{_n1}+{_n0}, AUC {_area:g}, spread × {_spread:g}",
        least=_least,
        widest=_widest,
    )
shown(
    lambda rng: mixed(rng, 50, 450, 0.97),
    NEAR,
    "50+450, AUC .97, 6 % of positives like negatives",
    least=0.93,
    widest=0.11,
)
shown(
    lambda rng: mixed(rng, 20, 20, 0.95),
    NEAR,
    "20+20, AUC .95, 10 % of positives like negatives",
    least=0.90,
    widest=0.25,
)


# ---- clusters --------------------------------------------------------------------------------


def constant(rng, sizes: tuple, area: float, models: int = 1) -> tuple:
    """Clusters of one class each; `sizes` are the cases of every cluster, positives first."""
    count = np.concatenate(sizes)
    y = np.repeat([1, 0], [sum(sizes[0]), sum(sizes[1])])
    groups = np.repeat(np.arange(len(count)), count)
    shift = np.sqrt(2.0) * ndtri(area)
    return y, groups, _scores(rng, groups, models) + shift * y


def crossing(rng, count: np.ndarray, share: float, area: float, models: int = 1) -> tuple:
    groups = np.repeat(np.arange(len(count)), count)
    y = (rng.random(len(groups)) < share).astype(int)
    y[:2], y[-2:] = [0, 1], [0, 1]
    return y, groups, _scores(rng, groups, models) + np.sqrt(2.0) * ndtri(area) * y


def _scores(rng, groups: np.ndarray, models: int) -> np.ndarray:
    """Normal scores, alike within clusters (ICC .5) and between models (correlation .5)."""
    units = groups.max() + 1
    common = rng.normal(size=(1, units)) + rng.normal(size=(models, units))
    own = rng.normal(size=(1, len(groups))) + rng.normal(size=(models, len(groups)))
    return np.sqrt(ICC / 2.0) * common[:, groups] + np.sqrt((1.0 - ICC) / 2.0) * own


def _cluster_sizes(positive: int, negative: int, each: int) -> tuple:
    return np.full(positive, each), np.full(negative, each)


UNEQUAL = np.tile([1, 2, 3, 6, 18], 4)
CONSTANT = {
    "5+40 clusters of 6": _cluster_sizes(5, 40, 6),
    "8+60 clusters of 5": _cluster_sizes(8, 60, 5),
    "10+10 clusters of 6": _cluster_sizes(10, 10, 6),
    "20+20 unequal clusters": (UNEQUAL, UNEQUAL),
}
for _name, _sizes in CONSTANT.items():

    @seam(CLUSTERS, f"{_name}, two equally good models", "level", high=0.05)
    def _level(rng, sizes=_sizes) -> float:
        y, groups, scores = constant(rng, sizes, 0.8, 2)
        two = {k: ac.Binary(y, score=s, groups=groups, pos_label=1) for k, s in enumerate(scores)}
        two = {f"m{k}": p for k, p in two.items()}
        p = ac.compare(two, ["auc"], rng=1)["auc"].p_value
        return np.nan if p is None else float(p <= 0.05)

    def _clustered(rng, sizes=_sizes, area=0.8) -> tuple:
        y, groups, scores = constant(rng, sizes, area)
        return interval(ac.Binary(y, score=scores[0], groups=groups, pos_label=1)), area

    for _area in (0.8, 0.97):
        shown(
            lambda rng, declare=_clustered, area=_area: declare(rng, area=area),
            CLUSTERS,
            f"{_name}, AUC {_area:g}",
            least=0.93 if "20+20" in _name else 0.90,
            widest=0.65,
        )


@seam(CLUSTERS, "5+40 clusters of 6, four equally good models at once", "level", high=0.05)
def _four(rng: np.random.Generator) -> float:
    y, groups, scores = constant(rng, CONSTANT["5+40 clusters of 6"], 0.8, 4)
    many = {
        f"m{k}": ac.Binary(y, score=s, groups=groups, pos_label=1) for k, s in enumerate(scores)
    }
    return float(ac.compare(many, ["auc"], rng=1).omnibus[0].p_value <= 0.05)


def _crossing(rng, count=UNEQUAL, share=0.3, area=0.9) -> tuple:
    y, groups, scores = crossing(rng, count, share, area)
    return interval(ac.Binary(y, score=scores[0], groups=groups, pos_label=1)), area


shown(_crossing, CLUSTERS, "20 unequal clusters of both classes", least=0.90, widest=0.30)


@seam(CLUSTERS, "AUC 1 in 10 clusters of 3+3", "width", low=0.05, high=0.4, fixed=True)
def _perfect_clusters(rng: np.random.Generator) -> float:
    y = np.tile([0, 1], 30)
    groups = np.repeat(np.arange(10), 6)
    return width(interval(ac.Binary(y, score=y + 0.01 * np.arange(60), groups=groups, pos_label=1)))


@seam(CLUSTERS, "4+60 clusters of one case", "limit off DeLong's", high=1e-12, fixed=True)
def _singletons(rng: np.random.Generator) -> float:
    draw = np.random.default_rng(1)
    y = np.r_[np.ones(4, int), np.zeros(60, int)]
    s = draw.normal(size=64) + y
    found = [
        ac.intervals.delong(ac.Binary(y, score=s, groups=g, pos_label=1), scale="identity").low
        for g in (None, np.arange(64))
    ]
    return abs(found[1] - found[0])


# ---- margins ---------------------------------------------------------------------------------


def two_models(rng, n1: int, n0: int, areas: tuple, spread: float = 1.0) -> dict:
    y = np.repeat([1, 0], [n1, n0])
    common, *own = rng.normal(size=(3, n1 + n0))
    noise = np.where(y, spread, 1.0) * np.sqrt(0.5)
    shifts = [ndtri(a) * np.hypot(1.0, spread) for a in areas]
    scores = [d * y + noise * (common + e) for d, e in zip(shifts, own, strict=True)]
    return {
        k: ac.Binary(y, score=s, pos_label=1) for k, s in zip(("new", "old"), scores, strict=True)
    }


for _n1, _n0, _areas, _spread in (
    (10, 10, (0.97, 0.99), 1.0),
    (30, 30, (0.97, 0.99), 1.0),
    (30, 30, (0.9, 0.95), 1.0),
    (100, 100, (0.95, 0.97), 1.0),
    (20, 100, (0.9, 0.95), 2.0),
    (60, 60, (0.75, 0.8), 1.0),
):
    _margin = round(_areas[1] - _areas[0], 6)
    _said = f"{_n1}+{_n0}, AUC {_areas[1]:g} and {_areas[0]:g}, margin {_margin:g}"
    _said += f", spread × {_spread:g}"

    @seam(MARGIN, _said, "level", high=0.05)
    def _noninferior(rng, a=(_n1, _n0, _areas, _spread), margin=_margin) -> float:
        found = ac.compare(two_models(rng, *a), ["auc"], rng=1, margin=margin)["auc"].margin
        return np.nan if found is None else float(found.noninferior)

    @seam(MARGIN, _said, "coverage of the difference", low=0.93)
    def _covered(rng, a=(_n1, _n0, _areas, _spread), margin=_margin) -> float:
        return covers(ac.compare(two_models(rng, *a), ["auc"], rng=1)["auc"].interval, -margin)


@seam(MARGIN, "two models, AUC 1 in 5+5, margin .02", "called equivalent", high=0.0, fixed=True)
def _nothing_varies(rng: np.random.Generator) -> float:
    y, other = np.repeat([0, 1], 5), np.array([0, 3, 1, 2, 4, 7, 5, 9, 6, 8.0])
    scores = {"new": np.arange(10.0), "old": other}
    two = {k: ac.Binary(y, score=s, pos_label=1) for k, s in scores.items()}
    found = ac.compare(two, ["auc"], rng=1, margin=0.02)["auc"].margin
    return 0.0 if found is None else float(found.equivalent or found.noninferior)


@seam(MARGIN, "100+100, AUC .97 both, margin .03", "power", low=0.3)
def _power(rng: np.random.Generator) -> float:
    two = two_models(rng, 100, 100, (0.97, 0.97))
    return float(ac.compare(two, ["auc"], rng=1, margin=0.03)["auc"].margin.noninferior)


# ---- several classes -------------------------------------------------------------------------


def _probabilities(rng, y: np.ndarray, k: int, strength: float) -> np.ndarray:
    score = rng.normal(size=(len(y), k)) + strength * np.eye(k)[y]
    wide = np.exp(score - score.max(axis=1, keepdims=True))
    return wide / wide.sum(axis=1, keepdims=True)


TRUTHS: dict = {}


def hand_till(k: int, strength: float) -> float:
    """The area in the limit, from one large sample."""
    if (k, strength) not in TRUTHS:
        rng = np.random.default_rng(12)
        y = np.repeat(np.arange(k), 60_000 // k)
        p = _probabilities(rng, y, k, strength)
        TRUTHS[k, strength] = ac.measures.auc(y, p)
    return TRUTHS[k, strength]


def several(rng, n: int, shares: tuple, strength: float) -> tuple:
    k = len(shares)
    sizes = np.maximum((n * np.array(shares)).astype(int), 2)
    y = np.repeat(np.arange(k), sizes)
    found = ac.assess(
        ac.Multiclass(y, probability=_probabilities(rng, y, k, strength)), ["auc"], rng=1, draws=99
    )
    return found["auc"].interval, hand_till(k, strength)


EVEN, UNEVEN = (1 / 3, 1 / 3, 1 / 3), (0.1, 0.3, 0.6)
for _n, _shares, _strength, _least, _widest in (
    (40, EVEN, 4.0, 0.90, None),
    (60, UNEVEN, 2.0, 0.90, None),
    (150, EVEN, 1.0, 0.93, 0.13),
    (150, EVEN, 3.0, 0.93, 0.03),
):
    _said = f"3 classes, {'even' if _shares is EVEN else '.1, .3, .6'}, n = {_n}"
    _said += f", shift {_strength:g}"
    seam(CLASSES, _said, "coverage", low=_least)(
        lambda rng, a=(_n, _shares, _strength): covers(*several(rng, *a))
    )
    if _widest is not None:
        seam(CLASSES, _said, "width", high=_widest)(
            lambda rng, a=(_n, _shares, _strength): width(several(rng, *a)[0])
        )


@seam(CLASSES, "3 × 50, 4 % of the labels wrong", "coverage", low=0.93)
def _mislabelled(rng: np.random.Generator) -> float:
    y = np.repeat(np.arange(3), 50)
    wrong = rng.random(150) < 0.04
    seen = np.where(wrong, (y + rng.integers(1, 3, size=150)) % 3, y)
    p = _probabilities(rng, y, 3, 8.0)
    found = ac.assess(ac.Multiclass(seen, probability=p), ["auc"], rng=1, draws=99)["auc"].interval
    return covers(found, 0.97)


@seam(CLASSES, "Hand–Till 1 in 3 × 15", "width", low=0.02, high=0.2, fixed=True)
def _perfect_classes(rng: np.random.Generator) -> float:
    y = np.repeat(np.arange(3), 15)
    p = ac.Multiclass(y, probability=0.9 * np.eye(3)[y] + 0.1 / 3)
    return width(ac.assess(p, ["auc"], rng=1, draws=99)["auc"].interval)


# ---- names -----------------------------------------------------------------------------------

DECLARED = {
    "family": Family.RANK,
    "form": Form.RANKS,
    "law": Law.PAIRS,
    "outcomes": frozenset({"binary"}),
    "prevalence_free": True,
    "reads": View.SCORE,
    "source": "declared here",
}


@measure(title="My area", range=(0.0, 1.0), best=1.0, **DECLARED)
def my_auc(ranked):
    """The area under another name."""
    return ranks.auc(ranked)


@measure(title="Area in percent", range=(0.0, 100.0), best=100.0, **DECLARED)
def area_percent(ranked):
    """The area in percent."""
    return 100.0 * ranks.auc(ranked)


@measure(title="Misordered pairs", range=(0.0, 1.0), best=0.0, **DECLARED)
def misordered(ranked):
    """What the area lacks of 1."""
    return 1.0 - ranks.auc(ranked)


for _own, _back in ((my_auc, (0.0, 1.0)), (area_percent, (0.0, 0.01)), (misordered, (1.0, -1.0))):

    @seam(NAMES, f"{_own.title}, 40+40", "limits off those of auc", high=1e-9, fixed=True)
    def _renamed(rng, own=_own, back=_back) -> float:
        draw = np.random.default_rng(3)
        y = np.repeat([0, 1], 40)
        made = ac.Binary(y, score=draw.normal(size=80) + y, pos_label=1)
        found = ac.assess(made, ["auc", own], rng=1, draws=99)
        mine, auc = (found[m].interval for m in (own.name, "auc"))
        ends = sorted(back[0] + back[1] * x for x in (mine.low, mine.high))
        return max(abs(ends[0] - auc.low), abs(ends[1] - auc.high))

    @seam(NAMES, f"{_own.title}, two models on 40+40", "p off that of auc", high=1e-9, fixed=True)
    def _compared(rng, own=_own) -> float:
        draw = np.random.default_rng(3)
        y = np.repeat([0, 1], 40)
        scores = draw.normal(size=(2, 80)) + y
        two = {k: ac.Binary(y, score=s, pos_label=1) for k, s in zip("ab", scores, strict=True)}
        found = ac.compare(two, ["auc", own], rng=1, draws=99)
        return abs(found[own.name].p_value - found["auc"].p_value)


# ---- one case of a class ---------------------------------------------------------------------


@seam(FEW, "1+5, two models", "p of DeLong's test", low=0.05, fixed=True)
def _one_case(rng: np.random.Generator) -> float:
    scores = ([5, 1, 2, 3, 4, 6], [2, 1, 5, 3, 4, 6])
    two = [ac.Binary([1, 0, 0, 0, 0, 0], score=s, pos_label=1) for s in scores]
    try:
        return ac.significance.delong(*two).p_value
    except ac.errors.NotApplicable:
        return np.nan


shown(
    lambda rng: normal(rng, 1, 40, 0.8, 1.0),
    FEW,
    "1+40, AUC .8, spread × 1",
    least=0.90,
    widest=0.9,
)
shown(
    lambda rng: normal(rng, 3, 40, 0.9, 1.0),
    FEW,
    "3+40, AUC .9, spread × 1",
    least=0.90,
    widest=0.6,
)
