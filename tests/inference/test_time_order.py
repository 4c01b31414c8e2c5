"""Cases in time order: reference values, refusals, and what compare and assess make of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, rankdata

import abovechance as ac
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.confusion_tables import of_table
from abovechance.inference.time_order import (
    autocorrelated,
    case_values,
    cosines,
    ordered_mean,
    persistence,
)
from abovechance.measures import Law, applicable, find

FILE = Path(__file__).parents[1] / "references" / "ordered.json"
CASES = {case["id"]: case for case in json.loads(FILE.read_text("utf-8"))["cases"]}


def two(n: int = 60, **facts: Any) -> dict[str, ac.Binary]:
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=n)
    strength = {"a": 1.5, "b": 0.7}
    p = {k: 1 / (1 + np.exp(-(s * (2 * y - 1) + rng.normal(size=n)))) for k, s in strength.items()}
    return {k: ac.Binary(y, probability=v, **facts) for k, v in p.items()}


def test_a_mean_in_time_order_is_the_reference() -> None:
    case = CASES["B.mean"]
    x, expected = np.array(case["input"]["difference"]), case["expected"]["ewc"]["formula"]
    found, limits = cosines(x, np.arange(60)), ordered_mean(x)
    assert found.mean == pytest.approx(expected["mean"], rel=1e-12)
    assert found.persistence == pytest.approx(expected["r"], rel=1e-12)
    assert found.df == expected["nu"]
    assert found.error == pytest.approx(expected["error"], rel=1e-12)
    assert (limits.low, limits.high) == pytest.approx((expected["low"], expected["high"]), rel=1e-8)
    ljung = case["expected"]["Ljung-Box on ranks, 10 lags: p"]["statsmodels"]
    assert autocorrelated(x) == pytest.approx(ljung, rel=1e-10)


def test_named_tests_are_the_references() -> None:
    case = CASES["B.mean"]
    x = np.array(case["input"]["difference"])
    found = {
        "diebold_mariano(horizon=1)": ac.significance.diebold_mariano(x),
        "diebold_mariano(horizon=3)": ac.significance.diebold_mariano(x, horizon=3),
        "ibragimov_mueller(8)": ac.significance.ibragimov_mueller(x),
    }
    for name, test in found.items():
        expected = case["expected"][name]["formula"]
        assert test.statistic == pytest.approx(expected["statistic"], rel=1e-10), name
        assert test.p_value == pytest.approx(expected["p_value"], rel=1e-8), name


def test_several_cases_at_a_time_are_summed() -> None:
    case = CASES["B.panel"]
    order, x = (np.array(case["input"][k]) for k in ("order", "value"))
    found = cosines(x, order)
    assert found.error == pytest.approx(case["expected"]["ewc of totals"]["formula"]["error"])
    shuffled = np.random.default_rng(1).permutation(len(x))
    assert cosines(x[shuffled], order[shuffled]).error == pytest.approx(found.error)


def test_an_area_in_time_order_is_the_reference() -> None:
    case = CASES["B.auc"]
    y, score = case["input"]["y"], case["input"]["score"]
    made = ac.Binary(y, score=score, order=np.arange(60), pos_label=1)
    limits = ac.assess(made, ["auc"], rng=1)["auc"].interval
    expected = case["expected"]
    assert limits.low == pytest.approx(expected["low (logit)"]["formula"], abs=1e-9)
    assert limits.high == pytest.approx(expected["high (logit)"]["formula"], abs=1e-9)
    assert limits.method == "EWC, t(4), 60 times"


@pytest.mark.parametrize("name", ["brier", "rmse", "auc", "accuracy", "sensitivity", "f1", "kappa"])
def test_what_cases_say_is_what_leaving_them_out_does(name: str) -> None:
    if name == "rmse":
        rng = np.random.default_rng(1)
        y = rng.normal(size=40)
        made: Any = ac.Numeric(y, y + rng.normal(size=40))
    else:
        made = two(40)["a"]
    measure = find(name)
    values = case_values(measure, made)
    everyone = np.arange(40)
    without = np.array([measure.of(made.take(everyone != i)) for i in everyone])
    pseudo = 40 * measure.of(made) - 39 * without
    if name == "auc":  # its influence is that of weights, not of leaving out
        assert np.corrcoef(values, pseudo)[0, 1] > 0.999
    else:
        assert values == pytest.approx(pseudo, rel=1e-9)


def test_compare_in_order_does_not_depend_on_the_order_of_rows() -> None:
    order = np.arange(60)
    models = two(order=order)
    rows = np.random.default_rng(5).permutation(60)
    shuffled = {k: p.take(rows) for k, p in models.items()}
    measures = ["log_score", "auc", "accuracy", "f1"]
    one, other = (ac.compare(m, measures, rng=1) for m in (models, shuffled))
    for a, b in zip(one, other, strict=True):
        assert a.p_value == pytest.approx(b.p_value, rel=1e-9)
        assert a.test.startswith("EWC, t(" if a.measure == "log_score" else "MOVER of both")
        assert a.posterior is None
        assert a.interval.low <= a.difference <= a.interval.high
    assert one.omnibus == ()
    named = ac.significance.ordered(models["a"], models["b"], "log_score")
    assert named.p_value == one["log_score"].p_value


def test_every_measure_in_order_has_an_interval_or_a_reason() -> None:
    models = two(order=np.arange(60))
    for measure in applicable(models["a"]):
        row = ac.compare(models, [measure], rng=1).differences[0]
        assert row.interval is not None or row.undefined, measure.name
        if row.interval is not None:
            assert row.interval.low <= row.difference <= row.interval.high, measure.name


def test_dates_order_as_their_days_do() -> None:
    days = np.datetime64("2026-01-01") + np.arange(60)
    by_day, by_text = (
        ac.compare(two(order=order), ["brier"], rng=1)["brier"].p_value
        for order in (days, days.astype(str))
    )
    assert (
        by_day == by_text == ac.compare(two(order=np.arange(60)), ["brier"], rng=1)["brier"].p_value
    )


def test_what_does_not_go_with_an_order_is_refused() -> None:
    with pytest.raises(DataError, match="order= or groups="):
        two(order=np.arange(60), groups=np.arange(60) // 2)
    with pytest.raises(DataError, match="sample_weight"):
        two(order=np.arange(60), sample_weight=np.ones(60))
    with pytest.raises(DataError, match="numbers or dates"):
        two(order=["soon"] * 60)
    with pytest.raises(NotApplicable, match="time order"):
        ac.significance.mann_whitney(two(order=np.arange(60))["a"])
    row = ac.compare(two(20, order=np.arange(20)), ["brier"], rng=1)["brier"]
    assert row.p_value is None
    assert "at least 30 times" in row.undefined


def test_rows_in_an_order_that_was_not_stated_are_noticed() -> None:
    rng = np.random.default_rng(2)
    gap = np.cumsum(rng.normal(size=120)) / 4
    level = 8.0 + rng.normal(size=120)
    y = rng.normal(size=120)
    models = {k: ac.Numeric(y, y + level + s * gap) for k, s in (("a", 0.5), ("b", -0.5))}
    said = [a.code for a in ac.compare(models, ["mae"], rng=1, draws=99).advice]
    assert "AC156" in said
    stated = {k: ac.Numeric(y, p.value[0], order=np.arange(120)) for k, p in models.items()}
    said = [a.code for a in ac.compare(stated, ["mae"], rng=1).advice]
    assert "AC156" not in said
    assert "AC157" in said
    assert "AC156" not in [a.code for a in ac.compare(two(), ["brier"], rng=1, draws=99).advice]


def test_the_command_takes_an_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from abovechance.cli import main

    models = two()
    days = (np.datetime64("2026-01-01") + np.arange(60)).astype(str)
    columns = zip(
        models["a"].positive, models["a"].probability, models["b"].probability, days, strict=True
    )
    lines = ["y,a,b,day", *(f"{int(y)},{p},{q},{day}" for y, p, q, day in columns)]
    file = tmp_path / "days.csv"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    argv = ["compare", str(file), "--outcome", "y", "--models", "a,b", "--order", "day"]
    assert main([*argv, "--measures", "brier", "--seed", "1", "--format", "json"]) == 0
    row = json.loads(capsys.readouterr().out)["differences"][0]
    expected = ac.compare(two(order=np.arange(60)), ["brier"], rng=1)["brier"]
    assert row["p_value"] == pytest.approx(expected.p_value, rel=1e-9)
    assert row["test"] == expected.test


def test_times_with_the_same_mean_say_nothing_of_spread() -> None:
    pairs = np.arange(80) // 2
    with pytest.raises(NotApplicable, match="same at all times"):
        ordered_mean(np.tile([1.0, -1.0], 40), pairs)
    one_right = ac.Binary(np.tile([0, 1], 40), label=np.ones(80, dtype=int), order=pairs)
    found = ac.assess(one_right, ["accuracy"])["accuracy"]
    assert found.interval is None
    assert "same at all times" in found.remark


@pytest.mark.filterwarnings("error")
def test_one_case_has_no_interval_in_time_order() -> None:
    found = ac.assess(ac.Numeric([1.0], [0.0], order=[0]), ["mse", "rmse"])
    assert [e.interval for e in found.estimates] == [None, None]


def test_a_quantile_of_errors_has_no_interval_in_time_order() -> None:
    # leaving out a case says nothing of it: covered .67 of .95 with 60 times
    value = np.cos(np.arange(80.0))
    made = {k: ac.Numeric(value, s * value, order=np.arange(80)) for k, s in (("a", 0.5), ("b", 2))}
    row = ac.assess(made["a"], ["medae"], rng=1)["medae"]
    assert row.interval is None
    assert "depends on no single case" in row.remark
    apart = ac.compare(made, ["medae"], rng=1)["medae"]
    assert (apart.interval, apart.p_value) == (None, None)
    assert "depends on no single case" in apart.undefined


# ---------------------------------------------------------------- what holds for every measure


def stays(made: Any, times: int) -> Any:
    """Every case for so many times in a row."""
    again = made.take(np.repeat(np.arange(made.n), times))
    return again.with_cases(order=np.arange(again.n, dtype=np.float64))


def of_tables_and_areas(made: Any) -> list[Any]:
    return [m for m in applicable(made) if of_table(m) or m.law is Law.PAIRS]


@pytest.mark.parametrize("paired", [True, False])
def test_cases_that_stay_for_many_times_are_no_more_cases(paired: bool) -> None:
    """Whatever a comparison rests on, it must not take times in a row for independent cases."""
    models = two(70)
    lasting = {name: stays(p, 8) for name, p in models.items()}
    names = [m for m in applicable(models["a"]) if not m.needs_index_draws]
    plain, found = (
        {d.measure: d for d in ac.compare(m, names, rng=1, draws=199, paired=paired).differences}
        for m in (models, lasting)
    )
    seen = 0
    for label, d in found.items():
        once = plain[label].interval
        if d.interval is None or once is None or not np.isfinite(once.high - once.low):
            continue
        seen += 1
        assert d.interval.high - d.interval.low > 0.7 * (once.high - once.low), label
    assert seen > 20


def test_a_value_of_cases_that_stay_for_many_times_is_that_of_as_many_cases() -> None:
    made = two(70)["a"]
    plain, found = (ac.assess(p, rng=1, draws=199) for p in (made, stays(made, 8)))
    wide = {e.measure: e.interval for e in plain.estimates}
    for e in found.estimates:
        if e.interval is not None and wide[e.measure] is not None:
            once = wide[e.measure]
            assert e.interval.high - e.interval.low > 0.7 * (once.high - once.low), e.measure


def test_few_cases_that_tell_are_not_all_times() -> None:
    """Nine positives, all found, among 100 times: limits are those of nine, not of a hundred."""
    y = np.arange(100) % 12 == 0
    p = np.where(y, 0.9, np.random.default_rng(1).uniform(0.0, 0.6, 100))
    facts: dict[str, Any] = {"probability": p, "pos_label": True}
    plain, timed = ac.Binary(y, **facts), ac.Binary(y, order=np.arange(100), **facts)
    found = ac.assess(timed, ["sensitivity"])["sensitivity"].interval
    assert found.low < 0.65
    assert found.method == "Wilson, as of 9 times"
    names = of_tables_and_areas(plain)
    alone = {e.measure: e.interval for e in ac.assess(plain, names, rng=1).estimates}
    for e in ac.assess(timed, names, rng=1).estimates:
        if e.interval is not None:
            assert e.interval.low <= alone[e.measure].low + 1e-9, e.measure
            assert e.interval.high >= alone[e.measure].high - 1e-9, e.measure


def test_differences_of_tables_in_order_are_of_the_limits_that_both_models_have() -> None:
    models = two(160, order=np.arange(160))
    measure = find("ppv")
    found = ac.compare(models, [measure], rng=1, margin=0.1)
    row, (one, other) = found["ppv"], (e.interval for e in found.estimates)
    values = [case_values(measure, p) for p in models.values()]
    gap = cosines(values[0] - values[1], np.arange(160))
    slow = np.cos(np.outer(np.arange(1, int(gap.df) + 1), (np.arange(160) + 0.5) * np.pi / 160))
    a, b = (slow @ v for v in values)
    r = a @ b / np.sqrt((a @ a) * (b @ b))
    mine, theirs = (measure.of(p) for p in models.values())
    parts = np.array([mine - one.low, other.high - theirs])
    below = np.sqrt((parts**2).sum() - 2.0 * r * parts.prod())
    assert row.interval.low == pytest.approx(row.difference - below, rel=1e-9)
    assert row.margin.noninferior == (row.margin.interval.low > -0.1)
    assert ac.significance.ordered(*models.values(), "ppv").p_value == row.p_value
    assert (row.p_value < 0.05) == (row.interval.low > 0.0 or row.interval.high < 0.0)


def test_subgroups_of_one_series_are_not_tested_for_interaction() -> None:
    by = np.where(np.arange(160) % 2, "odd", "even")
    found = ac.compare(two(160, order=np.arange(160)), ["brier"], by=by, rng=1, draws=99)
    assert [i.p_value for i in found.interactions] == [None]
    assert "depend" in str(found.interactions[0].undefined)


def test_sums_that_only_rounding_sets_apart_are_the_same_at_all_times() -> None:
    rng = np.random.default_rng(1)
    cases = np.stack([rng.permutation([0.1, 0.23, 0.37, 0.71, 0.05]) for _ in range(100)])
    assert 0 < np.ptp([sum(one) for one in cases - cases.mean()]) < 1e-14
    with pytest.raises(NotApplicable, match="the same at all times"):
        cosines(cases.ravel(), np.repeat(np.arange(100), 5))


@pytest.mark.parametrize("n", [1, 2, 4, 5, 6, 49, 50, 60])
def test_no_autocorrelation_is_shown_where_nothing_varies_or_times_are_few(n: int) -> None:
    """p is 1 for fewer than five times and for a constant; else Ljung and Box's, lag by lag."""
    assert autocorrelated(np.full(n, 3.0)) == 1.0
    values = np.sin(np.arange(n) * 1.7) + 0.01 * np.arange(n)
    ranks = values.argsort().argsort() - (n - 1) / 2.0
    lags = min(10, n // 5)
    if not lags:
        assert autocorrelated(values) == 1.0
        return
    squares = [
        (sum(ranks[t] * ranks[t + k] for t in range(n - k)) / sum(ranks**2)) ** 2 / (n - k)
        for k in range(1, lags + 1)
    ]
    expected = chi2.sf(n * (n + 2) * sum(squares), lags)
    assert autocorrelated(values) == pytest.approx(expected, rel=1e-9)


def test_errors_in_a_row_give_no_verdict_on_a_margin() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    old = np.where(y == 1, 0.9, 0.1)
    in_a_row = np.concatenate([np.arange(40, 60), np.arange(150, 190)])
    at_once = rng.choice(np.arange(40, 240), 60, replace=False)
    for wrong, decided, why in (
        (
            in_a_row,
            False,
            "these 300 are so much like their neighbours that they are worth about 5",
        ),
        (at_once, False, "times, which depend on their neighbours, make up these"),
        (rng.choice(300, 60, replace=False), True, ""),
    ):
        new = old.copy()
        new[wrong] = 0.5
        models = {
            name: ac.Binary(y, probability=p, pos_label=1, order=np.arange(300))
            for name, p in (("new", new), ("old", old))
        }
        row = ac.compare(models, ["brier"], margin=0.2, rng=1)["brier"]
        assert (row.margin is not None) is decided
        assert row.interval is not None
        assert decided or why in row.undefined


def test_rare_large_differences_give_no_verdict_on_a_margin_in_time_order() -> None:
    rng = np.random.default_rng(6)
    decided = {}
    for name, shape in (("alike", 0.2), ("rarely large", 1.2)):
        size = np.exp(shape * rng.normal(size=600))
        models = {
            who: ac.Numeric(np.zeros(600), value=values, order=np.arange(600))
            for who, values in (("new", np.sqrt(size)), ("old", np.zeros(600)))
        }
        row = ac.compare(models, ["mse"], margin=2.0 * size.mean(), rng=1)["mse"]
        assert row.interval is not None
        decided[name] = row.margin is not None
        times = _independent_times(size)
        assert decided[name] == (times >= 20.0)
        assert decided[name] or f"as few as {times:.0f} independent times" in row.undefined
    assert decided == {"alike": True, "rarely large": False}


def _independent_times(values: np.ndarray) -> float:
    """What their squares are worth, less what neighbours have in common, by values or by ranks."""
    left = max(persistence(values), persistence(rankdata(values)))
    squares = (values - np.median(values)) ** 2
    return squares.sum() ** 2 / (squares**2).sum() * (1.0 - left) / (1.0 + left)


@pytest.mark.parametrize("measure", ["auc", "false_positive_rate", "brier"])
def test_times_that_are_worth_few_give_no_verdict_on_a_margin(measure: str) -> None:
    """Every law in time order: of cases that stand two, four, … times in a row fewer tell."""
    given = []
    for times in (1, 2, 4, 8):
        alone = two(480 // times)
        models = {
            name: ac.Binary(
                np.repeat(p.positive, times).astype(int),
                probability=np.repeat(p.probability, times),
                pos_label=1,
                order=np.arange(480),
            )
            for name, p in alone.items()
        }
        row = ac.compare(models, [measure], margin=0.3, rng=1, draws=99)[measure]
        given.append(row.margin is not None)
        if not given[-1]:
            assert "independent times" in row.undefined
    assert given[0]
    assert not given[-1]
