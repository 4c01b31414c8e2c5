"""Intervals over cross-validation folds, corrected for the overlap of training sets."""

import numpy as np

from abovechance.arrays import Floats
from abovechance.errors import NotApplicable
from abovechance.inference.results import Interval
from abovechance.measures import Measure
from abovechance.predictions import Binary, Multiclass, Predictions

CV = "Nadeau & Bengio (2003)"


def fold_values(measure: Measure, predictions: Predictions) -> tuple[Floats, int]:
    """The measure of every fold of every repeat, and the number of folds in a repeat."""
    fold, repeat = predictions.cases.fold, predictions.cases.repeat
    if fold is None:
        raise NotApplicable("an interval over folds needs the fold of every case.")
    runs = np.zeros(predictions.n) if repeat is None else np.unique(repeat, return_inverse=True)[1]
    parts = np.unique(
        np.stack([runs, np.unique(fold, return_inverse=True)[1]]), axis=1, return_inverse=True
    )[1]
    count = int(parts.max()) + 1
    folds = round(count / len(np.unique(runs)))
    sizes = np.bincount(parts)
    if sizes.max() == 1:
        raise NotApplicable("leave-one-out folds hold one case each: no spread within a fold.")
    values = np.empty(count)
    for k in range(count):
        part = predictions.take(parts == k)
        if isinstance(part, Binary | Multiclass) and (part.prevalences > 0).sum() < 2:
            raise NotApplicable("a fold holds one class only; use stratified folds.")
        values[k] = measure.of(part)
    return values, folds


def nadeau_bengio(
    measure: Measure, predictions: Predictions, *, confidence_level: float = 0.95
) -> Interval:
    r"""Interval of the mean over folds for the algorithm trained on as many cases.

    .. math:: \bar m \pm t_{kr-1} \sqrt{\left(\frac{1}{kr} + \frac{1}{k-1}\right) s^2}

    with k folds, r repeats and :math:`s^2` the variance over all kr folds. Training sets
    overlap, so folds vary less than independent experiments would: 1/(k − 1) makes up for it.

    References
    ----------
    Nadeau & Bengio (2003), eq. 9; Bouckaert & Frank (2004).
    """
    from scipy.special import stdtrit

    values, folds = fold_values(measure, predictions)
    if not np.isfinite(values).all():
        raise NotApplicable(f"{measure.title} is undefined in a fold.")
    if folds < 2:
        raise NotApplicable("an interval over folds needs at least two folds.")
    total = len(values)
    error = np.sqrt((1.0 / total + 1.0 / (folds - 1)) * values.var(ddof=1))
    half = float(stdtrit(total - 1, 0.5 + confidence_level / 2.0)) * error
    mean = values.mean()
    low, high = measure.range
    name = f"Nadeau–Bengio over {total} folds (mean {mean:.3f})"
    return Interval(max(mean - half, low), min(mean + half, high), confidence_level, name)
