"""Learners, folds and schemes; predictions from scikit-learn estimators."""

from abovechance.learning.from_sklearn import from_cv, from_estimator

__all__ = ["from_cv", "from_estimator"]
