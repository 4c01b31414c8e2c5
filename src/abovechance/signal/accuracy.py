"""Accuracy of a learner as a statistic: learner, scheme and scaling, composed."""

from dataclasses import dataclass, field

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.learning.discriminants import LDA, DiagonalLDA, ShrunkenDiagonalLDA
from abovechance.learning.estimators import Estimator
from abovechance.learning.learner import Learner
from abovechance.learning.margins import LinearSVM, SquaredHingeSVM
from abovechance.learning.regularised import RegularisedDA
from abovechance.learning.schemes import LeftOut, Resubstitution, Scheme, VFold
from abovechance.signal.names import Scaling, format_name


@dataclass(frozen=True)
class Accuracy:
    """How well a learner tells the classes apart, as a statistic to be tested.

    >>> Accuracy(LinearSVM(10.0), VFold(8)).name
    'svm.c10.cv8'
    """

    learner: Learner
    scheme: Scheme = field(default_factory=VFold)
    scaling: Scaling = "plain"

    @property
    def name(self) -> str:
        """Its name in the grammar of `names`."""
        return format_name(self.learner, self.scheme, self.scaling)

    @property
    def title(self) -> str:
        """What it is, in words.

        >>> Accuracy(LDA(), LeftOut("b632", 50), "z").title
        'Accuracy of the linear discriminant, 0.632 bootstrap with 50 samples, standardised'
        """
        scaled = {
            "plain": "",
            "z": ", standardised",
            "abs_z": ", standardised, above or below chance",
            "legacy_z": ", standardised fold by fold",
        }
        told = f"Accuracy of the {_learner_words(self.learner)}, {_scheme_words(self.scheme)}"
        return told + scaled[self.scaling]

    @property
    def undefined_when(self) -> str:
        """Why it has no value, where it has none."""
        if self.scaling == "legacy_z":
            return "a fold holds one class only, so the papers' z-score divides by 0; use .z"
        if isinstance(self.scheme, LeftOut):
            return "no bootstrap sample left a row out; use more samples or more rows"
        return "the learner gave no accuracy on these data"

    def require(self, X: Floats, labels: Ints) -> None:
        """Refuse data on which the statistic is not defined."""
        if isinstance(self.scheme, VFold) and self.scheme.folds > len(X):
            raise NotApplicable(
                f"{self.name} needs as many rows as folds; got {len(X)} rows. "
                f"Use cv{len(X)} or fewer."
            )
        if len(np.unique(labels)) < 2:
            raise NotApplicable(f"{self.name} needs two classes or more; all labels are equal.")

    def __call__(self, X: Array, y: Array, *, rng: np.random.Generator) -> float:
        """The accuracy of features `X` (n, p) and labels `y`, its folds or samples from `rng`."""
        from abovechance.signal.battery import evaluate
        from abovechance.signal.checks import classes_of, features_of

        features = features_of(X)
        labels, _ = classes_of(y, len(features))
        return float(evaluate(features, labels[None], [self], rng)[0, 0])


def _learner_words(learner: Learner) -> str:
    match learner:
        case LDA():
            return "linear discriminant"
        case DiagonalLDA():
            return "diagonal discriminant"
        case ShrunkenDiagonalLDA():
            return "shrunken diagonal discriminant"
        case RegularisedDA(pooling, ridge):
            return f"regularised discriminant (λ = {pooling:g}, γ = {ridge:g})"
        case LinearSVM(cost):
            return f"linear support vector machine (C = {cost:g})"
        case SquaredHingeSVM(cost):
            return f"squared-hinge support vector machine (C = {cost:g})"
        case Estimator(estimator):
            return type(estimator).__name__
    return type(learner).__name__


def _scheme_words(scheme: Scheme) -> str:
    match scheme:
        case Resubstitution():
            return "resubstitution"
        case LeftOut(kind, draws):
            words = {
                "bloo": "leave-one-out",
                "bloo_by_row": "leave-one-out (averaged by row)",
                "b632": "0.632",
                "b632plus": "0.632+",
            }
            return f"{words[kind]} bootstrap with {draws} samples"
        case VFold(folds, balanced, repeats):
            times = f", {repeats} times" if repeats > 1 else ""
            return f"{folds}-fold {'' if balanced else 'unbalanced '}cross-validation{times}"
