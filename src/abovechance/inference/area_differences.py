"""Do models order the classes equally well? DeLong's test, limits by MOVER, one test of all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.areas import Area, quantile
from abovechance.inference.concordance import EQUAL_CONCORDANCES
from abovechance.inference.contrasts import EQUAL_AREAS, Answer, Contrast, gap_test, joined
from abovechance.inference.influence import Components, Gap, components
from abovechance.inference.method import Fact, Kind, Takes, comparison, declared, limits, test
from abovechance.inference.method import find as find_method
from abovechance.inference.results import Interval, Omnibus, Test
from abovechance.measures import Law
from abovechance.measures.rank import AreaScale
from abovechance.numerics.exact import never_zero
from abovechance.predictions import Binary, Multiclass
from abovechance.resampling import Alternative

if TYPE_CHECKING:
    from abovechance.inference.law_contrasts import ModelFamily

# ----------------------------------------------------------------------------------------------
# Do two models order the classes equally well? DeLong's test, for any number of models at once.
# ----------------------------------------------------------------------------------------------

REFERENCES = ("normal", "t")


@test(
    title="DeLong[, paired{paired}][ over {clusters} clusters][, unpaired{unpaired}]"
    "[, t({df:.1f})]",
    words="DeLong's test[ for different cases{unpaired}][ over {clusters} clusters]"
    "[ with Student's t ({df:.1f} degrees of freedom)]",
    source="delong1988",
    hypothesis=EQUAL_AREAS,
    laws=[Law.PAIRS],
    allows=[Fact.CLUSTERS, Fact.UNPAIRED],
    takes=Takes.PARTS,
    models=2,
)
def delong(
    first: Binary | Multiclass,
    second: Binary | Multiclass,
    *,
    alternative: Alternative = "two-sided",
    paired: bool = True,
    reference: str | None = None,
) -> Test:
    """Test whether two models have the same area under the ROC curve.

    With groups, clusters are what varies (Obuchowski), with one degree of freedom less than the
    clusters of the scarcer class. With more than two classes the area is Hand and Till's, whose
    components are sums of DeLong's over pairs of classes.

    Parameters
    ----------
    first, second
        Predictions of two models, with scores or probabilities.
    alternative
        "two-sided" (default); "greater": the first area is larger; "less". No area is ever turned
        round: a model that orders the classes the wrong way keeps its area below one half.
    paired
        Whether both models predicted the same cases. Otherwise the areas are independent and
        their difference is referred to Student's t with Welch's degrees of freedom, as in pROC.
    reference
        "normal", as DeLong; "t" with Satterthwaite's degrees of freedom over the classes, which
        keeps the level when the smaller class has less than about 50 cases. Unless stated, "normal"
        for independent cases and "t" over clusters.

    Raises
    ------
    DataError
        If the models did not predict the same cases, and `paired` is True.
    NotApplicable
        For an unknown reference; for predictions pooled over folds, cases in time order, and
        sampling weights.

    See Also
    --------
    abovechance.compare : the same test with the interval of the difference.
    exchange : for any other measure.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), eqs. 4–8; Obuchowski (1997); unpaired: Robin et al.
    (2011), pROC.

    Examples
    --------
    >>> from abovechance import examples
    >>> print(delong(examples.breast_cancer("p_forest"), examples.breast_cancer("p_texture")))
    p = 1.35e-12, DeLong, paired; H0: the areas under the ROC curves are equal
    """
    if reference is not None and reference not in REFERENCES:
        raise NotApplicable(f"reference must be 'normal' or 't'; got {reference!r}.")
    if not paired:
        method = find_method("delong", Kind.TEST)
        gap = unpaired_gap(*(method.checked(p) for p in (first, second)))
        return gap_test(gap, alternative, "delong", {"unpaired": True, **gap.freedom})
    from abovechance.inference.pairing import two_on_the_same_cases

    for predictions in (first, second):
        find_method("delong", Kind.TEST).refuse(predictions)
    found = components(two_on_the_same_cases(first, second))
    gap = found.difference(0, 1)
    name, known = "delong", dict[str, Any](paired=True)
    if found.groups is not None:
        name, known = "obuchowski", {**known, "clusters": len(np.unique(found.groups))}
    if reference == "normal" or (reference is None and found.groups is None):
        gap = Gap(gap.difference, gap.error, np.inf)
    else:
        known |= gap.freedom
    return gap_test(gap, alternative, name, known)


OBUCHOWSKI = declared(
    Kind.TEST,
    name="obuchowski",
    models=2,
    title="Obuchowski[, paired{paired}][ over {clusters} clusters][, t({df:.1f})]",
    words="Obuchowski's test[ over {clusters} clusters][ with Student's t ({df:.1f} degrees of "
    "freedom)]",
    source=("obuchowski1997", "delong1988"),
    hypothesis=EQUAL_AREAS,
    laws=[Law.PAIRS],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
    origin=__name__,
)


def unpaired_gap(first: Any, second: Any) -> Gap:
    """The difference of two areas from different cases."""
    parts = [components([p]) for p in (first, second)]
    spreads = [part.spread(part.influence) for part in parts]
    variances = [float(sum(part.matrix[0, 0] for part in spread)) for spread in spreads]
    free = [
        p.n - 1.0 if part.groups is None else spread[0].df
        for p, part, spread in zip((first, second), parts, spreads, strict=True)
    ]
    difference = float(parts[0].areas[0] - parts[1].areas[0])
    return Gap.of_parts(difference, list(zip(variances, free, strict=True)))


# ----------------------------------------------------------------------------------------------
# Differences of areas under ROC curves; and one test of several areas, or concordances.
# ----------------------------------------------------------------------------------------------


STEPS = 36  # halvings that find the level at which an interval ends at a margin, to 1e-11


MOVER = declared(
    Kind.INTERVAL,
    name="mover_of_areas",
    models=2,
    title="MOVER of Newcombe[ and logit {variance}][ over {clusters} clusters]",
    words="the MOVER method with[{variance:?} the wider of] Newcombe's limits[ and {variance}'s on "
    "the logit scale][ over {clusters} clusters]",
    source=("zou2008", "newcombe2006", "[{variance:?}delong1988]", "[{clusters:?}obuchowski1997]"),
    laws=[Law.PAIRS],
    allows=[Fact.CLUSTERS, Fact.UNPAIRED],
    takes=Takes.PARTS,
    origin=__name__,
)


@dataclass(frozen=True, eq=False)
class AreaContrast:
    r"""Two areas: a test of their difference, and limits from those that each area has by itself.

    .. math:: L = \hat A_1 - \hat A_2
              - \sqrt{(\hat A_1 - l_1)^2 + (u_2 - \hat A_2)^2
              - 2 r (\hat A_1 - l_1)(u_2 - \hat A_2)}

    and the upper limit alike, r being DeLong's correlation of the areas. Near 1 an area varies
    towards one side only, which a standard error of the difference cannot say: at areas above .95
    it takes a model for non-inferior in .16 to .20 of samples at the margin. Nothing is decided
    where nothing varies (`varies` false): what was not seen to differ may differ.

    References
    ----------
    Zou & Donner (2008), the method of variance estimates recovery.
    """

    tested: Contrast
    first: Area
    second: Area
    correlation: float
    scale: AreaScale
    turned: float
    varies: bool = True

    @property
    def difference(self) -> float:
        return self.tested.difference

    def test(self, alternative: Alternative) -> Answer:
        return self.tested.test(alternative)

    def interval(self, level: float) -> Interval:
        low, high = self._limits(level)
        slope = self.scale.slope
        ends = sorted((slope * max(low, -1.0), slope * min(high, 1.0)))
        low, high = min(ends[0], self.difference), max(ends[1], self.difference)
        return limits("mover_of_areas", low, high, level, **self.first.known_of_limits)

    def beyond(self, margin: float) -> tuple[float, float] | None:
        """The levels at which the interval would end at either margin."""
        reach = margin / abs(self.scale.slope)
        towards = self.turned * np.sign(self.scale.slope)
        below, above = self._below(-reach), self._below(reach)
        if towards < 0:
            return 1.0 - above, below
        return below, 1.0 - above

    def _limits(self, level: float) -> tuple[float, float]:
        return self._limit(level, 0), self._limit(level, 1)

    def _limit(self, level: float, side: int) -> float:
        """The lower (0) or upper (1) limit of the difference of the areas."""
        one = self.first.limit(quantile(level, self.first.df), float(side))
        other = self.second.limit(quantile(level, self.second.df), 1.0 - side)
        distances = abs(one - self.first.value), abs(other - self.second.value)
        gap = self.first.value - self.second.value
        return gap + (2 * side - 1) * joined(*distances, self.correlation)

    def _below(self, bound: float) -> float:
        """p-value of the difference of areas being `bound` or less, against its being more."""
        side = 0 if self.first.value - self.second.value > bound else 1
        low, high = 0.0, 0.5
        for _ in range(STEPS):
            middle = (low + high) / 2.0
            end = self._limit(1.0 - 2.0 * middle, side)
            if (end <= bound) if side == 0 else (end > bound):
                low = middle
            else:
                high = middle
        p = (low + high) / 2.0
        return p if side == 0 else 1.0 - p


def correlation_of(spread: Floats) -> float:
    """The correlation in a 2 × 2 covariance; 0 where one of the two does not vary."""
    below = float(spread[0, 0] * spread[1, 1])
    if below <= 0.0:
        return 0.0
    return float(np.clip(spread[0, 1] / np.sqrt(below), -1.0, 1.0))


def all_equal(
    label: str, found: Components, *, ranked: bool, least: int, few: int, at_most: float
) -> Omnibus:
    """F of all areas being equal; χ² where there are many cases and no clusters.

    The covariance is estimated, and with k models its uncertainty weighs more than with two. So F
    stands wherever two models have Student's t, whose square it is for k = 2. `least`: cases in
    the smallest class; fewer than `few` for every independent difference have F; `at_most`: bound
    of the degrees of freedom that a difference has.
    """
    hypothesis = "all areas are equal" if ranked else "all concordances are equal"
    known: dict[str, Any] = {"variance": "DeLong" if ranked else "infinitesimal jackknife"}
    if found.groups is None:
        statistic, df = wald(found.areas, found.covariance)
        if least >= few * df:
            known["law"] = "χ²"
            return _omnibus(label, known, statistic, df, None, hypothesis)
    else:
        known["clusters"] = len(np.unique(found.groups))
        if ranked:
            known["variance"] = "Obuchowski"
    statistic, df, error = box(found.areas, covariances(found), at_most)
    return _omnibus(label, {**known, "law": "F"}, statistic, df, error, hypothesis)


ALL_EQUAL = declared(
    Kind.OMNIBUS,
    name="all_equal",
    models=2,
    heading="F or χ²",
    title="[{variance} ][{law}][ over {clusters} clusters]",
    words="the[ {variance}][ {law}] test of all models[ over {clusters} clusters]",
    source=("delong1988", "brunner1997"),
    hypothesis="all areas are equal",
    laws=[Law.PAIRS, Law.CENSORED_PAIRS],
    allows=[Fact.CLUSTERS],
    takes=Takes.PARTS,
    origin=__name__,
)


def wald(values: Floats, covariance: Floats) -> tuple[float, float]:
    """χ² of all values being equal, and its degrees of freedom; alike models count once.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), eq. 9.
    """
    k = len(values)
    contrast = np.eye(k - 1, k) - np.eye(k - 1, k, 1)
    spread = contrast @ covariance @ contrast.T
    gaps = contrast @ values
    scale = float(np.abs(covariance).max())
    rank = int(np.linalg.matrix_rank(spread, tol=1e-10 * scale)) if scale > 0 else 0
    if rank == 0:
        return 0.0, 0.0
    inverse = np.linalg.pinv(spread, rcond=1e-10, hermitian=True)
    return float(gaps @ inverse @ gaps), float(rank)


def box(
    values: Floats, parts: Sequence[tuple[Floats, float]], at_most: float = np.inf
) -> tuple[float, float, float]:
    r"""F of all values being equal, with its two degrees of freedom.

    The squared distances of the values v from their mean, over what the covariance V of the
    values lets expect:

    .. math:: F = \frac{v' T v}{\mathrm{tr}(T V)}, \quad
              f = \frac{\mathrm{tr}(TV)^2}{\mathrm{tr}(TVTV)}, \quad
              f_0 = \frac{\mathrm{tr}(TV)^2}{\sum_i \mathrm{tr}(T V_i T V_i) / \nu_i}

    with T = I − 1/k and `parts` the independent V_i that add up to V, each with its degrees of
    freedom ν_i. No matrix is inverted, so few clusters and many models do no harm: with 4 equal
    models on 10 clusters of 6 this rejects .040 at .05, Hotelling's F .073, χ² .24.

    References
    ----------
    Box (1954), theorem 3.1; Brunner, Dette & Munk (1997), the ANOVA-type statistic; their f_0 is
    replaced by that of the variance of tr(TV), which is Satterthwaite's for two values and
    Greenhouse and Geisser's (1959) for one part.

    >>> box(np.array([0.9, 0.7, 0.8]), [(0.01 * np.eye(3), 9.0)])
    (1.0, 2.0, 18.0)
    """
    k = len(values)
    middle = np.eye(k) - 1.0 / k
    turned = [(middle @ part @ middle, df) for part, df in parts]
    whole = sum((part for part, _ in turned), np.zeros((k, k)))
    trace, gap = float(np.trace(whole)), float(((values - values.mean()) ** 2).sum())
    if trace <= 1e-12 * sum(float(np.trace(part)) for part, _ in parts):
        if gap > 1e-18:
            raise NotApplicable("the values differ without any spread in these cases.")
        return 0.0, 0.0, np.inf
    df = trace**2 / float((whole * whole).sum())
    below = sum(float((part * part).sum()) / freedom for part, freedom in turned)
    return gap / trace, df, min(trace**2 / below, df * at_most)


def covariances(found: Components) -> list[tuple[Floats, float]]:
    """Independent parts of the covariance of areas, one per class, with degrees of freedom.

    Over clusters there is one part, of Obuchowski's totals.
    """
    return [(part.matrix, part.df) for part in found.spread(found.influence)]


def _omnibus(
    label: str,
    known: dict[str, Any],
    statistic: float,
    df: float,
    error: float | None,
    hypothesis: str,
) -> Omnibus:
    from scipy.special import chdtrc, fdtrc

    if df == 0:
        p, error = 1.0, None
    else:
        p = float(chdtrc(df, statistic) if error is None else fdtrc(df, error, statistic))
    found = ALL_EQUAL.answer(
        statistic=statistic,
        p_value=never_zero(p),
        alternative="two-sided",
        hypothesis=hypothesis,
        **known,
    )
    return Omnibus.of(label, found, df, error)


# ----------------------------------------------------------------------------------------------
# The comparison that `compare` takes first, of areas and of concordances.
# ----------------------------------------------------------------------------------------------


def difference_of_areas(family: "ModelFamily", first: int, second: int) -> Contrast | None:
    """Of measures whose areas, or concordances, are sums over cases; None of others."""
    if family.areas is None:
        return None
    return family.area_contrast(family.areas, first, second)


DELONG = comparison(
    name="delong",
    title="DeLong, limits by MOVER",
    words="DeLong's test, with limits by MOVER from those of both areas",
    source=("delong1988", "zou2008", "obuchowski1997"),
    hypothesis=EQUAL_AREAS,
    default=[Law.PAIRS],
    allows=[Fact.CLUSTERS],
    takes=Takes.FAMILY,
    otherwise="mean_loss",
)(difference_of_areas)
JACKKNIFE = comparison(
    name="paired_jackknife",
    title="paired infinitesimal jackknife",
    words="the paired infinitesimal jackknife",
    source="therneau2015",
    hypothesis=EQUAL_CONCORDANCES,
    default=[Law.CENSORED_PAIRS],
    allows=[Fact.CLUSTERS],
    takes=Takes.FAMILY,
    otherwise="mean_loss",
)(difference_of_areas)
