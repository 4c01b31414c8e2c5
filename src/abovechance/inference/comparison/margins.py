"""Non-inferiority and equivalence: is a difference surely smaller than what would matter?"""

from collections.abc import Mapping
from typing import Any

from abovechance.errors import DataError, NotApplicable, UnknownMeasure, did_you_mean, shown
from abovechance.inference.comparison.contrasts import Contrast, one_sided
from abovechance.inference.comparison.results import Margin
from abovechance.measures import Measure, find


def margin_for(measure: Measure, margin: Any) -> float | None:
    """The margin of one measure: a number for all of them, or a mapping from names to numbers."""
    if margin is None:
        return None
    if isinstance(margin, Mapping):
        named = {_label(name, measure): value for name, value in margin.items()}
        if measure.label not in named:
            return None
        margin = named[measure.label]
    try:
        value = float(margin)
    except (TypeError, ValueError):
        value = float("nan")
    if not 0.0 < value < float("inf"):
        raise DataError(
            f"margin must be a positive number in the units of the measure; got {shown(margin)}."
        )
    return value


def refuse_unknown(margin: Any, measures: list[Measure]) -> None:
    """A margin for a measure that is not compared is a slip."""
    if not isinstance(margin, Mapping):
        return
    known = [m.label for m in measures]
    for name in margin:
        if not any(_label(name, m) == m.label for m in measures):
            meant = did_you_mean(str(name), known) or "."
            raise NotApplicable(f"margin names {name!r}, which is not compared{meant}")


def beside_margin(contrast: Contrast, measure: Measure, margin: float, level: float) -> Margin:
    """What the data say of a margin around zero.

    Non-inferior: the one-sided bound of the gain at 1 − α lies above −margin. Equivalent: the
    interval at 1 − 2α lies between −margin and margin (two one-sided tests). The interval shown
    decides; p-values are of the test whose inversion it is: Tango's score for paired shares, the
    resampled pivots for means. (Flipping differences plus the margin would not do: at a margin
    there is no symmetry to appeal to.) Where nothing varies there is no verdict.

    References
    ----------
    Schuirmann (1987), two one-sided tests; Liu et al. (2002) for paired shares.
    """
    if measure.higher_is_better is None:
        raise NotApplicable(f"{measure.title} has no better direction, so no margin.")
    alpha = round(1.0 - level, 12)
    if alpha >= 0.5:
        raise NotApplicable("a margin needs a confidence level above one half.")
    interval = one_sided(contrast, round(1.0 - 2.0 * alpha, 12))
    if interval.low == interval.high or not getattr(contrast, "varies", True):
        raise NotApplicable("nothing varies between the cases, so there is no verdict on a margin.")
    low, high = interval.low, interval.high
    if not measure.higher_is_better:
        low, high = -high, -low
    found = contrast.beyond(margin)
    if found is None:
        return Margin(
            margin=margin,
            alpha=alpha,
            interval=interval,
            noninferior=low > -margin,
            equivalent=-margin < low and high < margin,
        )
    below, above = found
    return Margin(
        margin=margin,
        alpha=alpha,
        interval=interval,
        noninferior=low > -margin and below <= alpha,
        equivalent=-margin < low and high < margin and max(below, above) <= alpha,
        p_noninferior=below,
        p_equivalent=max(below, above),
    )


def _label(name: str, measure: Measure) -> str:
    if name == measure.label:
        return name
    try:
        found = find(name)
    except UnknownMeasure:
        return name  # one of the user's own, or a slip that is told as such
    both = {found.label, *(found.for_outcome(kind).label for kind in measure.outcomes)}
    return measure.label if measure.label in both else found.label
