"""Accuracy of a learner as a statistic: learner, scheme and scaling, composed, and their names."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from abovechance.arrays import Array, Floats, Ints
from abovechance.errors import NotApplicable
from abovechance.learning.learners import (
    LDA,
    DiagonalLDA,
    Estimator,
    Learner,
    LinearSVM,
    RegularisedDA,
    ShrunkenDiagonalLDA,
    SquaredHingeSVM,
)
from abovechance.learning.schemes import LeftOut, Resubstitution, Scheme, VFold

# ----------------------------------------------------------------------------------------------
# Names of accuracies: a grammar of learner, scheme and scaling, read and written here.
#
#     <learner>[.c<C>][.l<λ>][.g<γ>].<scheme>[.B<b>][.r<r>][.unbalanced][.z | .abs_z | .legacy_z]
#
# learner   lda, dlda, sdlda, hdrda (with λ and γ), svm, l2svm (with C)
# scheme    cv<V> (.r<r> repeats, .unbalanced folds), resub; of B bootstrap samples: bloo (a mean
#           over samples, equation 7), bloo_by_row (over rows, equation 6), b632, b632plus
# scaling   .z above the majority share; .abs_z its absolute value, which finds learners that are
#           worse than chance too (equation 5); .legacy_z the papers' z-score, fold by fold
#
# C is 1, V is 8 and B is 50 unless given.
# ----------------------------------------------------------------------------------------------


Scaling: TypeAlias = Literal["plain", "z", "abs_z", "legacy_z"]
Parts: TypeAlias = tuple[Learner, Scheme, Scaling]

LEARNERS: dict[str, type[Any]] = {
    "lda": LDA,
    "dlda": DiagonalLDA,
    "sdlda": ShrunkenDiagonalLDA,
    "hdrda": RegularisedDA,
    "svm": LinearSVM,
    "l2svm": SquaredHingeSVM,
}
BOOTSTRAPS = ("bloo", "bloo_by_row", "b632", "b632plus")
WORDS = (*LEARNERS, "cv", "resub", *BOOTSTRAPS, "unbalanced", "z", "abs_z", "legacy_z")
ALIKE = 0.5  # share of letters in common from which one part is taken for another
NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
GRAMMAR = re.compile(
    rf"(?P<learner>{'|'.join(LEARNERS)})"
    rf"(?:\.c(?P<cost>{NUMBER}))?(?:\.l(?P<pooling>{NUMBER}))?(?:\.g(?P<ridge>{NUMBER}))?"
    r"\.(?:cv(?P<folds>\d*)|(?P<resub>resub)|(?P<boot>bloo_by_row|bloo|b632plus|b632))"
    r"(?:\.b(?P<draws>\d+))?(?:\.r(?P<repeats>\d+))?(?P<unbalanced>\.unbalanced)?"
    r"(?:\.(?P<scaling>z|abs_z|legacy_z))?",
    re.IGNORECASE,
)
# What an option is called in a message, and which learners or schemes take it.
OPTIONS = {
    "cost": (".c", ("svm", "l2svm")),
    "pooling": (".l", ("hdrda",)),
    "ridge": (".g", ("hdrda",)),
    "draws": (".B", BOOTSTRAPS),
    "repeats": (".r", ("cv",)),
    "unbalanced": (".unbalanced", ("cv",)),
}
# What the numbers of a name are called, and the range each must lie in.
RANGES: dict[str, tuple[str, Callable[[float], bool], str]] = {
    "cost": ("C", lambda c: 0 < c < math.inf, "positive and finite"),
    "pooling": ("λ", lambda share: 0 <= share <= 1, "between 0 and 1"),
    "ridge": ("γ", lambda g: g < math.inf, "finite"),
    "folds": ("the number of folds", lambda v: v >= 2, "2 or more"),
    "draws": ("the number of bootstrap samples", lambda b: b >= 1, "1 or more"),
    "repeats": ("the number of repeats", lambda r: r >= 1, "1 or more"),
}


def parse_name(name: str) -> Parts | None:
    """Learner, scheme and scaling of a name, or None if it is not one of the grammar's.

    >>> parse_name("svm.c0.1.cv4.z")
    (LinearSVM(cost=0.1, scaling='sample'), VFold(folds=4, balanced=True, repeats=1), 'z')
    """
    found = GRAMMAR.fullmatch(name)
    if found is None:
        return None
    part = {key: value.lower() for key, value in found.groupdict().items() if value is not None}
    scheme = "resub" if "resub" in part else part.get("boot", "cv")
    for option, (sign, takers) in OPTIONS.items():
        if option in part and not {part["learner"], scheme} & set(takers):
            raise NotApplicable(f"{sign} goes with {' and '.join(takers)}; got {name!r}.")
    if part.get("scaling") == "legacy_z" and "boot" in part:
        raise NotApplicable(f".legacy_z is scaled fold by fold; use .z in {name!r}.")
    for option, (said, holds, wanted) in RANGES.items():
        if part.get(option) and not holds(float(part[option])):
            raise NotApplicable(f"{said} must be {wanted}; got {part[option]} in {name!r}.")
    return _learner(part), _scheme(part), part.get("scaling", "plain")  # type: ignore[return-value]


def nearest_name(asked: str) -> str | None:
    """The name of the grammar that a wrong one becomes when one of its parts is mended.

    >>> nearest_name("svm.c10.vc8"), nearest_name("smv.c10.cv8.z"), nearest_name("nonsense")
    ('svm.c10.cv8', 'svm.c10.cv8.z', None)
    """
    from difflib import get_close_matches

    parts = asked.split(".")
    tried = [".".join([*parts, "cv8"])]
    for place, part in enumerate(parts):
        stem = part.rstrip("0123456789")
        for whole, rest in ((part, ""), (stem, part[len(stem) :])):
            meant = get_close_matches(whole.lower(), WORDS, n=len(WORDS), cutoff=ALIKE)
            tried += [".".join([*parts[:place], m + rest, *parts[place + 1 :]]) for m in meant]
    return next((name for name in tried if _reads(name)), None)


def _reads(name: str) -> bool:
    try:
        return parse_name(name) is not None
    except NotApplicable:
        return False


def _learner(part: dict[str, str]) -> Learner:
    taken = {key: float(part[key]) for key in ("cost", "pooling", "ridge") if key in part}
    learner: Learner = LEARNERS[part["learner"]](**taken)
    return learner


def _scheme(part: dict[str, str]) -> Scheme:
    if "resub" in part:
        return Resubstitution()
    if "boot" in part:
        return LeftOut(part["boot"], int(part.get("draws", 50)))  # type: ignore[arg-type]
    repeats = int(part.get("repeats", 1))
    return VFold(int(part["folds"] or 8), "unbalanced" not in part, repeats)


def format_name(learner: Learner, scheme: Scheme, scaling: Scaling = "plain") -> str:
    """The name that stands for learner, scheme and scaling, all numbers written out.

    >>> format_name(LinearSVM(10.0), VFold(8))
    'svm.c10.cv8'
    """
    match scheme:
        case VFold(folds, balanced, repeats):
            how = f"cv{folds}" + (f".r{repeats}" if repeats > 1 else "")
            how += "" if balanced else ".unbalanced"
        case LeftOut(kind, draws):
            how = f"{kind}.B{draws}"
        case _:
            how = "resub"
    return f"{learner_name(learner)}.{how}" + ("" if scaling == "plain" else f".{scaling}")


def learner_name(learner: Learner) -> str:
    """The part of the name that stands for the learner.

    >>> learner_name(RegularisedDA(ridge=0.5))
    'hdrda.l1.g0.5'
    """
    match learner:
        case Estimator(estimator):
            return type(estimator).__name__
        case LinearSVM(cost):
            return f"svm.c{cost:g}"
        case SquaredHingeSVM(cost):
            return f"l2svm.c{cost:g}"
        case RegularisedDA(1.0, 0.0):
            return "hdrda"
        case RegularisedDA(pooling, ridge):
            return f"hdrda.l{pooling:g}.g{ridge:g}"
    names = {kind: name for name, kind in LEARNERS.items()}
    return names.get(type(learner), type(learner).__name__)


# ----------------------------------------------------------------------------------------------
# Accuracy of a learner as a statistic: learner, scheme and scaling, composed.
# ----------------------------------------------------------------------------------------------


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
        from abovechance.signal.statistic import classes_of, features_of

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
