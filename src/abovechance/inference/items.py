"""Results item by item: one row per item and model, right or wrong, or a score.

Is one model really better than another?
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.advice import Advice
from abovechance.arrays import Array, Floats
from abovechance.errors import DataError, listed
from abovechance.inference.comparison import compare
from abovechance.inference.contract import ITEMS
from abovechance.inference.results import Comparison
from abovechance.measures import Family, Form, Law, Measure, find
from abovechance.measures.measure import measure
from abovechance.predictions import Binary, Numeric, Predictions, View

ABOUT: dict[str, Any] = {
    "form": Form.LOSSES,
    "family": Family.REGRESSION,
    "reads": View.VALUE,
    "outcomes": frozenset({"numeric"}),
    "range": (-np.inf, np.inf),
    "law": Law.MEAN,
    "source": "the mean of a column",
}


@measure(title="Mean score", best=np.inf, **ABOUT)
def mean_score(outcome: Floats, value: Floats) -> Floats:
    """The mean of scores that were given to the items, more being better."""
    return value + 0.0 * outcome


@measure(title="Mean loss", best=-np.inf, **ABOUT)
def mean_loss(outcome: Floats, value: Floats) -> Floats:
    """The mean of losses that were given to the items, less being better."""
    return value + 0.0 * outcome


def compare_items(
    id: Array,
    model: Array,
    value: Floats,
    *,
    groups: Array | None = None,
    models: Sequence[str] | None = None,
    name: str | None = None,
    higher_is_better: bool = True,
    **options: Any,
) -> Comparison:
    """Compare models from one row per item and model, as evaluation runs write them.

    Values that are all 0 or 1 are right and wrong answers: accuracy, McNemar's test. Others are
    scores: their means, sign flips. Several rows for one item and model (samples, epochs) are
    averaged first. Clusters of items (documents, conversations) vary as wholes.

    Parameters
    ----------
    id, model, value
        One entry per row: which item, which model, what it got.
    groups
        The cluster of every row's item; none when not given.
    models
        The models to compare, in this order; all in the order of appearance when not given.
    name
        What the measure is called when values are scores; "mean score" or "mean loss" when not
        given.
    higher_is_better
        Whether more is better; False for losses.
    **options
        As in `compare`.

    Returns
    -------
    Comparison
        The difference of every pair of models, with each model's value.

    Raises
    ------
    DataError
        If columns differ in length, a value is not a number, or there are fewer than two models.

    See Also
    --------
    compare : models with outcomes and predictions.

    Examples
    --------
    >>> found = compare_items(
    ...     id=[1, 2, 3, 1, 2, 3], model=["a", "a", "a", "b", "b", "b"], value=[1, 1, 0, 0, 1, 0]
    ... )
    >>> print(found["accuracy"].sentence)
    Accuracy: a is higher than b by 0.3333 (difference +0.3333, 95% interval -0.4153 to +0.7923;
    p = 1), not shown to differ
    """
    columns = {"id": id, "model": model, "value": value, "groups": groups}
    arrays = {k: np.asarray(v) for k, v in columns.items() if v is not None}
    sizes = {k: len(a) for k, a in arrays.items()}
    if len(set(sizes.values())) > 1:
        raise DataError(f"every column must have one entry per row; got {sizes}.")
    scores = arrays["value"].astype(np.float64)
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0]) + 1
        raise DataError(f"value must be a number in every row; it is not at row {row}.")
    wanted = _wanted(arrays["model"].astype(str), models)
    tables = {m: _of_model(arrays, scores, m) for m in wanted}
    averaged = any(table[3] for table in tables.values())
    binary = bool(np.isin(scores, (0.0, 1.0)).all()) and not averaged
    made = {m: _predictions(*table[:3], binary=binary) for m, table in tables.items()}
    chosen = find("accuracy") if binary else _score(name, higher_is_better)
    found = compare(made, [chosen], **options)
    # what a guess would get is not in the rows
    found = replace(
        found,
        outcome=ITEMS,
        estimates=tuple(replace(row, chance=None, reference=None) for row in found.estimates),
    )
    if not averaged:
        return found
    note = Advice("AC151", "items with several rows for one model were averaged before comparing.")
    return replace(found, advice=(note, *found.advice))


def _wanted(column: Array, models: Sequence[str] | None) -> list[str]:
    present = list(dict.fromkeys(column.tolist()))
    if models is None:
        if len(present) < 2:
            raise DataError(f"there must be at least two models; found {listed(present)}.")
        return present
    absent = [m for m in models if m not in present]
    if absent:
        raise DataError(f"no row is of model {absent[0]!r}; the models are {listed(present, 10)}.")
    return list(models)


def _of_model(
    arrays: dict[str, Array], scores: Floats, model: str
) -> tuple[Array, Floats, Array | None, bool]:
    """Items, mean values and clusters of one model; whether anything was averaged."""
    rows = arrays["model"].astype(str) == model
    items, first, code, times = np.unique(
        arrays["id"][rows].astype(str), return_index=True, return_inverse=True, return_counts=True
    )
    values = np.bincount(code, weights=scores[rows]) / times
    order = np.argsort(first)
    clusters = None
    if "groups" in arrays:
        own = arrays["groups"][rows].astype(str)
        clusters = own[first]
        if (clusters[code] != own).any():
            item = str(items[code[np.flatnonzero(clusters[code] != own)[0]]])
            raise DataError(f"an item must belong to one cluster; item {item!r} is in several.")
        clusters = clusters[order]
    return items[order], values[order], clusters, bool(times.max() > 1)


def _predictions(
    items: Array, values: Floats, clusters: Array | None, *, binary: bool
) -> Predictions:
    if binary:
        ones = np.ones(len(values), dtype=np.int64)
        return Binary(ones, label=values.astype(np.int64), labels=[0, 1], id=items, groups=clusters)
    return Numeric(np.zeros(len(values)), values, id=items, groups=clusters)


def _score(name: str | None, higher_is_better: bool) -> Measure:
    chosen = mean_score if higher_is_better else mean_loss
    return chosen if name is None else replace(chosen, name=name, title=f"Mean {name}")
