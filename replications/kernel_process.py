"""The Gaussian process classifier of Dinga et al., as a scikit-learn estimator."""

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


class KernelProcess(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A Gaussian process whose kernel's width follows from the distances between rows.

    The mean of 1/q over the .1 and .9 quantiles of squared distances, as in kernlab's sigest.
    """

    def fit(self, X: Any, y: Any) -> "KernelProcess":
        """Fit to standardised features."""
        squared = pdist(StandardScaler().fit_transform(X), "sqeuclidean")
        width = float(np.mean(1.0 / np.quantile(squared[squared > 0], (0.1, 0.9))))
        process = GaussianProcessClassifier(RBF(np.sqrt(1 / (2 * width))), optimizer=None)
        self.model_ = make_pipeline(StandardScaler(), process).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """The likelier class."""
        return self.model_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of both classes."""
        return self.model_.predict_proba(X)
