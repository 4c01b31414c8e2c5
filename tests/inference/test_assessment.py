"""Every applicable measure of predictions in one table: values, chance levels, remarks, export."""

import json
import math
from typing import Any

import numpy as np
import pytest

from abovechance import examples
from abovechance.errors import DataError, NotApplicable, UnknownMeasure
from abovechance.inference import Assessment, assess, intervals
from abovechance.measures import applicable, find
from abovechance.measures.chance_levels import shuffled
from abovechance.predictions import Binary, Multiclass, Numeric, Predictions, Survival
from abovechance.settings import ONE_MODEL

Y, P = [0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9]
THREE = Multiclass(
    ["a", "a", "b", "b", "c"],
    probability={
        "a": [0.6, 0.5, 0.2, 0.4, 0.3],
        "b": [0.3, 0.4, 0.7, 0.2, 0.4],
        "c": [0.1, 0.1, 0.1, 0.4, 0.3],
    },
)
TWO_OUTPUTS = Numeric(
    [[1.0, 10.0], [2.0, 30.0], [4.0, 20.0], [3.0, 15.0]],
    [[1.5, 12.0], [2.0, 25.0], [3.0, 22.0], [3.5, 11.0]],
    outputs=["height", "weight"],
)
SURVIVAL = Survival([5, 2, 9, 4], [1, 1, 0, 1], risk=[0.3, 0.9, 0.1, 0.2])


def values(predictions: Predictions, *arguments: Any, **options: Any) -> Assessment:
    return assess(predictions, *arguments, inference=False, **options)


@pytest.mark.parametrize(
    "predictions",
    [Binary(Y, probability=P), Binary(Y, score=P), Binary(Y, label=Y), THREE, SURVIVAL],
    ids=["probability", "score", "label", "classes", "survival"],
)
def test_every_applicable_measure_has_its_value_and_chance(predictions: Predictions) -> None:
    found = values(predictions)
    whole = [e for e in found if e.class_ is None]
    assert [e.measure for e in whole] == [m.label for m in applicable(predictions)]
    for measure, row in zip(applicable(predictions), whole, strict=True):
        assert row.value == pytest.approx(measure.of(predictions), nan_ok=True)
        if row.reference is not None:
            assert measure.reference is not None
            assert row.reference == pytest.approx(measure.reference(predictions, measure))
        if row.chance is not None:
            assert row.chance == pytest.approx(shuffled(measure, predictions))
        assert (row.undefined is not None) or np.isfinite(row.value) or np.isinf(row.value)


def test_a_row_is_found_by_any_of_its_names() -> None:
    found = values(Binary(Y, probability=P))
    assert found["brier"].value == pytest.approx(0.085)
    assert found["recall"] is found["sensitivity"]
    assert found["roc_auc"].value == 1.0
    assert values(THREE)["recall"].measure == "sensitivity_macro"
    with pytest.raises(UnknownMeasure, match="unknown measure 'brierr'; did you mean 'brier'"):
        found["brierr"]
    with pytest.raises(UnknownMeasure, match="'mae' was not assessed"):
        found["mae"]


def test_an_undefined_measure_says_why_and_stops_no_other() -> None:
    found = values(Binary([1, 1, 1], probability=[0.2, 0.6, 0.9]))
    assert np.isnan(found["auc"].value)
    assert found["auc"].undefined == "only one class was observed"
    assert found["accuracy"].value == pytest.approx(2 / 3)
    assert found["accuracy"].undefined is None


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({}, "2 cases had an outcome of predicted probability 0"),
        ({"counts": [1, 5, 1, 2]}, "6 cases had an outcome of predicted probability 0"),
        ({"sample_weight": [1, 0, 1, 2]}, "1 case had an outcome of predicted probability 0"),
    ],
)
def test_an_infinite_log_score_counts_the_impossible_events(extra: Any, words: str) -> None:
    predictions = Binary([1, 1, 1, 0], probability=[0.0, 0.0, 0.5, 0.5], **extra)
    if "sample_weight" not in extra:
        predictions = Binary([1, 0, 1, 0], probability=[0.0, 1.0, 0.5, 0.5], **extra)
    found = values(predictions)["log_score"]
    assert found.value == -np.inf
    assert found.remark == words
    assert found.undefined is None


def test_an_infinite_log_score_of_classes_counts_the_impossible_events() -> None:
    predictions = Multiclass([0, 1, 2], probability=[[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1]])
    found = values(predictions)["log_loss"]
    assert found.value == np.inf
    assert found.remark == "1 case had an outcome of predicted probability 0"


def test_an_average_says_which_classes_it_left_out() -> None:
    predictions = Multiclass(["a", "a", "b", "c"], label=["a", "a", "b", "b"])
    row = values(predictions)["ppv"]
    assert row.value == pytest.approx(0.75)
    assert row.remark == "left out c: no case was predicted to be of the class"
    classes = {e.class_: e for e in values(predictions) if e.measure == "ppv" and e.class_}
    assert np.isnan(classes["c"].value)
    assert classes["c"].undefined == "no case was predicted to be of the class"


def test_classes_have_rows_of_their_own() -> None:
    rows = [e for e in values(THREE) if e.class_ is not None]
    assert {e.measure for e in rows} == {
        *("sensitivity", "specificity", "ppv", "npv", "f1"),
        *("calibration_in_the_large", "calibration_slope", "ece"),
    }
    assert [e.class_ for e in rows if e.measure == "f1"] == ["a", "b", "c"]
    for row in rows:
        alone = THREE.against_rest(row.class_)
        assert row.value == pytest.approx(find(row.measure).of(alone), nan_ok=True)


def test_outputs_have_rows_of_their_own() -> None:
    found = values(TWO_OUTPUTS)
    rows = [e for e in found if e.measure == "mae"]
    assert [(e.output, e.value) for e in rows] == [
        ("height", pytest.approx(0.5)),
        ("weight", pytest.approx(3.25)),
    ]
    assert found["multi_r2"].output is None
    assert found["arrmse"].measure == found.primary


def test_subgroups_have_rows_of_their_own() -> None:
    predictions = Binary([0, 1, 0, 1], probability=P)
    found = values(predictions, ["accuracy", "auc"], by=["x", "x", "y", "y"], by_name="site")
    rows = {(e.by, e.measure): e.value for e in found}
    assert rows[("site=x", "accuracy")] == 0.5
    assert rows[("site=y", "auc")] == 1.0
    assert found["accuracy"].by is None
    with pytest.raises(DataError, match="by must hold one value for each of the 4 cases"):
        values(predictions, by=["x", "y"])


def test_a_class_missing_from_a_subgroup_stays_declared() -> None:
    rows = list(values(THREE, ["balanced_accuracy", "auc"], by=[1, 1, 1, 2, 2]))
    assert all(np.isfinite(e.value) for e in rows if e.measure == "balanced_accuracy")


# ---------------------------------------------------------------- which measures


def test_the_measures_asked_for_are_those_given() -> None:
    found = values(Binary(Y, probability=P), ["f2_score", find("kappa", weights="linear"), "auc"])
    assert [e.measure for e in found] == ["f_beta(2)", "kappa(linear)", "auc"]
    assert found["f2_score"].title == "F-beta (beta=2)"


def test_a_measure_that_does_not_apply_is_refused_when_asked_for() -> None:
    with pytest.raises(NotApplicable, match="Brier score needs a predicted probability"):
        values(Binary(Y, label=Y), ["brier"])
    with pytest.raises(UnknownMeasure, match="did you mean 'brier'"):
        values(Binary(Y, label=Y), ["brierr"])
    with pytest.raises(NotApplicable, match="no measure was named"):
        values(Binary(Y, label=Y), [])


@pytest.mark.parametrize(
    ("predictions", "primary"),
    [
        (Binary(Y, probability=P), "log_score"),
        (Binary(Y, label=Y), "balanced_accuracy"),
        (Binary(Y, score=P), "auc"),
        (THREE, "log_score"),
        (Numeric([1.0, 2.0], [1.0, 3.0]), "mse"),
        (SURVIVAL, "c_index"),
    ],
)
def test_one_measure_is_primary(predictions: Predictions, primary: str) -> None:
    assert values(predictions).primary == primary


def test_the_primary_measure_may_be_stated() -> None:
    assert values(Binary(Y, probability=P), primary="roc_auc").primary == "auc"
    assert values(THREE, primary="recall").primary == "sensitivity_macro"
    with pytest.raises(NotApplicable, match="primary measure 'brier' is not among those assessed"):
        values(Binary(Y, probability=P), ["auc"], primary="brier")


def test_the_dialect_of_familiar_holds_throughout() -> None:
    predictions = Multiclass(["a", "a", "b"], label=["a", "b", "b"], labels=["a", "b", "c"])
    usual, theirs = values(predictions), values(predictions, dialect="familiar")
    assert [e.measure for e in usual if e.class_ is None][:5] == [
        e.measure for e in theirs if e.class_ is None
    ][:5]
    assert usual["balanced_accuracy"].value == pytest.approx(0.75)
    assert np.isnan(theirs["balanced_accuracy"].value)


def test_dropped_cases_are_counted_and_mentioned() -> None:
    predictions = Binary(Y, probability=[0.1, None, 0.6, 0.9], missing="drop")
    found = values(predictions)
    assert (found.n, found.dropped) == (3, 1)
    assert found.to_dict()["dropped"] == 1
    assert any("missing" in a.text for a in found.advice)


def test_an_absent_class_is_mentioned() -> None:
    found = values(Multiclass(["a", "b"], label=["a", "b"], labels=["a", "b", "c"]))
    assert any("no case of c was observed" in a.text for a in found.advice)


# ---------------------------------------------------------------- export

KEYS = [
    "measure",
    "title",
    "family",
    "model",
    "by",
    "class",
    "output",
    "value",
    "interval",
    "chance",
    "reference",
    "p_value",
    "alternative",
    "hypothesis",
    "test",
    "test_by",
    "draws",
    "time",
    "undefined",
    "remark",
    "skill",
]


@pytest.mark.parametrize("inference", [False, True])
def test_the_json_keeps_its_contract(inference: bool) -> None:
    found = assess(
        Binary([1, 0, 1, 1, 0, 0], probability=[0.0, 0.2, 0.7, 0.9, 0.4, 0.6]),
        ["log_score", "accuracy", "auc", "brier"],
        inference=inference,
        draws=99,
        rng=1,
    )
    told = json.loads(found.to_json())
    assert told == found.to_dict()
    assert {"abovechance", "outcome", "n", "origin", "seed", "primary"} <= told.keys()
    assert (told["outcome"], told["n"], told["origin"]) == ("binary", 6, "test")
    assert [list(e) for e in told["estimates"]] == [KEYS] * 4
    rows = {e["measure"]: e for e in told["estimates"]}
    assert rows["log_score"]["value"] == "-Infinity"
    assert rows["log_score"]["remark"].startswith("1 case")
    if inference:
        assert list(rows["accuracy"]["interval"]) == ["low", "high", "level", "method", "by"]
        assert 0 < rows["accuracy"]["p_value"] <= 1
        assert list(rows["brier"]["skill"]) == [
            "reference",
            "difference",
            "interval",
            "p_value",
            "hypothesis",
            "test",
            "test_by",
        ]
    else:
        assert told["seed"] is None
        assert {rows["accuracy"][k] for k in ("interval", "p_value", "test", "skill")} == {None}
    assert all(list(a) == ["code", "text", "source"] for a in told["advice"])


def test_an_undefined_value_is_null_in_json_with_the_reason() -> None:
    told = json.loads(values(Binary([1, 1], probability=[0.5, 0.6])).to_json())
    row = next(e for e in told["estimates"] if e["measure"] == "auc")
    assert row["value"] is None
    assert row["undefined"] == "only one class was observed"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_estimates_become_a_dataframe(library: str) -> None:
    found = values(THREE)
    frame = found.to_frame(library)
    assert len(frame) == len(found)
    assert {"measure", "class", "value", "interval_low", "chance", "undefined"} <= set(
        frame.columns
    )
    assert list(frame["measure"])[:2] == ["accuracy", "error_rate"]
    with pytest.raises(NotApplicable, match="library must be 'pandas' or 'polars'"):
        found.to_frame("arrow")


def test_the_estimates_become_csv() -> None:
    import csv

    found = values(THREE)
    rows = list(csv.DictReader(found.to_csv().splitlines()))
    assert len(rows) == len(found)
    assert float(rows[0]["value"]) == found["accuracy"].value
    assert [r["class"] for r in rows if r["measure"] == "f1"] == ["a", "b", "c"]


def test_an_assessment_prints_what_it_found() -> None:
    text = str(values(Binary(Y, probability=P)))
    first, cases, *_ = text.partition("\n4 cases, binary outcome, origin not stated")
    assert first.startswith("No test against chance. The log score is")
    assert cases
    assert "Brier score" in text


@pytest.mark.parametrize("name", ["breast_cancer", "iris", "diabetes"])
def test_bundled_examples_can_be_assessed(name: str) -> None:
    found = values(getattr(examples, name)())
    assert len(found) > 10
    assert np.isfinite(found[found.primary].value)


def noisy(n: int, seed: int = 1, **columns: Any) -> Binary:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    p = 1 / (1 + np.exp(-(2.0 * y - 1.0 + rng.normal(size=n))))
    return Binary(y, probability=p, **columns)


def codes(found: Assessment) -> list[str]:
    return [a.code for a in found.advice]


def test_a_stated_prevalence_moves_chance_and_takes_calibration_tests_away() -> None:
    names = ["accuracy", "ppv", "brier", "calibration_in_the_large"]
    found = assess(noisy(200), names, sampling="case-control", prevalence=0.1, rng=1, draws=99)
    assert found["accuracy"].reference == pytest.approx(0.9)
    assert found["ppv"].chance == pytest.approx(0.1)
    assert found["brier"].reference == pytest.approx(0.09)
    assert found["calibration_in_the_large"].p_value is None
    assert "AC041" in codes(found)


def test_a_prevalence_without_separate_sampling_is_refused() -> None:
    with pytest.raises(NotApplicable, match="case-control"):
        assess(noisy(40), ["ppv"], prevalence=0.1)


@pytest.mark.parametrize(
    "columns",
    [
        {"groups": np.arange(60) // 5},
        {"sample_weight": np.linspace(1, 2, 60)},
        {"fold": np.arange(60) % 5},
    ],
    ids=["clusters", "weights", "folds"],
)
def test_a_rate_is_tested_on_independent_cases_only(columns: dict[str, Any]) -> None:
    found = assess(noisy(60, **columns), ["accuracy"], rate=0.5, rng=1, draws=99)
    assert "binomial" not in (found["accuracy"].test or "")
    assert "AC015" in codes(found)


def test_a_rate_is_tested_with_many_classes_too() -> None:
    found = assess(THREE, ["accuracy"], rate=1 / 3, rng=1)
    assert found["accuracy"].test == "exact binomial test"
    assert found["accuracy"].p_value == pytest.approx(
        sum(math.comb(5, k) * 2 ** (5 - k) for k in range(3, 6)) / 3**5
    )


@pytest.mark.parametrize("rate", ["half", 0.0, 1.5])
def test_a_rate_that_is_none_is_refused(rate: Any) -> None:
    with pytest.raises(DataError, match="rate must lie between 0 and 1"):
        assess(noisy(40), ["accuracy"], rate=rate)


def test_a_value_at_its_end_lies_in_its_interval() -> None:
    found = assess(Binary([0, 1], label=[0, 1]), ["mcc", "f1"], rng=1)
    for row in found:
        assert row.interval is not None
        assert row.interval.high == row.value == 1.0


def test_subgroups_classes_and_outputs_have_intervals() -> None:
    by = np.repeat(["x", "y"], 40)
    found = assess(noisy(80), ["accuracy", "auc"], by=by, rng=1, draws=99)
    parts = [e for e in found if e.by is not None]
    assert len(parts) == 4
    assert all(e.interval is not None and e.p_value is None for e in parts)
    classes = [e for e in assess(THREE, ["sensitivity"], rng=1, draws=99) if e.class_]
    assert all(e.interval is not None and e.value in e.interval for e in classes)
    outputs = [e for e in assess(TWO_OUTPUTS, ["mse"], rng=1, draws=99) if e.output]
    assert all(e.interval is not None and e.value in e.interval for e in outputs)


def test_few_clusters_say_the_least_p() -> None:
    groups = np.repeat(np.arange(5), 8)
    y = groups < 2
    made = Binary(y, score=np.random.default_rng(2).normal(size=40) + y, groups=groups)
    found = assess(made, ["auc"], rng=1)
    (said,) = [a.text for a in found.advice if a.code == "AC017"]
    assert "0.1" in said


def test_pooled_values_far_from_their_folds_are_said() -> None:
    fold = np.arange(100) % 5
    y = np.arange(100) // 5 % 2 == 0
    score = y + 10.0 * fold + 0.1 * np.random.default_rng(1).normal(size=100)
    found = assess(Binary(y, score=score, fold=fold), ["auc"])
    assert found["auc"].value == pytest.approx(1.0)
    assert "of all cases pooled" in (found["auc"].remark or "")
    assert "AC016" in codes(found)


def test_one_class_only_is_said_to_have_no_test() -> None:
    found = assess(Binary([1, 1, 1], label=[1, 0, 1], pos_label=1), ["accuracy"], rng=1)
    assert [a.text for a in found.advice if a.code == "AC012"] == [
        "no test against chance: only one class was observed."
    ]


def test_counts_are_cases_when_a_class_is_called_small() -> None:
    rows = noisy(40)
    found = assess(
        Binary(rows.positive, probability=rows.probability, counts=np.full(40, 10)),
        ["auc"],
        rng=1,
    )
    assert "AC030" not in codes(found)


# Quick: what needs no draws, as the full answer has it.


@pytest.mark.parametrize(
    "kind", ["binary", "few", "multiclass", "numeric", "case-control", "groups"]
)
def test_a_quick_answer_resamples_nothing_and_shows_rows_of_the_full_one(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    n = 250 if kind == "binary" else 40
    y, noise = rng.integers(0, 2, n), rng.normal(size=n)
    options: dict[str, Any] = {"rng": 1} | ({} if kind == "binary" else {"draws": 99})
    if kind == "numeric":
        given: Any = Numeric(noise + y, noise)
    elif kind == "multiclass":
        given = examples.iris()
    else:
        given = Binary(y, probability=1 / (1 + np.exp(-noise - y + 0.5)))
    if kind == "case-control":
        options |= {"sampling": "case-control", "prevalence": 0.2}
    if kind == "groups":
        given = given.with_cases(groups=np.arange(n) // 4)
    full = assess(given, **options)
    with monkeypatch.context() as patched:
        patched.setattr("abovechance.resampling.replicates.Blocks", drawing)
        patched.setattr(np.random, "SeedSequence", of_tables)  # of every stream of the settings
        quick = assess(given, **options, quick=True)
    assert len(quick.estimates) == len(full.estimates)
    left = 0
    for row, whole in zip(quick.estimates, full.estimates, strict=True):
        assert np.array_equal(row.value, whole.value, equal_nan=True)
        assert row.interval in (None, whole.interval)
        assert row.p_value in (None, whole.p_value)
        if row.skill is not None and row.skill.interval is not None:
            assert row.skill == whole.skill
        lacking = (row.interval is None) > (whole.interval is None)
        lacking |= (row.p_value is None) > (whole.p_value is None)
        assert lacking == ("left out by quick: needs draws" in (row.remark or "")), row
        left += lacking and row.class_ is None
    said = [a.text for a in quick.advice if a.code == "AC028"]
    assert [f"so {left} of " in text for text in said] == [True] * bool(left)
    assert any(row.interval is not None for row in quick.estimates)
    if kind == "few":  # what was left out is not kept for the next answer
        assert [row.interval for row in assess(given, **options)] == [r.interval for r in full]


def drawing(*_: Any, **__: Any) -> None:
    raise AssertionError("something was drawn")


def of_tables(seed: int, spawn_key: tuple[int, ...], real: Any = np.random.SeedSequence) -> Any:
    assert spawn_key == (ONE_MODEL, 6), "something other than the posterior of a table was drawn"
    return real(seed, spawn_key=spawn_key)


def test_a_quick_answer_has_the_limits_of_tables_and_from_many_cases_on_p_by_laws() -> None:
    rng = np.random.default_rng(6)
    y = rng.random(10_000) < 0.3
    p = 1 / (1 + np.exp(-rng.normal(1.2 * y - 1.3)))
    given, names = Binary(y, probability=p), ["f1", "mcc", "kappa", "brier", "log_loss", "ks"]
    quick, full = (assess(given, names, rng=1, quick=each) for each in (True, False))
    for name in ("f1", "mcc", "kappa"):
        assert quick[name].interval == full[name].interval
    for name in names:
        assert quick[name].p_value == full[name].p_value is not None


def _all_right(kind: str, n: int) -> object:
    """Calls that are sure, and all of them right."""
    rng = np.random.default_rng(4)
    k = 2 if kind == "binary" else 3
    y = np.arange(n) % k
    z = rng.normal(size=(n, k)) + 6.0 * (y[:, None] == np.arange(k))
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    if kind == "binary":
        return Binary(y, probability=p[:, 1], pos_label=1)
    return Multiclass(y, probability=p, labels=[0, 1, 2])


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
@pytest.mark.parametrize("facts", ["none", "groups", "sample_weight"])
def test_intervals_without_a_wrong_call_hold_what_one_makes_of_the_value(kind, facts):
    """Losses of right calls do not tell what wrong ones cost."""
    n = 90
    made = _all_right(kind, n)
    if facts != "none":
        made = made.with_cases(**{facts: np.arange(n) // 2 if facts == "groups" else np.ones(n)})
    p = np.asarray(made.probability).copy()
    p[..., 0] = 1.0 - p[0] if kind == "binary" else p[[1, 0, 2], 0]
    one_wrong = made.replace(probability=p)
    whole = assess(made, draws=199, rng=1)
    found = whole.estimates
    assert any(a.code == "AC038" for a in whole.advice)
    held = [e for e in found if e.interval is not None and e.interval.by.get("unseen")]
    assert {"brier", "log_loss", "scaled_brier", "nagelkerke_r2"} <= {e.measure for e in held}
    for e in held:
        value = find(e.measure).for_outcome(kind).of(one_wrong)
        assert e.interval.low <= value <= e.interval.high, e.measure


def test_an_area_near_1_over_folds_is_no_surer_than_its_class_sizes_allow():
    rng = np.random.default_rng(3)
    y = np.arange(200) % 2
    made = Binary(y, score=4.0 * y + rng.normal(size=200), pos_label=1, fold=np.arange(200) // 40)
    row = assess(made, ["auc"], rng=1).estimates[0]
    least = intervals.newcombe_auc(row.value, 100, 100)
    assert row.interval.low <= least.low + 1e-9
    assert row.interval.by["widened"] == "Newcombe"
    perfect = assess(made.replace(score=y + 0.0), ["auc"], rng=1).estimates[0]
    assert 0.97 < perfect.interval.low < perfect.interval.high == 1.0
