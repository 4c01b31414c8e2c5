"""Names of accuracies: a grammar of learner, scheme and scaling, read and written here.

    <learner>[.c<C>][.l<λ>][.g<γ>].<scheme>[.B<b>][.r<r>][.unbalanced][.z | .abs_z | .legacy_z]

learner   lda, dlda, sdlda, hdrda (with λ and γ), svm, l2svm (with C)
scheme    cv<V> (.r<r> repeats, .unbalanced folds), resub; of B bootstrap samples: bloo (a mean
          over samples, equation 7), bloo_by_row (over rows, equation 6), b632, b632plus
scaling   .z above the majority share; .abs_z its absolute value, which finds learners that are
          worse than chance too (equation 5); .legacy_z the papers' z-score, fold by fold

C is 1, V is 8 and B is 50 unless given.
"""

import math
import re
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from abovechance.errors import NotApplicable
from abovechance.learning.discriminants import LDA, DiagonalLDA, ShrunkenDiagonalLDA
from abovechance.learning.estimators import Estimator
from abovechance.learning.learner import Learner
from abovechance.learning.margins import LinearSVM, SquaredHingeSVM
from abovechance.learning.regularised import RegularisedDA
from abovechance.learning.schemes import LeftOut, Resubstitution, Scheme, VFold

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
