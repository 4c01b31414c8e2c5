"""Posteriors agree with exact arithmetic and say what they rest on."""

import json

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.inference import posterior
from abovechance.inference.posterior.distribution import sketch
from abovechance.predictions import Binary

# The reference of Jeffreys' prior was integrated by a rule that half-integer powers defeat
# (3e-6 in its tails); tests/references/posterior_extra.json has it to full precision.
BY_PLAIN_RULE = "jeffreys"


def binary_cases(reference):
    for case in reference("brodersen_binary")["cases"]:
        given = case["input"]
        table = [[given["TN"], given["FP"]], [given["FN"], given["TP"]]]
        yield case["id"], table, given, case["expected"]


def best(values):
    return values.get("exact", values.get("quadrature", values.get("highprec")))


def test_accuracy_agrees_with_high_precision(reference) -> None:
    for name, table, _, expected in binary_cases(reference):
        if "accuracy_mean" not in expected:
            continue
        found = posterior.accuracy(table)
        assert found.mean == pytest.approx(best(expected["accuracy_mean"]), rel=1e-12), name
        variance = best(expected["accuracy_variance"])
        assert found.std**2 == pytest.approx(variance, rel=1e-11), name
        assert found.median == pytest.approx(best(expected["accuracy_median"]), rel=1e-10), name
        limits = found.interval()
        target = best(expected["accuracy_interval95"])
        assert [limits.low, limits.high] == pytest.approx(target, rel=1e-10), name
        above = best(expected["accuracy_p_gt_half"])
        assert found.prob_above(0.5) == pytest.approx(above, rel=1e-10), name
        mode = best(expected["accuracy_mode"])
        if mode is not None:
            assert found.mode == pytest.approx(mode, rel=1e-12, nan_ok=True), name


def test_balanced_accuracy_agrees_with_exact_rationals(reference) -> None:
    seen = 0
    for name, table, given, expected in binary_cases(reference):
        weights = [1 - given["c"], given["c"]] if "c" in given else None
        found = posterior.balanced_accuracy(table, prior=given.get("prior", 1), weights=weights)
        digits = 1e-5 if name == BY_PLAIN_RULE else 1e-10
        for key, function in (("ba_pdf_grid", found.pdf), ("ba_cdf_grid", found.cdf)):
            x, exact = np.array(best(expected[key])).T
            assert function(x) == pytest.approx(exact, rel=digits, abs=1e-300), (name, key)
        assert found.mean == pytest.approx(best(expected["ba_mean"]), rel=1e-14), name
        assert found.std**2 == pytest.approx(best(expected["ba_variance"]), rel=1e-11), name
        assert found.median == pytest.approx(best(expected["ba_median"]), rel=1e-10), name
        limits = found.interval()
        target = best(expected["ba_interval95"])
        assert [limits.low, limits.high] == pytest.approx(target, rel=1e-10), name
        above = best(expected["ba_p_gt_half"])
        assert found.prob_above(0.5) == pytest.approx(above, rel=1e-10), name
        if "ba_mode" in expected:
            assert found.mode == pytest.approx(best(expected["ba_mode"]), rel=1e-10), name
        seen += 1
    assert seen == 25


def test_more_classes_agree_with_exact_rationals(reference) -> None:
    for case in reference("brodersen_multiclass")["cases"]:
        table = np.array(case["input"]["confusion_rows_predicted_cols_actual"]).T
        expected = case["expected"]
        found = posterior.balanced_accuracy(table, model=case["input"]["convention"])
        assert found.mean == pytest.approx(expected["ba_mean"]["exact"], rel=1e-14)
        assert found.median == pytest.approx(expected["ba_median"]["exact"], rel=1e-10)
        assert found.mode == pytest.approx(expected["ba_mode"]["exact"], rel=1e-10)
        limits = found.interval()
        target = expected["ba_interval95"]["exact"]
        assert [limits.low, limits.high] == pytest.approx(target, rel=1e-10)
        above = expected["ba_p_gt_chance_1_over_K"]["exact"]
        assert found.prob_above(1 / len(table)) == pytest.approx(above, rel=1e-10)
        if case["input"]["convention"] == "dirichlet":
            assert posterior.prob_above_chance(table) == pytest.approx(above, rel=1e-10)


def test_chance_of_many_classes_is_judged_by_the_dirichlet_prior() -> None:
    table = np.eye(4, dtype=int) * 2 + 2
    flat = posterior.balanced_accuracy(table)
    assert flat.prob_above_chance == posterior.prob_above_chance(table)
    assert flat.prob_above_chance < flat.prob_above(1 / 4)
    assert "P(" not in str(flat)
    nothing = np.zeros((4, 4), dtype=int)
    assert posterior.prob_above_chance(nothing) == pytest.approx(0.5, abs=0.06)
    assert posterior.balanced_accuracy(nothing).prob_above(1 / 4) > 0.95


def test_folds_are_summed_and_predictions_are_counted() -> None:
    folds = np.array([[[4, 1], [0, 5]], [[5, 0], [1, 4]]])
    whole = posterior.balanced_accuracy(folds.sum(axis=0))
    assert posterior.balanced_accuracy(folds).interval() == whole.interval()
    made = Binary([0, 0, 0, 1, 1], label=[0, 0, 1, 1, 1])
    found = posterior.balanced_accuracy(made)
    assert found.mean == posterior.balanced_accuracy([[2, 1], [0, 2]]).mean
    both = posterior.balanced_accuracy([made, made])
    assert both.mean == posterior.balanced_accuracy([[4, 2], [0, 4]]).mean
    assert posterior.accuracy(made).mean == 5 / 7


def test_weights_of_cases_are_refused() -> None:
    made = Binary([0, 0, 1, 1], label=[0, 1, 1, 1], sample_weight=[1, 2, 1, 2])
    with pytest.raises(NotApplicable, match="sampling weights are not counts"):
        posterior.balanced_accuracy(made)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[1, 2], [3, -1]], "got -1"),
        ([[1, 2], [3, 0.5]], "got 0.5"),
        ([[1, 2, 3], [4, 5, 6]], "2 × 3"),
        ([[1]], "1 × 1"),
        ([[1, 2], [3]], "as many columns as rows"),
        ([[1, float("nan")], [3, 4]], "got nan"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(table, words: str) -> None:
    with pytest.raises(DataError, match=words):
        posterior.balanced_accuracy(table)


@pytest.mark.parametrize("prior", [0, -1, (1, 2, 3), "happy", (1, float("inf")), None])
def test_impossible_priors_are_refused(prior) -> None:
    with pytest.raises(DataError, match="prior must be"):
        posterior.accuracy(3, 4, prior=prior)


def test_priors_by_name_and_by_number() -> None:
    assert posterior.accuracy(3, 4, prior="jeffreys").mean == 3.5 / 8
    assert posterior.accuracy(3, 4, prior=(2, 1)).mean == 5 / 10
    assert posterior.accuracy(3, 4, prior="jeffreys").prior == "Beta(0.5, 0.5)"
    with pytest.raises(DataError, match="the same to every cell"):
        posterior.balanced_accuracy([[3, 1], [1, 3]], prior=(2, 1), model="dirichlet")


def test_priors_weaker_than_jeffreys_are_drawn_instead() -> None:
    with pytest.raises(DataError, match="at least ½"):
        posterior.balanced_accuracy([[3, 1], [1, 3]], prior=0.1)
    drawn = posterior.of("balanced_accuracy", [[3, 1], [1, 3]], prior=0.1, draws=20_000)
    assert drawn.mean == pytest.approx(3.1 / 4.2, abs=0.01)
    assert posterior.accuracy(3, 1, prior=0.1).mean == pytest.approx(3.1 / 4.2)


def test_weights_of_classes_are_shares() -> None:
    table = [[40, 5], [8, 2]]
    one = posterior.balanced_accuracy(table, weights=[7, 3])
    assert one.mean == pytest.approx(0.7 * 41 / 47 + 0.3 * 3 / 12, rel=1e-14)
    assert one.chance is None
    with pytest.raises(DataError, match="2 numbers, one per class"):
        posterior.balanced_accuracy(table, weights=[1, 2, 3])
    with pytest.raises(DataError, match="not all 0"):
        posterior.balanced_accuracy(table, weights=[0, 0])


def test_intervals_hold_their_probability() -> None:
    found = posterior.balanced_accuracy([[5, 5], [2, 43]])
    for kind in ("equal_tailed", "highest_density"):
        limits = found.interval(0.8, kind=kind)
        assert found.prob_between(limits.low, limits.high) == pytest.approx(0.8, abs=1e-9)
        assert limits.level == 0.8
        assert found.mean in limits
    assert found.prob_between(found.mean, found.mean) == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(DataError, match="level must lie between"):
        found.interval(1.0)
    with pytest.raises(DataError, match="kind must be"):
        found.interval(kind="narrow")


def test_a_posterior_prints_one_line_and_exports() -> None:
    found = posterior.balanced_accuracy([[5, 5], [2, 43]])
    assert str(found) == (
        "balanced accuracy 0.718, 95% posterior interval 0.580 to 0.855; P(> 0.5) > 0.999; "
        "prior Beta(1, 1) for each class"
    )
    facts = json.loads(found.to_json())
    assert facts["interval"]["level"] == 0.95
    assert facts["prob_above_chance"] == found.prob_above(0.5)
    assert found.summary(0.5)["interval"]["level"] == 0.5


def test_numbers_give_numbers_and_arrays_arrays() -> None:
    found = posterior.accuracy(30, 10)
    assert isinstance(found.pdf(0.7), float)
    assert isinstance(found.ppf(0.5), float)
    assert found.cdf([0.5, 0.7]).shape == (2,)


def test_a_difference_of_separate_cases_is_the_distribution_of_a_difference() -> None:
    first, second = [[48, 2], [5, 45]], [[40, 10], [10, 40]]
    found = posterior.difference(first, second)
    one, two = posterior.balanced_accuracy(first), posterior.balanced_accuracy(second)
    assert found.mean == pytest.approx(one.mean - two.mean, abs=1e-15)
    assert found.std**2 == pytest.approx(one.std**2 + two.std**2, rel=1e-12)
    rng = np.random.default_rng(2)
    drawn = one.ppf(rng.random(4000)) - two.ppf(rng.random(4000))
    assert found.cdf(np.quantile(drawn, 0.3)) == pytest.approx(0.3, abs=0.03)
    back = posterior.difference(second, first)
    assert back.prob_above(0.0) == pytest.approx(1 - found.prob_above(0.0), abs=1e-12)
    assert posterior.difference(one, two).prob_above(0.01) == found.prob_above(0.01)


def test_a_difference_of_accuracies() -> None:
    found = posterior.difference(posterior.accuracy(45, 5), posterior.accuracy(30, 20))
    assert found.quantity == "difference in accuracy"
    assert found.mean == pytest.approx(46 / 52 - 31 / 52)
    with pytest.raises(NotApplicable, match="of the same"):
        posterior.difference(posterior.accuracy(45, 5), [[4, 5], [6, 7]])


def test_a_model_does_not_differ_from_itself() -> None:
    found = posterior.difference([[7, 1], [2, 9]], [[7, 1], [2, 9]])
    assert found.prob_above(0.0) == pytest.approx(0.5, abs=1e-12)
    assert found.prob_between(-1.0, 1.0) == 1.0
    with pytest.raises(DataError, match="low must not be above high"):
        found.prob_between(0.1, 0.0)


def test_the_sketch_marks_mean_interval_and_chance() -> None:
    found = posterior.balanced_accuracy([[5, 5], [2, 43]])
    text = sketch(found, width=50, height=6)
    rows = text.splitlines()
    assert len(rows) == 6 + 3
    assert max(map(len, rows)) <= 50
    assert "●" in rows[-2]
    assert "╎" in rows[-2]
    assert rows[-1].split() == ["0.5", "0.580", "0.718", "0.855"]
    plain = sketch(found, ascii_only=True)
    assert plain.isascii()


def test_the_sketch_of_an_infinite_density_is_finite() -> None:
    text = sketch(posterior.accuracy(10, 0, prior="jeffreys"), width=30, height=3)
    assert len(text.splitlines()) == 6
