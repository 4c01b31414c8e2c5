"""Assessments of streams beside those of the same cases in memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from abovechance.errors import ColumnError, DataError, FileError, NotApplicable
from abovechance.inference import intervals, significance
from abovechance.inference.interval_choice import Shared, interval_by_law
from abovechance.inference.results import Assessment
from abovechance.inference.streaming import assess_stream, summarised
from abovechance.io.arrow_files import StreamCases, open_stream
from abovechance.measures import applicable, find
from abovechance.numerics.ranks import rank_summary
from abovechance.predictions import Binary
from abovechance.settings import Settings

N = 70_000


def drawn(n: int = N, effect: float = 1.5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, 1 / (1 + np.exp(-rng.normal(effect * y - 1.3)))


def written(folder: Path, y: Any, p: Any, **more: Any) -> Path:
    path = folder / "cases.parquet"
    parquet.write_table(pa.table({"y": np.asarray(y).astype(np.int8), "p": p, **more}), path)
    return path


@pytest.fixture(scope="module")
def streamed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Binary, Assessment]:
    y, p = drawn()
    path = written(tmp_path_factory.mktemp("stream"), y, p)
    return Binary(y, probability=p), assess_stream(path, rng=7)


def test_values_are_those_of_the_cases_in_memory(streamed: tuple[Binary, Assessment]) -> None:
    predictions, result = streamed
    ranks = ("auc", "somers_d", "partial_auc", "average_precision", "ks")
    assert len(result) > 40
    for row in result:
        exact = find(row.measure).of(predictions)
        if row.measure in ranks:
            assert row.value == pytest.approx(exact, abs=1e-5), row.measure
        else:
            assert row.value == pytest.approx(exact, rel=1e-12), row.measure
    assert result["auc"].value == pytest.approx(find("auc").of(predictions), abs=1e-6)


def test_only_what_needs_the_cases_is_left_out_and_that_is_said(
    streamed: tuple[Binary, Assessment],
) -> None:
    predictions, result = streamed
    missing = {m.label for m in applicable(predictions)} - {row.measure for row in result}
    assert missing
    advice = {a.code: a.text for a in result.advice}
    assert all(name in advice["AC462"] for name in missing)
    assert all(find(name).law == "calibration" for name in missing)
    bare = {row.measure for row in result if row.interval is None}
    assert bare == {"partial_auc", "average_precision", "ks", "z_accuracy"}
    assert all(name in advice["AC461"] for name in bare)
    assert "auc ±" in advice["AC460"]


def test_intervals_of_counts_are_those_in_memory(streamed: tuple[Binary, Assessment]) -> None:
    predictions, result = streamed
    setting = Shared.among(Settings(seed=7), predictions)
    forms = ("counts", "class ratio", "class value")
    known = [row for row in result if not find(row.measure).extreme]
    compared = [row for row in known if find(row.measure).form in forms]
    assert len(compared) > 20
    for row in compared:
        m = find(row.measure)
        found = interval_by_law(m, predictions, setting)
        assert row.interval == found, row.measure


@pytest.mark.parametrize("name", ["net_benefit", "standardised_net_benefit"])
def test_intervals_of_net_benefit_are_those_in_memory(
    streamed: tuple[Binary, Assessment], name: str
) -> None:
    predictions, result = streamed
    found = interval_by_law(find(name), predictions, Shared.among(Settings(seed=7), predictions))
    assert result[name].interval == found


def test_the_interval_of_the_area_encloses_that_in_memory_closely(
    streamed: tuple[Binary, Assessment],
) -> None:
    predictions, result = streamed
    found, exact = result["auc"].interval, intervals.delong(predictions)
    assert found.low <= exact.low <= exact.high <= found.high
    assert found.low == pytest.approx(exact.low, abs=2e-6)
    assert found.high == pytest.approx(exact.high, abs=2e-6)
    twice = result["somers_d"].interval
    assert (twice.low, twice.high) == (2 * found.low - 1, 2 * found.high - 1)
    assert found.method == "Newcombe and logit DeLong, binned"


@pytest.mark.parametrize("name", ["brier", "log_score", "log_loss"])
def test_intervals_of_means_are_normal(streamed: tuple[Binary, Assessment], name: str) -> None:
    predictions, result = streamed
    losses = find(name).losses(predictions)
    half = 1.959963984540054 * losses.std(ddof=1) / np.sqrt(N)
    found = result[name].interval
    assert (found.low, found.high) == pytest.approx(
        (losses.mean() - half, losses.mean() + half), rel=1e-8
    )


@pytest.mark.parametrize(
    "name", ["scaled_brier", "tjur_r2", "nagelkerke_r2", "cox_snell_r2", "mcfadden_r2"]
)
def test_intervals_of_functions_of_means_are_those_of_the_jackknife(
    streamed: tuple[Binary, Assessment], name: str
) -> None:
    y, p = drawn(1_000, seed=1)
    m, predictions = find(name), Binary(y, probability=p)
    left_out = m.batch(predictions, np.ones((1_000, 1_000)) - np.eye(1_000))
    error = np.sqrt(999 / 1000 * ((left_out - left_out.mean()) ** 2).sum())
    from abovechance.inference.streaming import _standard_error
    from abovechance.measures.summary import BinarySummary, Summarised

    found = _standard_error(m, Summarised(BinarySummary.of(y, p)))
    assert found == pytest.approx(error, rel=5e-3)
    assert streamed[1][name].interval.method == "normal"


def test_observed_to_expected_has_the_interval_in_memory(
    streamed: tuple[Binary, Assessment],
) -> None:
    predictions, result = streamed
    m = find("observed_expected_ratio")
    found = result[m.name].interval
    exact = interval_by_law(m, predictions, Shared.among(Settings(), predictions))
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), rel=1e-10)
    assert found.method == exact.method


@pytest.mark.parametrize("name", ["brier", "log_score"])
def test_skill_is_the_mean_gain_with_its_normal_interval(
    streamed: tuple[Binary, Assessment], name: str
) -> None:
    predictions, result = streamed
    plain = Binary(predictions.positive, probability=np.full(N, predictions.positive.mean()))
    sign = 1 if find(name).higher_is_better else -1
    gains = sign * (find(name).losses(predictions) - find(name).losses(plain))
    skill = result[name].skill
    half = 1.959963984540054 * gains.std(ddof=1) / np.sqrt(N)
    assert skill.reference == pytest.approx(find(name).of(plain), rel=1e-12)
    assert skill.difference == pytest.approx(gains.mean(), rel=1e-10)
    assert skill.interval.high - skill.interval.low == pytest.approx(2 * half, rel=1e-9)


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_net_benefit_gains_over_the_better_of_acting_on_all_and_on_none(
    tmp_path: Path, share: float
) -> None:
    y = np.arange(200) < 200 * share
    hits, alarms = 0.9 * share, 0.2 * (1 - share)  # nine of ten positives, one of five negatives
    p = np.where(np.arange(200) % 10 < np.where(y, 9, 2), 0.8, 0.2)
    row = assess_stream(written(tmp_path, y, p), ["net_benefit"], rng=1)["net_benefit"]
    better = max(0.0, share - (1 - share))  # at a threshold of one half
    assert row.skill.reference == pytest.approx(better, abs=1e-12)
    assert row.skill.difference == pytest.approx(hits - alarms - better, rel=1e-12)


def weak(folder: Path, n: int = 3_000) -> tuple[Binary, Path]:
    y, p = drawn(n, effect=0.05, seed=3)
    return Binary(y, probability=p), written(folder, y, p)


def test_fisher_and_mann_whitney_are_those_in_memory(tmp_path: Path) -> None:
    predictions, path = weak(tmp_path)
    found = assess_stream(path, ["accuracy", "auc"], exact=True)
    assert found["accuracy"].p_value == significance.fisher(predictions).p_value
    ranks = significance.mann_whitney(predictions, method="normal")
    assert found["auc"].p_value == pytest.approx(ranks.p_value, rel=1e-10)
    assert (found["auc"].hypothesis, found["auc"].test) == (ranks.hypothesis, ranks.method)
    assert 0.001 < ranks.p_value < 0.999
    binned = assess_stream(path, ["auc"])["auc"].p_value
    assert ranks.p_value <= binned <= ranks.p_value + 1e-4


@pytest.mark.parametrize("name", ["brier", "tjur_r2", "log_score"])
def test_association_is_what_permutation_gives(tmp_path: Path, name: str) -> None:
    predictions, path = weak(tmp_path)
    drawn_p = significance.permutation(predictions, name, draws=20_000, rng=1).p_value
    found = assess_stream(path, [name])[name]
    error = np.sqrt(drawn_p * (1 - drawn_p) / 20_000)
    assert abs(found.p_value - drawn_p) < 4 * error
    assert 0.01 < drawn_p < 0.99
    assert found.test == "permutation, normal approximation"


@pytest.mark.parametrize("rate", [0.6, "majority"])
def test_accuracy_against_a_rate_is_that_in_memory(tmp_path: Path, rate: Any) -> None:
    predictions, path = weak(tmp_path)
    row = assess_stream(path, ["accuracy"], rate=rate)["accuracy"]
    test = significance.against_majority if rate == "majority" else significance.against_rate
    exact = test(predictions) if rate == "majority" else test(predictions, rate)
    assert (row.p_value, row.test, row.hypothesis) == (
        exact.p_value,
        exact.method,
        exact.hypothesis,
    )


def test_what_has_no_test_against_a_rate_is_named_and_nothing_else(tmp_path: Path) -> None:
    _, path = weak(tmp_path)
    told = [
        {a.code: a.text for a in assess_stream(path, [name], rate=0.6).advice}
        for name in ("auc", "accuracy")
    ]
    assert told[0]["AC015"].startswith("not tested against a stated rate: auc: only shares")
    assert "AC015" not in told[1]


def skewed(kind: str) -> np.ndarray:
    _, p = drawn(30_000, seed=2)
    return {
        "rare": p**6 * 1e-4,
        "saturated": np.where(p > 0.7, 1.0, np.where(p < 0.2, 0.0, p * 1e-7)),
        "rounded": np.round(p, 2),
    }[kind]


@pytest.mark.parametrize("kind", ["rare", "saturated", "rounded"])
def test_the_bound_holds_for_skewed_probabilities_too(tmp_path: Path, kind: str) -> None:
    y, p = drawn(30_000, seed=2)[0], skewed(kind)
    stream = open_stream(written(tmp_path, y, p))
    assert stream is not None
    told: list[tuple[int, int]] = []
    found = summarised(
        StreamCases(stream, "y", "p", True), progress=lambda *rows: told.append(rows)
    )
    exact = rank_summary(p, y)
    assert found.totals.auc_bound < 1e-6
    assert abs(found.rank_summary.auc - exact.auc) <= found.totals.auc_bound + 1e-15
    assert told[-1][0] == told[-1][1] == len(p) * (1 if kind == "rounded" else len(told))
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.parametrize("kind", ["rare", "saturated", "rounded"])
@pytest.mark.parametrize("buffer", [10**6, 2_000])
def test_exact_ranks_are_exact_whatever_the_buffer(tmp_path: Path, kind: str, buffer: int) -> None:
    y, p = drawn(30_000, seed=2)[0], skewed(kind)
    stream = open_stream(written(tmp_path, y, p))
    assert stream is not None
    cases = StreamCases(stream, "y", "p", True)
    found = summarised(cases, exact=True, buffer=buffer).totals
    exact = rank_summary(p, y)
    assert (found.slack, found.twice_u) == (0, exact.pairs_twice_u)
    assert found.summary.average_precision == pytest.approx(exact.average_precision, rel=1e-12)


def test_exact_results_equal_those_in_memory(tmp_path: Path) -> None:
    y, p = drawn()
    predictions = Binary(y, probability=p)
    result = assess_stream(written(tmp_path, y, p), exact=True)
    for name in ("auc", "average_precision", "ks"):
        assert result[name].value == pytest.approx(find(name).of(predictions), rel=1e-12)
    exact = intervals.delong(predictions)
    found = result["auc"].interval
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), rel=1e-10)
    assert found.method == exact.method


def test_scores_are_read_twice_for_their_range(tmp_path: Path) -> None:
    y, p = drawn(20_000)
    score = np.log(p / (1 - p))
    score[5] = -1e7
    path = written(tmp_path, y, score)
    result = assess_stream(path, score="p", outcome="y")
    predictions = Binary(y, score=score)
    assert {row.measure for row in result} == {m.label for m in applicable(predictions)}
    assert result["auc"].value == pytest.approx(find("auc").of(predictions), abs=1e-6)
    labelled = assess_stream(path, ["accuracy"], score="p", outcome="y", threshold=0.5)
    exact = find("accuracy").of(Binary(y, score=score, threshold=0.5))
    assert labelled["accuracy"].value == exact


def test_words_need_a_positive_class_and_name_the_classes(tmp_path: Path) -> None:
    y, p = drawn(5_000)
    path = tmp_path / "words.parquet"
    parquet.write_table(pa.table({"y": np.where(y, "sick", "well"), "p": p}), path)
    with pytest.raises(DataError, match="pos_label must say which class is positive"):
        assess_stream(path)
    result = assess_stream(path, ["brier"], pos_label="sick")
    exact = find("brier").of(Binary(y, probability=p))
    assert result["brier"].value == pytest.approx(exact, rel=1e-12)


def test_an_infinite_log_score_says_why_and_has_no_interval(tmp_path: Path) -> None:
    result = assess_stream(written(tmp_path, [1, 0, 1, 0], [0.0, 0.2, 0.9, 0.5]))
    row = result["log_score"]
    assert row.value == -np.inf
    assert row.remark == "1 case had an outcome of predicted probability 0"
    assert row.interval is None
    assert row.p_value is None
    assert result["brier"].interval is not None


def test_one_class_alone_is_undefined_with_the_reason(tmp_path: Path) -> None:
    result = assess_stream(written(tmp_path, [1, 1, 1], [0.4, 0.2, 0.9]))
    assert np.isnan(result["auc"].value)
    assert result["auc"].undefined == "only one class was observed"
    assert all(row.p_value is None for row in result)


def test_a_measure_asked_for_by_name_says_why_it_cannot_be_had(tmp_path: Path) -> None:
    result = assess_stream(written(tmp_path, [1, 0, 1], [0.4, 0.2, 0.9]), ["ece", "brier"])
    assert np.isnan(result["ece"].value)
    assert "needs all cases at once" in result["ece"].undefined
    assert result.primary == "ece"


def test_missing_values_are_dropped_and_counted(tmp_path: Path) -> None:
    p = pa.array([0.4, None, 0.9, 0.1])
    path = written(tmp_path, [1, 0, 1, 0], p)
    with pytest.raises(DataError, match="probability must not be missing; it is at row 2"):
        assess_stream(path)
    result = assess_stream(path, missing="drop")
    assert (result.n, result.dropped) == (3, 1)


def test_without_inference_there_are_values_only(tmp_path: Path) -> None:
    result = assess_stream(written(tmp_path, *drawn(100)), inference=False)
    assert all(row.interval is row.p_value is row.skill is None for row in result)
    assert result.seed is None


@pytest.mark.parametrize(
    ("name", "said"),
    [("fold", "holds fold"), ("groups", "holds groups"), ("sample_weight", "holds sample_weight")],
)
def test_columns_that_tell_of_dependence_or_weights_are_refused(
    tmp_path: Path, name: str, said: str
) -> None:
    path = written(tmp_path, *drawn(10), **{name: np.arange(10)})
    with pytest.raises(NotApplicable, match=said):
        assess_stream(path, outcome="y", probability="p")


def test_a_fold_column_is_passed_over_when_the_origin_is_stated(tmp_path: Path) -> None:
    path = written(tmp_path, *drawn(10), fold=np.arange(10))
    assert assess_stream(path, ["brier"], origin="test").n == 10
    with pytest.raises(NotApplicable, match="taken for a test set"):
        assess_stream(written(tmp_path, *drawn(10)), origin="cv")


def test_weights_by_another_name_are_pointed_out(tmp_path: Path) -> None:
    result = assess_stream(written(tmp_path, *drawn(10), weight=np.ones(10)), ["brier"])
    assert any("column 'weight' was not used" in a.text for a in result.advice)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"y": [1, 0], "p": [0.2, 0.3], "score": [1.0, 2.0]}, "there are probability and score"),
        ({"time": [1.0, 2.0], "event": [1, 0], "risk": [0.1, 0.2]}, "survival times need"),
    ],
)
def test_what_a_stream_cannot_take_is_refused(
    tmp_path: Path, columns: dict[str, Any], said: str
) -> None:
    parquet.write_table(pa.table(columns), tmp_path / "other.parquet")
    with pytest.raises(NotApplicable, match=said):
        assess_stream(tmp_path / "other.parquet")


def test_other_files_and_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\n")
    with pytest.raises(FileError, match="only Parquet files are read in pieces"):
        assess_stream(tmp_path / "a.csv")
    with pytest.raises(ColumnError, match="no column 'q'"):
        assess_stream(written(tmp_path, *drawn(10)), probability="q")


@pytest.mark.slow
def test_a_million_cases_give_what_memory_gives(tmp_path: Path) -> None:
    y, p = drawn(10**6, seed=9)
    predictions = Binary(y, probability=p)
    result = assess_stream(written(tmp_path, y, p))
    assert abs(result["auc"].value - find("auc").of(predictions)) < 1e-6
    for name in ("accuracy", "f1", "mcc"):
        assert result[name].value == find(name).of(predictions)
    for name in ("brier", "log_score", "tjur_r2", "nagelkerke_r2"):
        assert result[name].value == pytest.approx(find(name).of(predictions), rel=1e-12)


def test_what_needs_the_cases_refuses_a_summary_and_says_what_to_do() -> None:
    from abovechance.measures.summary import BinarySummary, Summarised

    y, p = drawn(500)
    summary = Summarised(BinarySummary.of(y, p))
    cases = Binary(y, probability=p)
    assert significance.fisher(summary).p_value == significance.fisher(cases).p_value
    with pytest.raises(NotApplicable, match=r"only counts and sums .* Take a random part"):
        significance.permutation(summary, "brier")


def test_only_methods_that_are_declared_for_a_summary_are_asked_of_one() -> None:
    from abovechance.inference.method import Fact, Kind, first_of, suited
    from abovechance.measures.summary import BinarySummary, Summarised

    y, p = drawn(500)
    summary, facts = Summarised(BinarySummary.of(y, p)), frozenset({Fact.SUMMARY})
    for m in applicable(summary):
        first = first_of(Kind.INTERVAL, m.law, facts)
        for method in suited(first, m, summary, facts):
            assert Fact.SUMMARY in method.allows | method.needs
            assert method.name not in ("left_out", "bootstrap")


def test_a_stream_without_a_wrong_call_has_no_interval_of_what_wrong_calls_would_cost(
    tmp_path: Path,
) -> None:
    y, p = drawn(2000, effect=0.0)
    sure = np.where(y, 0.99, 0.01) + 0.005 * p
    rows = assess_stream(written(tmp_path, y, sure), rng=7)
    assert rows["accuracy"].value == 1.0
    for name in ("brier", "log_score", "nagelkerke_r2"):
        assert rows[name].interval is None, name
    assert any("No interval for" in a.text and "brier" in a.text for a in rows.advice)
