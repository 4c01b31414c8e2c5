"""Learners, folds and schemes; predictions from scikit-learn estimators."""

from abovechance.learning.discriminants import LDA, DiagonalLDA, ShrunkenDiagonalLDA
from abovechance.learning.engine import cross_validate, fit_many
from abovechance.learning.estimators import Estimator
from abovechance.learning.folds import balanced_folds, bootstrap_counts, unbalanced_folds
from abovechance.learning.from_sklearn import from_cv, from_estimator
from abovechance.learning.learner import Learner, Predictor, fit_predict, predicted
from abovechance.learning.margins import LinearSVM, SquaredHingeSVM
from abovechance.learning.recognise import recognise
from abovechance.learning.regularised import RegularisedDA
from abovechance.learning.schemes import LeftOut, Resubstitution, Scheme, VFold

__all__ = [
    "LDA",
    "DiagonalLDA",
    "Estimator",
    "Learner",
    "LeftOut",
    "LinearSVM",
    "Predictor",
    "RegularisedDA",
    "Resubstitution",
    "Scheme",
    "ShrunkenDiagonalLDA",
    "SquaredHingeSVM",
    "VFold",
    "balanced_folds",
    "bootstrap_counts",
    "cross_validate",
    "fit_many",
    "fit_predict",
    "from_cv",
    "from_estimator",
    "predicted",
    "recognise",
    "unbalanced_folds",
]
