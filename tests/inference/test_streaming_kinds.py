"""Streams of numbers, of several classes and of labels beside the same cases in memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from abovechance.errors import ColumnError, DataError
from abovechance.inference import significance
from abovechance.inference.gains import uninformative
from abovechance.inference.interval_choice import Shared, interval_by_law
from abovechance.inference.results import Assessment
from abovechance.inference.streaming import _of_matches, assess_stream
from abovechance.measures import applicable, find
from abovechance.predictions import Binary, Multiclass, Numeric
from abovechance.settings import Settings

N = 70_000
Z = 1.959963984540054


def written(folder: Path, **columns: Any) -> Path:
    parquet.write_table(pa.table(columns), folder / "cases.parquet", row_group_size=20_000)
    return folder / "cases.parquet"


def numbers(n: int = N, offset: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    value = rng.normal(3.0, 1.0, n)
    return 0.7 * value + rng.normal(0.0, 0.8, n) + offset, value + offset


def classes(n: int = N, k: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    y = rng.choice(k, n, p=[0.4, 0.3, 0.2, 0.1])
    p = rng.random((n, k)) + 0.6 * (y[:, None] == np.arange(k))
    return y, p / p.sum(axis=1, keepdims=True)


NAMES = np.array(["a", "b", "c", "d"])


@pytest.fixture(scope="module")
def of_numbers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Numeric, Assessment]:
    y, value = numbers()
    path = written(tmp_path_factory.mktemp("numbers"), y=y, f=value)
    return Numeric(y, value), assess_stream(path, outcome="y", value="f")


@pytest.fixture(scope="module")
def of_classes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Multiclass, Assessment]:
    y, p = classes()
    columns = {f"p_{name}": p[:, k] for k, name in enumerate(NAMES)}
    path = written(tmp_path_factory.mktemp("classes"), y=NAMES[y], **columns)
    return Multiclass(NAMES[y], probability=p, labels=NAMES), assess_stream(path)


@pytest.mark.parametrize("cases", [1.0, 1e-6, 1e9])
def test_what_moves_with_the_matches_alone_does_so_for_any_number_of_cases(cases: float) -> None:
    table = cases * np.array([[30.0, 4.0, 2.0], [5.0, 18.0, 3.0], [1.0, 6.0, 9.0]])
    for name, alike in (("accuracy", True), ("kappa", True), ("error_rate", True),
                        ("balanced_accuracy", False), ("f1_macro", False)):  # fmt: skip
        assert _of_matches(find(name), table) is alike


def test_values_of_numbers_are_those_in_memory(of_numbers: tuple[Numeric, Assessment]) -> None:
    predictions, result = of_numbers
    assert result.outcome == "numeric"
    assert len(result) >= 15
    for row in result:
        exact = find(row.measure).of(predictions)
        np.testing.assert_allclose(row.value, exact, rtol=1e-11, err_msg=row.measure)
    left_out = {m.label for m in applicable(predictions)} - {row.measure for row in result}
    assert left_out == {"medae", "d2_absolute_error", "rae", "spearman", "kendall"}
    said = {a.code: a.text for a in result.advice}["AC462"]
    assert all(name in said for name in left_out)


def test_numbers_far_from_zero_lose_no_digits(tmp_path: Path) -> None:
    y, value = numbers(20_000, offset=1e8)
    result = assess_stream(written(tmp_path, y=y, f=value), outcome="y", value="f")
    predictions = Numeric(y, value)
    for name in ("r2", "pearson", "explained_variance", "concordance_correlation"):
        assert result[name].value == pytest.approx(find(name).of(predictions), rel=1e-7), name


def test_constant_outcomes_are_undefined_in_a_stream_too(tmp_path: Path) -> None:
    path = written(tmp_path, y=np.full(70_000, 0.1), f=numbers()[1])
    result = assess_stream(path, outcome="y", value="f")
    for name in ("r2", "pearson", "rse"):
        assert np.isnan(result[name].value), name
        assert result[name].undefined
    assert all(row.p_value is None for row in result)


@pytest.mark.parametrize("name", ["mae", "mse", "mean_error", "mlae"])
def test_mean_losses_have_normal_intervals(
    of_numbers: tuple[Numeric, Assessment], name: str
) -> None:
    predictions, result = of_numbers
    losses = find(name).losses(predictions)
    half = Z * losses.std(ddof=1) / np.sqrt(N)
    found = result[name].interval
    expected = (losses.mean() - half, losses.mean() + half)
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-8)


def test_the_root_of_a_mean_has_the_roots_of_its_limits(
    of_numbers: tuple[Numeric, Assessment],
) -> None:
    result = of_numbers[1]
    root, square = result["rmse"].interval, result["mse"].interval
    assert (root.low**2, root.high**2) == pytest.approx((square.low, square.high), rel=1e-12)


def test_the_correlation_has_no_interval_and_that_is_said(
    of_numbers: tuple[Numeric, Assessment],
) -> None:
    result = of_numbers[1]
    assert result["pearson"].interval is None
    (said,) = [a.text for a in result.advice if a.code == "AC461"]
    assert "pearson" in said


def test_association_of_numbers_is_what_permutation_gives(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    value = rng.normal(size=400)
    y = 0.12 * value + rng.normal(size=400)
    result = assess_stream(written(tmp_path, y=y, f=value), outcome="y", value="f")
    drawn = significance.permutation(Numeric(y, value), "mse", draws=9_999, rng=1).p_value
    assert 0.01 < drawn < 0.5
    shared = {result[name].p_value for name in ("mse", "r2", "pearson", "concordance_correlation")}
    assert len(shared) == 1
    assert abs(shared.pop() - drawn) < 4 * np.sqrt(drawn / 9_999) + 0.005


def test_values_of_classes_are_those_in_memory(of_classes: tuple[Multiclass, Assessment]) -> None:
    predictions, result = of_classes
    whole = [row for row in result if row.class_ is None]
    assert result.outcome == "multiclass"
    assert len(whole) > 25
    for row in whole:
        exact = find(row.measure).of(predictions)
        np.testing.assert_allclose(row.value, exact, rtol=1e-11, err_msg=row.measure)
    left_out = {m.label for m in applicable(predictions)} - {row.measure for row in whole}
    assert all(find(name).law in ("pairs", "calibration") for name in left_out)


def test_every_class_has_its_rows(of_classes: tuple[Multiclass, Assessment]) -> None:
    predictions, result = of_classes
    rows = [row for row in result if row.class_ == "c"]
    assert {row.measure for row in rows} >= {"sensitivity", "specificity", "ppv", "npv", "f1"}
    against = predictions.against_rest("c")
    for row in rows:
        assert row.value == pytest.approx(find(row.measure).of(against), rel=1e-12)


def test_intervals_of_classes(of_classes: tuple[Multiclass, Assessment]) -> None:
    predictions, result = of_classes
    setting = Shared.among(Settings(), predictions)
    for name in ("accuracy", "error_rate", "balanced_accuracy"):
        m = find(name).for_outcome("multiclass")
        exact = interval_by_law(m, predictions, setting)
        found = result[name].interval
        assert (found.low, found.high) == pytest.approx((exact.low, exact.high), rel=1e-12)
        assert found.method == exact.method
    losses = find("brier").losses(predictions)
    half = Z * losses.std(ddof=1) / np.sqrt(N)
    assert result["brier"].interval.high == pytest.approx(losses.mean() + half, rel=1e-9)


@pytest.mark.parametrize("name", ["brier", "log_score"])
def test_skill_of_classes_is_the_mean_gain(
    of_classes: tuple[Multiclass, Assessment], name: str
) -> None:
    predictions, result = of_classes
    m = find(name)
    sign = 1 if m.higher_is_better else -1
    gains = sign * (m.losses(predictions) - m.losses(uninformative(predictions, m)))
    skill = result[name].skill
    assert skill.difference == pytest.approx(gains.mean(), rel=1e-9)
    width = 2 * Z * gains.std(ddof=1) / np.sqrt(N)
    assert skill.interval.high - skill.interval.low == pytest.approx(width, rel=1e-9)


def test_accuracy_of_classes_is_tested_as_permutation_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    y, label = rng.choice(3, 300, p=[0.5, 0.3, 0.2]), rng.choice(3, 300, p=[0.4, 0.3, 0.3])
    path = written(tmp_path, y=NAMES[y], label=NAMES[label])
    result = assess_stream(path, outcome="y", label="label")
    predictions = Multiclass(NAMES[y], label=NAMES[label])
    drawn = significance.permutation(predictions, "accuracy", draws=9_999, rng=1).p_value
    assert abs(result["accuracy"].p_value - drawn) < 0.05
    shuffled = [float((y == rng.permutation(label)).sum()) for _ in range(20_000)]
    from scipy.special import ndtr

    z = ((y == label).sum() - np.mean(shuffled)) / np.std(shuffled)
    assert result["accuracy"].p_value == pytest.approx(ndtr(-z), abs=0.01)
    majority = assess_stream(path, ["accuracy"], outcome="y", label="label", rate="majority")
    exact = significance.against_majority(predictions).p_value
    assert majority["accuracy"].p_value == pytest.approx(exact, rel=1e-12)


def test_labels_of_two_classes_are_binary(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    y = rng.random(5_000) < 0.4
    label = y ^ (rng.random(5_000) < 0.2)
    path = written(tmp_path, y=np.where(y, "sick", "well"), label=np.where(label, "sick", "well"))
    with pytest.raises(DataError, match="pos_label must say which class is positive"):
        assess_stream(path, outcome="y", label="label")
    result = assess_stream(path, outcome="y", label="label", pos_label="sick")
    predictions = Binary(y, label=label)
    assert {row.measure for row in result} == {m.label for m in applicable(predictions)}
    for row in result:
        assert row.value == find(row.measure).of(predictions), row.measure
    assert result["accuracy"].p_value == significance.fisher(predictions).p_value


def test_two_columns_of_probabilities_are_those_of_two_classes(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    y, p = rng.random(5_000) < 0.4, rng.random(5_000)
    path = written(tmp_path, y=np.where(y, "sick", "well"), p_well=1 - p, p_sick=p)
    result = assess_stream(path, ["brier"], pos_label="sick")
    exact = find("brier").of(Binary(y, probability=p))
    assert result["brier"].value == pytest.approx(exact, rel=1e-12)
    with pytest.raises(ColumnError, match="must have a column of probabilities"):
        assess_stream(path, ["brier"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"f": np.inf}, "value must be finite; it is not at row 69999"),
        ({"f": np.nan}, "value must not be missing; it is at row 69999"),
    ],
)
def test_wrong_numbers_are_named_by_row(
    tmp_path: Path, change: dict[str, float], said: str
) -> None:
    y, value = numbers()
    value[69_998] = change["f"]
    with pytest.raises(DataError, match=said):
        assess_stream(written(tmp_path, y=y, f=value), outcome="y", value="f")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((69_998, "p_b", 0.9), "must sum to 1; row 69999 sums to"),
        ((69_998, "p_b", 1.9), r"must lie in \[0, 1\]; it does not at row 69999"),
        ((69_998, "p_b", np.nan), "probability must not be missing; it is at row 69999"),
        ((69_998, "y", "e"), "outcome must be one of the classes a, b, c, d; got 'e' at row 69999"),
    ],
)
def test_wrong_classes_are_named_by_row(
    tmp_path: Path, change: tuple[int, str, Any], said: str
) -> None:
    y, p = classes()
    columns = {f"p_{name}": p[:, k].copy() for k, name in enumerate(NAMES)}
    columns["y"] = NAMES[y].astype(object)
    row, column, value = change
    columns[column][row] = value
    columns["y"] = pa.array(columns["y"], pa.string())
    with pytest.raises(DataError, match=said):
        assess_stream(written(tmp_path, **columns))


def test_missing_cases_of_all_kinds_are_dropped_and_counted(tmp_path: Path) -> None:
    path = written(tmp_path, y=pa.array([1.5, None, 3.0]), f=pa.array([1.0, 2.0, None]))
    result = assess_stream(path, outcome="y", value="f", missing="drop")
    assert (result.n, result.dropped) == (1, 2)
    labels = pa.array(["a", None, "b", "c"])
    path = written(tmp_path, y=labels, label=pa.array(["a", "b", None, "c"]))
    result = assess_stream(path, outcome="y", label="label", missing="drop")
    assert (result.n, result.dropped) == (2, 2)
