"""Limits that allow for errors not yet seen."""

import numpy as np
import pytest

from abovechance import Binary, Multiclass, assess, compare
from abovechance.errors import NotApplicable
from abovechance.inference.unseen_errors import (
    ENOUGH_ERRORS,
    FEW_ERRORS,
    NOTHING,
    value_of,
    with_more_errors,
    with_sure_errors,
)
from abovechance.measures import find
from abovechance.measures.catalogue import applicable

PROBABILITIES = ("brier", "log_score", "log_loss", "tjur_r2", "scaled_brier", "nagelkerke_r2")


def _right(n: int = 60, wrong: int = 0, trust: float = 0.98) -> Binary:
    """Probabilities of .02 and .98, or close to it, of which some are wrong."""
    y = np.arange(n) % 2
    p = np.where(y == 1, trust, 1.0 - trust) + 0.01 * np.sin(np.arange(n))
    p[:wrong] = 1.0 - p[:wrong]
    return Binary(y, probability=p)


def test_the_limit_is_the_value_with_as_many_more_errors_as_wilson_allows() -> None:
    y = np.tile([0, 1], 40)
    p = np.where(y == 1, 0.9, 0.1)
    cases = Binary(y, probability=p)
    more = 1.0 - assess(cases, ["accuracy"])["accuracy"].interval.low
    assert with_more_errors(find("brier"), cases, 0.95).least == pytest.approx(
        (1.0 - more) * 0.01 + more * 0.81
    )
    assert with_more_errors(find("log_score"), cases, 0.95).least == pytest.approx(
        (1.0 - more) * np.log(0.9) + more * np.log(0.1)
    )


def test_errors_are_put_where_a_model_trusts_itself_least() -> None:
    y = np.tile([0, 1], 40)
    p = np.where(y == 1, 1.0 - 1e-9, 1e-9)
    p[:9] = [0.4, 0.6, 0.4, 0.6, 0.4, 0.6, 0.4, 0.6, 0.7]
    cases = Binary(y, probability=p)  # the ninth is wrong
    found = assess(cases, ["accuracy"])["accuracy"]
    more = found.value - found.interval.low
    share = more * 80 / 8  # of each of the eight, all others are certain
    expected = (8 * ((1.0 - share) * 0.16 + share * 0.36) + 0.49) / 80
    assert with_more_errors(find("brier"), cases, 0.95).least == pytest.approx(expected, abs=1e-6)


def test_where_no_error_was_seen_they_are_as_sure_as_the_rest() -> None:
    y = np.tile([0, 1], 40)
    p = np.where(y == 1, 0.99, 0.01)
    p[:4] = [0.4, 0.6, 0.4, 0.6]
    cases = Binary(y, probability=p)
    more = 1.0 - assess(cases, ["accuracy"])["accuracy"].interval.low
    right, wrong = np.mean((y - p) ** 2), np.mean((y - 1.0 + p) ** 2)
    assert with_more_errors(find("brier"), cases, 0.95).least == pytest.approx(
        (1.0 - more) * right + more * wrong
    )


def test_an_error_that_would_be_infinite_is_refused() -> None:
    cases = Binary(np.arange(60) % 2, probability=np.where(np.arange(60) % 2, 1.0, 1e-3))
    with pytest.raises(NotApplicable, match="infinite"):
        with_more_errors(find("log_score"), cases, 0.95)
    row = assess(cases, ["log_score"], rng=1)["log_score"]
    assert row.interval is None
    assert "infinite" in str(row.remark)


@pytest.mark.parametrize("measure", PROBABILITIES)
def test_a_model_without_an_error_is_known_no_better_than_its_accuracy(measure: str) -> None:
    found = assess(_right(), [measure], rng=1)[measure]
    other = with_more_errors(find(measure), _right(), 0.95).least
    assert other is not None
    worse = found.interval.low if find(measure).higher_is_better else found.interval.high
    assert worse == pytest.approx(other)
    assert found.interval.method.endswith("wider by errors not seen")


def test_enough_errors_are_left_to_the_usual_interval() -> None:
    assert with_more_errors(find("brier"), _right(wrong=FEW_ERRORS), 0.95).least is None
    assert with_more_errors(find("brier"), _right(wrong=FEW_ERRORS - 1), 0.95).least is not None
    assert with_more_errors(find("brier"), _right(wrong=ENOUGH_ERRORS), 0.95) == NOTHING


def test_what_is_not_made_of_probabilities_is_left_alone() -> None:
    for measure in applicable(_right()):
        other = with_more_errors(measure, _right(), 0.95).least
        if other is not None:
            better = measure.of(_right())
            assert (other < better) == measure.higher_is_better, measure.name
    for name in ("accuracy", "auc", "f1", "ece", "calibration_slope", "net_benefit"):
        assert with_more_errors(find(name), _right(), 0.95) == NOTHING


def test_limits_of_more_cases_and_of_lower_levels_are_nearer() -> None:
    def high(n: int, level: float) -> float:
        found = assess(_right(n), ["brier"], confidence_level=level, rng=1)["brier"].interval
        return float(found.high)

    assert high(400, 0.95) < high(60, 0.95)
    assert high(60, 0.8) < high(60, 0.95) < high(60, 0.99)


def test_classes_clusters_and_weights_are_allowed_for() -> None:
    y = np.arange(90) % 3
    p = np.full((90, 3), 0.02) + 0.001 * np.sin(np.arange(270)).reshape(90, 3)
    p[np.arange(90), y] = 0.0
    p[np.arange(90), y] = 1.0 - p.sum(axis=1)
    plain = assess(Multiclass(y, probability=p), ["brier"], rng=1)["brier"].interval
    groups = np.arange(90) // 9
    held = assess(Multiclass(y, probability=p, groups=groups), ["brier"], rng=1)["brier"].interval
    weight = np.where(np.arange(90) < 30, 5.0, 1.0)
    rows = Multiclass(y, probability=p, sample_weight=weight)
    weighted = assess(rows, ["brier"], rng=1)["brier"].interval
    assert plain.high < min(held.high, weighted.high)


def test_the_gain_over_the_reference_is_known_no_better_than_the_value() -> None:
    row = assess(_right(), ["brier"], rng=1)["brier"]
    lost = row.interval.high - row.value
    assert row.skill.difference - row.skill.interval.low == pytest.approx(lost)


def test_differences_allow_for_an_error_of_either_model() -> None:
    first, second = _right(), _right(trust=0.97)
    row = compare({"a": first, "b": second}, ["brier"], rng=1).differences[0]
    others = [with_more_errors(find("brier"), p, 0.95).least for p in (first, second)]
    values = [find("brier").of(p) for p in (first, second)]
    assert row.interval.low == pytest.approx(values[0] - others[1])
    assert row.interval.high == pytest.approx(others[0] - values[1])
    asked = compare({"a": first, "b": second}, ["brier"], margin=0.1, rng=1).differences[0]
    assert asked.margin is None
    assert "margin" in asked.undefined
    same = compare({"a": first, "b": first}, ["brier"], rng=1).differences[0]
    assert (same.interval.low, same.interval.high) == (0.0, 0.0)


def test_classes_sampled_separately_are_weighed_as_their_prevalence_says() -> None:
    stated = {"sampling": "case-control", "prevalence": 0.1}
    found = assess(_right(), ["brier", "tjur_r2"], rng=1, **stated)
    for row in found.estimates:
        assert row.interval.by["unseen"], row.measure
        assert row.interval.high - row.interval.low > 0.02


def test_a_difference_allows_for_errors_of_the_model_that_showed_hardly_any() -> None:
    first, second = _right(200), _right(200, wrong=FEW_ERRORS, trust=0.9)
    row = compare({"a": first, "b": second}, ["brier"], rng=1).differences[0]
    other = with_more_errors(find("brier"), first, 0.95).least
    assert with_more_errors(find("brier"), second, 0.95).least is None
    assert other is not None
    assert row.interval.high >= other - find("brier").of(second)


def test_rows_of_no_weight_count_for_nothing() -> None:
    made = _right(62)
    weight = np.r_[0.0, 0.0, np.where(np.arange(60) < 20, 2.0, 1.0)]
    rows = made.with_cases(sample_weight=weight)
    kept = made.take(slice(2, None)).with_cases(sample_weight=weight[2:])
    found = with_more_errors(find("brier"), rows, 0.95)
    assert found == pytest.approx(with_more_errors(find("brier"), kept, 0.95))


def _hardly_varying(several: bool) -> list[Binary] | list[Multiclass]:
    """Two models of 20 cases: one is far less sure of one case than of all others."""
    made = []
    for sure in (1e-7, 1e-6):
        y = np.arange(20) % (3 if several else 2)
        wrong = sure * (1.0 + 0.3 * np.sin(np.arange(20)))
        wrong[4] = 0.3
        if several:
            p = np.tile(wrong[:, None] / 2.0, (1, 3))
            p[np.arange(20), y] = 1.0 - wrong
            made.append(Multiclass(y, probability=p))
        else:
            made.append(Binary(y, probability=np.where(y == 1, 1.0 - wrong, wrong)))
    return made


@pytest.mark.parametrize("several", [False, True])
def test_no_limit_goes_beyond_what_the_errors_that_accuracy_allows_would_cost(several) -> None:
    first, second = _hardly_varying(several)
    measures = [m for m in applicable(first) if with_more_errors(m, first, 0.95) != NOTHING]
    assert {"brier", "log_score", "log_loss"} <= {m.name.split(".")[0] for m in measures}
    found = assess(first, measures, rng=1)
    between = compare({"a": first, "b": second}, measures, rng=1).differences
    for measure, row, gap in zip(measures, found.estimates, between, strict=True):
        value, most = row.value, with_more_errors(measure, first, 0.95).most
        other = with_more_errors(measure, second, 0.95).most
        lost, lost_by_other = abs(value - most), abs(measure.of(second) - other)
        slack = 1e-9 * max(1.0, lost, lost_by_other)
        worse = -1.0 if measure.higher_is_better else 1.0
        if row.interval is not None:
            limit = row.interval.low if worse < 0 else row.interval.high
            assert worse * (limit - value) <= lost + slack, measure.label
        if row.skill is not None and row.skill.interval is not None:
            assert row.skill.difference - row.skill.interval.low <= lost + slack, measure.label
        if gap.interval is not None:
            ends = sorted((worse * gap.interval.low, worse * gap.interval.high))
            assert ends[1] <= worse * (most - measure.best) + slack, measure.label
            assert ends[0] >= -worse * (other - measure.best) - slack, measure.label


def test_limits_of_few_cases_are_those_that_errors_would_make() -> None:
    first, _ = _hardly_varying(several=False)
    found = assess(first, ["log_score"], rng=1)["log_score"].interval
    more = 1.0 - assess(first, ["accuracy"])["accuracy"].interval.low
    p = np.where(first.positive, first.probability, 1.0 - first.probability)
    expected = (1.0 - more) * np.log(p).mean() + more * np.log(1.0 - p).mean()
    assert found.low == pytest.approx(expected)
    assert -3.0 < found.low < -2.0
    assert found.method.endswith("no wider than errors allow")


def test_errors_that_were_seen_tell_what_more_of_them_may_cost() -> None:
    y = np.arange(40) % 2
    p = np.where(y == 1, 0.6, 0.4)
    p[:3] = [0.999, 0.001, 0.999]  # far more costly than any right call would be
    cases = Binary(y, probability=p)
    row = assess(cases, ["accuracy"])["accuracy"]
    wrong, right = 1.0 - row.interval.low, row.interval.low
    ends = with_more_errors(find("log_score"), cases, 0.95)
    assert ends.most == pytest.approx(right * np.log(0.6) + wrong * np.log(0.001))
    assert ends.most < ends.least


def test_right_calls_that_vary_as_usual_keep_their_interval() -> None:
    """Calls that are all right and hesitate: what varies is how much, and errors cost little."""
    y = np.arange(400) % 2
    p = np.where(y == 1, 1.0, -1.0) * (0.01 + 0.24 * (1.0 + np.sin(np.arange(400.0)))) + 0.5
    cases = Binary(y, probability=p)
    for name in ("brier", "log_score"):
        measure = find(name)
        row = assess(cases, [name], rng=1)[name]
        most = with_more_errors(measure, cases, 0.95).most
        worse = row.interval.low if measure.higher_is_better else row.interval.high
        losses = measure.losses(cases)
        reach = 1.96 * losses.std(ddof=1) / 20.0
        assert abs(worse - row.value) > 0.9 * reach, name
        assert abs(most - row.value) < reach or "most" not in row.interval.by, name
        assert row.skill.difference - row.skill.interval.low > 0.9 * reach, name


def test_the_ratio_of_observed_to_expected_allows_for_errors_either_way() -> None:
    cases = _right()
    row = assess(cases, ["observed_expected_ratio"], rng=1)["observed_expected_ratio"]
    more = 60 * (1.0 - assess(cases, ["accuracy"])["accuracy"].interval.low)
    expected = cases.probability.sum()
    assert row.interval.low == pytest.approx((30 - more) / expected)
    assert row.interval.high == pytest.approx((30 + more) / expected)
    assert row.interval.by["unseen"]
    usual = assess(_right(wrong=FEW_ERRORS), ["observed_expected_ratio"], rng=1)
    assert "unseen" not in usual["observed_expected_ratio"].interval.by


def _ordinary(surest: float, n: int = 150) -> dict[str, Binary]:
    """Two models with ordinary errors, alike but for calls of one that are very sure, and right."""
    rng = np.random.default_rng(1)
    y, trust = rng.integers(0, 2, n), rng.uniform(0.6, 0.95, n)
    called = np.where(rng.random(n) < trust, y, 1 - y)
    other = np.where((called == y) & (np.arange(n) % 3 == 0), surest, trust)
    return {
        name: Binary(y, probability=np.where(called == 1, p, 1.0 - p))
        for name, p in (("sure", other), ("usual", trust))
    }


def test_sure_calls_of_which_none_was_wrong_are_remarked_on() -> None:
    models = _ordinary(0.9999)
    assert "AC163" in {a.code for a in compare(models, ["log_score"], rng=1, draws=99).advice}
    assert "AC039" in {a.code for a in assess(models["sure"], ["log_score"], rng=1).advice}
    by = np.where(np.arange(150) % 3, "usual part", "sure part")
    for code, found in (
        ("AC163", compare(models, ["log_score"], by=by, rng=1, draws=99)),
        ("AC039", assess(models["sure"], ["log_score"], by=by, rng=1)),
    ):
        texts = [a.text for a in found.advice if a.code == code]
        assert any("sure part" in text and "usual part" not in text for text in texts)
    many = _ordinary(0.96, 1500)
    found = [compare(many, ["brier"], rng=1, draws=99), assess(many["sure"], ["brier"], rng=1)]
    assert not {"AC039", "AC163"} & {a.code for one in found for a in one.advice}


def test_the_surest_right_calls_are_taken_for_wrong() -> None:
    y = np.array([0, 1, 0, 1, 1, 0])
    p = np.array([0.01, 0.9, 0.3, 0.98, 0.4, 0.2])
    changed = np.where(np.isin(np.arange(6), (0, 3)), 1 - y, y)
    expected = np.mean((changed - p) ** 2)
    wrong = with_sure_errors(Binary(y, probability=p))
    assert value_of(find("brier"), wrong) == pytest.approx(expected)
    assert value_of(find("auc"), wrong) is None
