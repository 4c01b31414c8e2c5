"""Balance over another variable that goes with the class."""

from typing import Any

import numpy as np

from abovechance.errors import DataError, listed
from abovechance.predictions import Multiclass, checks
from abovechance.predictions.checks import aligned


def covariate_balanced_accuracy(y_true: Any, y_pred: Any, covariate: Any) -> float:
    r"""Share of right labels, averaged over every class at every value of another variable.

    .. math:: \frac{1}{KV} \sum_{k=1}^{K} \sum_{v=1}^{V} \frac{r_{kv}}{n_{kv}}

    with r of n cases of class k and value v right. A classifier that tells the values of the
    variable apart instead of the classes has balanced accuracy above chance where the two go
    together, and 1/K here.

    Parameters
    ----------
    y_true
        Observed classes.
    y_pred
        Predicted classes.
    covariate
        The value of the other variable in each case.

    Returns
    -------
    float
        The mean over all combinations of class and value.

    Raises
    ------
    DataError
        If the three are not of equal length, or a class does not occur at every value.

    See Also
    --------
    balanced_accuracy : over classes alone.

    References
    ----------
    Brodersen et al. (2010), section 4: balance over variables that correlate with the class.

    Examples
    --------
    >>> y, sex = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1]
    >>> covariate_balanced_accuracy(y, sex, sex)  # balanced accuracy of these labels is 0.75
    0.5
    """
    given, _, _ = aligned({"y_true": y_true, "y_pred": y_pred, "covariate": covariate})
    made = Multiclass(given["y_true"], label=given["y_pred"])
    other = checks.vector("covariate", given["covariate"])
    checks.same_length({"y_true": made.actual, "covariate": other})
    if checks.missing_mask(other) is not None:
        raise DataError("covariate must not be missing.")
    right = made.actual == made.label
    values, at = np.unique(other, return_inverse=True)
    classes = [k for k, share in enumerate(made.prevalences) if share > 0]
    cells = []
    for k in classes:
        for v, value in enumerate(values.tolist()):
            inside = (made.actual == k) & (at == v)
            if not inside.any():
                raise DataError(
                    f"every class must occur at every value of covariate; there is no case of "
                    f"{made.classes[k]} at {value}. Values: {listed(values.tolist())}."
                )
            cells.append(right[inside].mean())
    return float(np.mean(cells))
