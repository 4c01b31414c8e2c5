"""Columns that carry row labels are matched by them, never by position against them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import abovechance as ac
from abovechance.errors import DataError

RNG = np.random.default_rng(5)
N = 40
Y = pd.Series(RNG.integers(0, 2, N), index=[f"case {i}" for i in range(N)])
P = pd.Series(np.clip(0.3 * Y + 0.6 * RNG.random(N), 0.01, 0.99), index=Y.index)
GROUP = pd.Series(np.arange(N) // 4, index=Y.index)
TIME = pd.Series(RNG.exponential(size=N), index=Y.index)
OTHER = RNG.permutation(N)
TABLE = pd.DataFrame({0: 1 - P, 1: P})

KINDS: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "binary": lambda turned: ac.Binary(
        Y, probability=turned(P), groups=turned(GROUP), sample_weight=turned(TIME)
    ),
    "binary, outcome turned": lambda turned: ac.Binary(turned(Y), probability=P),
    "labels": lambda turned: ac.Binary(Y, label=turned((P > 0.5).astype(int))),
    "several classes": lambda turned: ac.Multiclass(Y, probability=turned(TABLE)),
    "columns by name": lambda turned: ac.Multiclass(
        Y.map({0: "a", 1: "b"}), probability={"a": 1 - P, "b": turned(P)}
    ),
    "numeric": lambda turned: ac.Numeric(TIME, turned(P), groups=turned(GROUP)),
    "survival": lambda turned: ac.Survival(TIME, turned(Y), risk=turned(P), groups=turned(GROUP)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_labels_in_another_order_change_nothing_and_are_told(kind: str) -> None:
    plain = KINDS[kind](lambda column: column)
    turned = KINDS[kind](lambda column: column.iloc[OTHER])
    assert plain.notes == ()
    assert [note.code for note in turned.notes] == ["AC003"]
    assert ac.measures.evaluate(turned) == pytest.approx(ac.measures.evaluate(plain), nan_ok=True)
    if plain.cases.groups is not None and kind != "binary, outcome turned":
        assert (turned.cases.groups == plain.cases.groups).all()


@pytest.mark.parametrize("name", ["auc", "brier", "sensitivity", "accuracy"])
@pytest.mark.parametrize("more", [{}, {"pos_label": 1}])
def test_measures_of_series_are_those_of_matched_rows(name: str, more: dict[str, Any]) -> None:
    measure = ac.measures.find(name)
    given = P if name in ("auc", "brier") else (P > 0.5).astype(int)
    assert measure(Y, given.iloc[OTHER], **more) == measure(Y.to_numpy(), given.to_numpy(), **more)


def test_arrays_beside_a_series_are_matched_by_position() -> None:
    made = ac.Binary(Y, probability=P.to_numpy(), groups=list(GROUP))
    assert made.notes == ()
    assert ac.measures.auc.of(made) == ac.measures.auc(Y, P)


def test_a_list_has_no_index_of_rows() -> None:
    assert ac.measures.auc(Y.tolist(), P.tolist()) == ac.measures.auc(Y, P)


def test_other_labels_are_refused_with_the_way_out() -> None:
    with pytest.raises(DataError, match=r"same index labels.*case 0.*to_numpy"):
        ac.Binary(Y, probability=P.reset_index(drop=True))


def test_labels_that_occur_twice_match_only_in_the_same_order() -> None:
    sampled = Y.sample(N, replace=True, random_state=1)
    assert ac.Binary(sampled, probability=P[sampled.index.unique()].reindex(sampled.index)).n == N
    with pytest.raises(DataError, match="must name every row once"):
        ac.Binary(sampled, probability=P)


def test_columns_of_another_length_are_refused_as_such() -> None:
    with pytest.raises(DataError, match="outcome has 40, probability has 39"):
        ac.Binary(Y, probability=P.iloc[1:])


def test_several_levels_of_labels_match_too() -> None:
    levels = pd.MultiIndex.from_arrays([GROUP.to_numpy(), np.arange(N)])
    y, p = Y.set_axis(levels), P.set_axis(levels)
    assert ac.measures.auc(y, p.iloc[OTHER]) == ac.measures.auc(Y, P)


def test_models_are_paired_by_row_label() -> None:
    first = ac.Binary(Y, probability=P)
    second = ac.Binary(Y.iloc[OTHER], probability=P)
    found = ac.compare({"a": first, "b": second}, ["brier"], draws=99, rng=1)
    assert found["brier"].difference == pytest.approx(0.0, abs=1e-15)
    assert "AC003" in [advice.code for advice in found.advice]
    strange = ac.Binary(Y.reset_index(drop=True), probability=P.reset_index(drop=True))
    with pytest.raises(DataError, match="same index labels"):
        ac.compare({"a": first, "b": strange}, ["brier"], draws=99, rng=1)


def test_subgroups_are_matched_by_row_label_also_when_cases_were_dropped() -> None:
    holed = P.copy()
    holed.iloc[[3, 7]] = np.nan
    made = ac.Binary(Y, probability=holed, missing="drop")
    half = pd.Series(np.where(np.arange(N) < N // 2, "early", "late"), index=Y.index)
    found = ac.assess(made, ["auc"], by=half.iloc[OTHER], inference=False)
    kept = (np.arange(N) < N // 2) & ~holed.isna().to_numpy()
    early = next(row for row in found.estimates if row.by == "early")
    assert early.value == ac.measures.auc(Y[kept], P[kept])


def test_learners_get_outcomes_that_belong_to_their_features() -> None:
    from sklearn.linear_model import LogisticRegression

    X = pd.DataFrame({"p": P, "t": TIME})
    model = LogisticRegression()
    plain = ac.permutation_test(model, X, Y, cv=2, draws=5, rng=1)
    turned = ac.permutation_test(model, X, Y.iloc[OTHER], cv=2, draws=5, rng=1)
    assert turned.tests == plain.tests
    assert "AC003" in [advice.code for advice in turned.advice]
    shuffled = ac.from_cv(model, X, Y.iloc[OTHER], cv=2, rng=1)
    assert ac.measures.auc.of(shuffled) == ac.measures.auc.of(ac.from_cv(model, X, Y, cv=2, rng=1))
    assert [note.code for note in shuffled.notes] == ["AC003"]
    fitted = model.fit(X, Y)
    made = ac.from_estimator(fitted, X, Y.iloc[OTHER])
    assert ac.measures.auc.of(made) == ac.measures.auc.of(ac.from_estimator(fitted, X, Y))
    one, other = (ac.detect(X, y, tests=["hotelling"], draws=19, rng=1) for y in (Y, Y.iloc[OTHER]))
    assert other.tests == one.tests


def test_clusters_for_cross_validation_go_by_the_word_of_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    asked = {"cv": GroupKFold(2), "draws": 5, "rng": 1}
    X = P.to_frame().to_numpy()
    by_word = ac.permutation_test(LogisticRegression(), X, Y.to_numpy(), groups=GROUP, **asked)
    known = ac.permutation_test(LogisticRegression(), X, Y.to_numpy(), cv_groups=GROUP, **asked)
    assert by_word.tests == known.tests
    with pytest.raises(DataError, match="not both"):
        ac.permutation_test(LogisticRegression(), X, Y, groups=GROUP, cv_groups=GROUP)
