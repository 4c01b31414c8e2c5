"""Do two models order the classes equally well? DeLong's test, for any number of models at once."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.influence import Gap, components
from abovechance.inference.method import Fact, Kind, Takes, answer, declared, test
from abovechance.inference.method import find as find_method
from abovechance.inference.results import Test
from abovechance.measures import Law
from abovechance.numerics.exact import never_zero
from abovechance.predictions import Binary, Multiclass
from abovechance.resampling import Alternative

__all__ = ["EQUAL_AREAS", "Gap", "delong", "gap_test", "p_of", "unpaired_gap"]

EQUAL_AREAS = "the areas under the ROC curves are equal"
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

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

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
        return gap_test(gap, alternative, "delong", {"unpaired": True, "df": gap.df})
    from abovechance.inference.comparison.pairs import two_on_the_same_cases

    for predictions in (first, second):
        find_method("delong", Kind.TEST).refuse(predictions)
    found = components(two_on_the_same_cases(first, second))
    gap = found.difference(0, 1)
    name, known = "delong", dict[str, Any](paired=True)
    if found.groups is not None:
        name, known = "obuchowski", {**known, "clusters": len(np.unique(found.groups))}
    if reference == "normal" or (reference is None and found.groups is None):
        gap = Gap(gap.difference, gap.error, np.inf)
    elif np.isfinite(gap.df):
        known["df"] = gap.df
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
    below = sum(v**2 / df for v, df in zip(variances, free, strict=True))
    total = sum(variances)
    df = total**2 / below if below > 0 else np.inf
    return Gap(float(parts[0].areas[0] - parts[1].areas[0]), float(np.sqrt(total)), df)


def gap_test(
    gap: Gap,
    alternative: Alternative,
    name: str,
    known: Mapping[str, Any],
    hypothesis: str = EQUAL_AREAS,
) -> Test:
    """A difference over its standard error; no difference without spread is z = 0, as in pROC."""
    if gap.error == 0.0 and gap.difference != 0.0:
        raise NotApplicable("the difference has no spread in these cases, so no standard error.")
    z = gap.difference / gap.error if gap.error > 0 else 0.0
    return answer(
        name,
        statistic=float(z),
        p_value=p_of(z, gap.df, alternative),
        alternative=alternative,
        hypothesis=hypothesis,
        **known,
    )


def p_of(z: float, df: float, alternative: Alternative) -> float:
    """Tail of the normal distribution, or of Student's when there are degrees of freedom."""
    from scipy.special import ndtr, stdtr

    def below(x: float) -> float:
        return float(ndtr(x)) if not np.isfinite(df) else float(stdtr(df, x))

    tails = {"greater": below(-z), "less": below(z), "two-sided": 2.0 * below(-abs(z))}
    if alternative not in tails:
        raise NotApplicable(f"alternative must be one of {', '.join(tails)}; got {alternative!r}.")
    return never_zero(tails[alternative])
