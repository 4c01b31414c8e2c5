"""What must hold before a learner is refitted under permuted outcomes, and what to say of it."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Ints
from abovechance.errors import DataError, NotApplicable, listed
from abovechance.measures import Measure
from abovechance.predictions import Binary
from abovechance.resampling.draws import codes, labellings, members

FEW = 100  # labellings
SMALL = 1e-9
CODED = ([0, 1], [False, True])
HYPOTHESES = {
    "labels": "features and outcome are independent",
    "within": "within blocks, features and outcome are independent",
    "blocks": "features and outcome of whole blocks are independent",
}


def positive_class(measures: Sequence[Measure], y: Array, pos_label: Any) -> Any:
    """The class to call positive: as stated, else the last one where it makes no difference."""
    classes = np.unique(y).tolist()
    if pos_label is not None or len(classes) != 2 or classes in CODED:
        return pos_label
    needing = [m.label for m in measures if "binary" in m.outcomes and not symmetric(m)]
    if needing:
        raise DataError(
            f"pos_label must say which class is positive for {listed(needing)}; the classes are "
            f"{listed(classes)}. Pass pos_label={classes[-1]!r}, for instance."
        )
    return classes[-1]


def symmetric(measure: Measure) -> bool:
    """Whether a measure of two classes is the same whichever of them is called positive.

    >>> from abovechance.measures import find
    >>> [symmetric(find(name)) for name in ("accuracy", "auc", "sensitivity")]
    [True, True, False]
    """
    if not measure.directed:
        return True
    one, other = (measure.of(made) for made in _witnesses())
    return bool(abs(one - other) <= SMALL)


@cache
def _witnesses() -> tuple[Binary, Binary]:
    """Predictions in which the classes have nothing in common, and the same the other way round."""
    rng = np.random.default_rng(0)
    y = (np.arange(60) % 10 < 3).astype(np.int64)
    p = np.clip(0.5 * rng.random(60) + 0.3 * y, 0.01, 0.99)
    return Binary(y, probability=p), Binary(1 - y, probability=1 - p)


def check_groups(y: Array, permute: str, blocks: Any, cv_groups: Any) -> None:
    """Refuse to exchange outcomes between parts of groups that have one outcome each."""
    if cv_groups is None:
        return
    groups = np.asarray(cv_groups)
    if groups.shape[:1] != y.shape[:1]:
        raise DataError(f"cv_groups must hold one value for each of the {len(y)} cases.")
    group = codes(groups)
    if not _constant(y, group) or not _several_units(group, permute, blocks):
        return
    raise NotApplicable(
        "outcomes are constant within every group of cv_groups, so groups and not their parts "
        "are exchangeable; permute whole groups instead (permute='blocks', blocks=cv_groups)."
    )


def _constant(y: Array, group: Ints) -> bool:
    """Whether the outcome is the same in all cases of each group."""
    return all((y[part] == y[part[0]]).all() for part in members(group))


def _several_units(group: Ints, permute: str, blocks: Any) -> bool:
    """Whether some group holds more than one of the units that exchange outcomes."""
    unit = codes(blocks) if permute == "blocks" else np.arange(len(group))
    return len(np.unique(np.stack([group, unit]), axis=1).T) > group.max() + 1


def splits_blocks(splitter: Any, X: Any, y: Array, blocks: Any, cv_groups: Any) -> bool:
    """Whether some block is trained on and tested at once."""
    block = codes(blocks)
    splits = splitter.split(X, y, cv_groups)
    return any(np.isin(block[test], block[train]).any() for train, test in splits)


def refit_advice(
    y: Array,
    permute: str,
    blocks: Any,
    cv_groups: Any,
    measures: Sequence[Measure],
    split_blocks: bool,
) -> Iterator[Advice]:
    """What a reader of a refit test should know."""
    number = labellings(y, permute, blocks)
    if number < FEW:
        yield Advice(
            "AC645",
            f"permuting gives {number:.0f} different labellings, so p cannot fall much below "
            f"{1 / number:.2g}.",
        )
    if permute == "within":
        yield Advice("AC646", "outcomes moved within blocks: this tests prediction within them.")
    if len(measures) > 1:
        yield Advice("AC647", "several measures of one learner: name the primary one beforehand.")
    if split_blocks:
        yield Advice(
            "AC648",
            "cases of one block are both trained on and tested, so a learner can recognise the "
            "block instead of predicting the outcome; keep blocks together (cv_groups=blocks, and "
            "folds by number or by a splitter that reads them).",
        )
    if permute == "labels" and cv_groups is not None and _several_units(codes(cv_groups), "", None):
        yield Advice(
            "AC649",
            "outcomes moved between groups of cv_groups, which is right only if cases of one group "
            "are no more alike than others; else permute within them (permute='within', "
            "blocks=cv_groups).",
        )
