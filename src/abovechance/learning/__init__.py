"""Learners, folds and schemes; predictions from scikit-learn estimators."""

from abovechance.learning.from_sklearn import (
    from_cross_validate,
    from_cv,
    from_estimator,
    recognise,
)
from abovechance.learning.learners import (
    LDA,
    DiagonalLDA,
    Estimator,
    Learner,
    LinearSVM,
    Predictor,
    RegularisedDA,
    RidgeLogistic,
    ShrinkageLDA,
    ShrunkenDiagonalLDA,
    SquaredHingeSVM,
    fit_predict,
    predicted,
)
from abovechance.learning.schemes import (
    LeftOut,
    Resubstitution,
    Scheme,
    VFold,
    balanced_folds,
    bootstrap_counts,
    unbalanced_folds,
)
from abovechance.learning.training import cross_validate, fit_many

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
    "RidgeLogistic",
    "Scheme",
    "ShrinkageLDA",
    "ShrunkenDiagonalLDA",
    "SquaredHingeSVM",
    "VFold",
    "balanced_folds",
    "bootstrap_counts",
    "cross_validate",
    "fit_many",
    "fit_predict",
    "from_cross_validate",
    "from_cv",
    "from_estimator",
    "predicted",
    "recognise",
    "unbalanced_folds",
]
