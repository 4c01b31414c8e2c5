"""Any scikit-learn classifier as a learner."""

from dataclasses import dataclass
from typing import Any

from abovechance.arrays import Floats, Ints
from abovechance.learning.learner import Predictor
from abovechance.learning.margins import Votes


@dataclass(frozen=True)
class Estimator:
    """A scikit-learn classifier or pipeline, cloned before every fit.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = Estimator(DecisionTreeClassifier(random_state=0))
    >>> import numpy as np
    >>> tree.fit(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])).scores(np.array([[0.9]]))
    array([[0., 1.]])
    """

    estimator: Any

    def fit(self, X: Floats, y: Ints) -> Predictor:
        from sklearn.base import clone

        return Votes(clone(self.estimator).fit(X, y))
