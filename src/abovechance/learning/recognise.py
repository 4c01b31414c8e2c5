"""Which scikit-learn estimators are learners of ours, to be trained the fast way."""

from functools import cache
from typing import Any

import numpy as np

from abovechance.learning.discriminants import LDA
from abovechance.learning.learner import Learner
from abovechance.learning.margins import LinearSVM

UNUSED = (
    "C",
    "tol",
    "cache_size",
    "gamma",
    "degree",
    "coef0",
    "verbose",
    "shrinking",
    "random_state",
)


def recognise(estimator: Any) -> Learner | None:
    """The learner that predicts what a scikit-learn classifier does, or None.

    Known are linear discriminants (the default solver, no shrinkage, shares of classes as prior)
    and linear support vector machines, alone or after a `StandardScaler`, all with default
    settings but for the cost.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> recognise(make_pipeline(StandardScaler(), SVC(kernel="linear", C=10)))
    LinearSVM(cost=10.0, scaling='population')
    >>> recognise(SVC(kernel="rbf"))
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    scaled = False
    if type(estimator) is Pipeline and len(estimator.steps) == 2:
        scaler, estimator = (step for _, step in estimator.steps)
        scaled = _default(scaler, StandardScaler(), but=("copy",))
        if not scaled:
            return None
    if _default(estimator, SVC(kernel="linear"), but=UNUSED):
        return LinearSVM(float(estimator.C), "population" if scaled else "none")
    # Scaling features one by one changes nothing in a discriminant.
    if _default(estimator, LinearDiscriminantAnalysis(), but=("store_covariance",)):
        return LDA("rows" if _divides_by_rows() else "degrees")
    return None


def _default(estimator: Any, plain: Any, but: tuple[str, ...] = ()) -> bool:
    """Whether an estimator is of the class of `plain` and has its parameters, but for some."""
    if type(estimator) is not type(plain):
        return False
    given, usual = estimator.get_params(deep=False), plain.get_params(deep=False)
    return all(np.array_equal(given[name], usual[name]) for name in usual if name not in but)


@cache
def _divides_by_rows() -> bool:
    """Whether the scikit-learn at hand divides the scatter by n rather than by n - K."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = np.array([[0.0], [1.0], [2.0], [4.0], [5.5]]), np.array([0, 0, 0, 1, 1])
    weight = LinearDiscriminantAnalysis().fit(X, y).coef_[0, 0]
    rows, degrees = (np.diff(how.fit(X, y).weights[:, 0])[0] for how in (LDA("rows"), LDA()))
    return bool(abs(weight - rows) < abs(weight - degrees))
