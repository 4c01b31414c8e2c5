"""Detecting whether classes differ: the same permutations for all, refusals with the remedy."""

import numpy as np
import pytest

from abovechance import detect
from abovechance.errors import DataError, NotApplicable, UnknownMeasure

ALL = ("hotelling", "hotelling_shrink", "srivastava_du", "goeman", "mmd", "energy", "simes", "cai")


def data(n: int = 40, p: int = 6, shift: float = 0.0, seed: int = 1):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, p)) + shift * y[:, None], y


def test_a_clear_shift_is_found_by_every_statistic() -> None:
    X, y = data(shift=1.2)
    found = detect(X, y, tests=[*ALL, "lda.cv4", "svm.c1.cv4"], draws=99, rng=1)
    assert all(row.p_value == 0.01 for row in found.tests)
    assert all(row.p_adjusted == pytest.approx(0.1) for row in found.tests)


def test_a_statistic_does_not_depend_on_its_company() -> None:
    X, y = data(shift=0.4)
    alone = detect(X, y, tests=["lda.cv4"], draws=99, rng=3)["lda.cv4"]
    joined = detect(X, y, tests=["lda.cv4", "hotelling"], draws=99, rng=3)["lda.cv4"]
    assert (alone.value, alone.p_value) == (joined.value, joined.p_value)


def test_workers_give_the_same_bits() -> None:
    X, y = data(shift=0.4)
    one = detect(X, y, tests=["srivastava_du", "lda.cv4"], draws=150, rng=5)
    two = detect(X, y, tests=["srivastava_du", "lda.cv4"], draws=150, rng=5, workers=2)
    for name, values in one.null.items():
        np.testing.assert_array_equal(values, two.null[name])


def test_p_values_are_valid_on_noise() -> None:
    rejected = dict.fromkeys(("hotelling", "srivastava_du", "lda.cv4"), 0)
    for seed in range(80):
        X, y = data(n=24, p=3, seed=seed)
        found = detect(X, y, tests=list(rejected), draws=39, rng=seed, adjust=False)
        for row in found.tests:
            rejected[row.statistic] += row.p_value <= 0.05
    # binomial(80, .05) exceeds 13 with probability below 1e-4
    assert all(count <= 13 for count in rejected.values()), rejected


def test_hotelling_by_permutation_agrees_with_the_f_distribution() -> None:
    from scipy.stats import f

    X, y = data(n=60, p=4, shift=0.35, seed=3)
    found = detect(X, y, tests=["hotelling"], draws=4999, rng=1)["hotelling"]
    exact = f.sf(found.value * (60 - 4 - 1) / (4 * 58), 4, 55)
    assert found.p_value == pytest.approx(exact, abs=5 * np.sqrt(exact / 5000) + 0.002)


def test_more_features_than_cases_name_the_alternative() -> None:
    X, y = data(n=20, p=40)
    with pytest.raises(NotApplicable, match="hotelling_shrink or srivastava_du"):
        detect(X, y, tests=["hotelling"])
    assert detect(X, y, tests=["srivastava_du"], draws=19, rng=1)["srivastava_du"].p_value > 0


def test_labels_constant_in_blocks_are_refused_within_and_tested_as_wholes() -> None:
    rng = np.random.default_rng(1)
    blocks = np.repeat(np.arange(10), 4)
    y = (np.arange(10) % 2)[blocks]
    X = rng.normal(size=(40, 3)) + rng.normal(size=(10, 3))[blocks]
    with pytest.raises(NotApplicable, match="permute='blocks'"):
        detect(X, y, permute="within", blocks=blocks)
    found = detect(X, y, tests=["hotelling"], permute="blocks", blocks=blocks, draws=199, rng=1)
    assert found["hotelling"].p_value > 0.01


def test_labels_constant_in_blocks_have_the_right_level_only_as_wholes() -> None:
    blocks, rejected = np.repeat(np.arange(12), 4), {"labels": 0, "blocks": 0}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(12) % 2)[blocks]
        X = rng.normal(size=(48, 2)) + 2 * rng.normal(size=(12, 2))[blocks]
        for permute in rejected:
            units = blocks if permute == "blocks" else None
            found = detect(
                X, y, tests=["hotelling"], permute=permute, blocks=units, draws=59, rng=seed
            )
            rejected[permute] += found.tests[0].p_value <= 0.05
    # binomial(100, .05) exceeds 14 with probability below 1e-4
    assert rejected["blocks"] <= 14
    assert rejected["labels"] > 40


def unequal_blocks():
    blocks = np.repeat(np.arange(8), [2, 3, 4, 5, 2, 3, 4, 5])
    return np.random.default_rng(1).normal(size=(len(blocks), 3)), blocks


def test_blocks_of_unequal_size_exchange_their_labels() -> None:
    X, blocks = unequal_blocks()
    y = blocks % 2
    tests = ["goeman", "srivastava_du", "lda.cv4"]
    found = detect(X, y, tests=tests, permute="blocks", blocks=blocks, draws=199, rng=1)
    # every labelling that gives four of the eight blocks to class 1, by the formula
    from itertools import combinations

    from abovechance.signal import goeman

    every = [goeman(X, np.isin(blocks, ones).astype(int)) for ones in combinations(range(8), 4)]
    exact = np.mean(np.array(every) >= goeman(X, y) - 1e-9)
    assert found["goeman"].p_value == pytest.approx(exact, abs=0.1)
    np.testing.assert_allclose(
        np.unique(found.null["goeman"].round(9)), np.unique(np.round(every, 9))
    )


def test_blocks_too_small_for_a_statistic_are_refused_with_another() -> None:
    X, _ = data(n=10)
    blocks = np.array([0, 1, 1, 1, 1, 2, 2, 2, 2, 2])
    y = np.array([0, 1, 1, 1, 1, 0, 0, 0, 0, 0])
    with pytest.raises(NotApplicable, match=r"at least 2 rows in each group.*Use goeman"):
        detect(X, y, tests=["simes"], permute="blocks", blocks=blocks)
    assert detect(X, y, tests=["goeman"], permute="blocks", blocks=blocks, draws=9)


def test_numbers_of_unequal_blocks_do_not_depend_on_who_is_drawn_with_them() -> None:
    X, blocks = unequal_blocks()
    y = np.random.default_rng(2).normal(size=8)[blocks]
    found = detect(X, y, tests=["mmd"], permute="blocks", blocks=blocks, draws=9, rng=1)
    from abovechance.resampling import WholeBlocks, stream
    from abovechance.signal import mmd

    orders = WholeBlocks(blocks).draw(stream(1, 0), 9)
    alone = [mmd.numeric.batch(X, y[order][None])[0] for order in orders]
    np.testing.assert_allclose(found.null["mmd"], alone)


def test_sequential_stopping_decides_early() -> None:
    X, y = data(shift=1.5)
    found = detect(X, y, tests=["goeman"], draws=9999, rng=1, stop="gandy")
    assert found["goeman"].decision == "p <= level"
    assert found["goeman"].draws < 400


def test_the_papers_rule_leaves_the_observed_labelling_out() -> None:
    X, y = data(shift=1.5)
    found = detect(X, y, tests=["goeman"], draws=99, rng=1, rule="paper")
    assert found["goeman"].p_value == 0.0
    assert detect(X, y, tests=["goeman"], draws=99, rng=1)["goeman"].p_value == 0.01


def three_classes(shift: float = 1.0):
    y = np.arange(45) % 3
    return np.random.default_rng(1).normal(size=(45, 3)) + shift * y[:, None], y


def test_more_classes_are_told_apart_by_every_statistic_that_extends() -> None:
    X, y = three_classes()
    tests = ["lda.cv3", "hotelling", "goeman", "mmd", "energy"]
    found = detect(X, y, tests=tests, draws=49, rng=1)
    assert [row.p_value for row in found.tests] == [0.02] * 5
    assert (found.outcome, found.classes) == ("classes", ("0", "1", "2"))
    assert "trace" in found["hotelling"].title


@pytest.mark.parametrize("name", ["hotelling_shrink", "srivastava_du", "simes", "cai"])
def test_what_compares_two_groups_only_names_what_compares_more(name) -> None:
    X, y = three_classes()
    with pytest.raises(NotApplicable, match=r"two groups.*3 classes.*goeman, mmd or energy"):
        detect(X, y, tests=[name])
    with pytest.raises(NotApplicable, match=r"two groups.*numbers.*goeman, mmd or energy"):
        detect(X, X[:, 0], tests=[name])


def test_numbers_are_related_to_features() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, 0.5, 0.0] + 0.5 * rng.normal(size=40)
    found = detect(X, y, tests=["hotelling", "goeman", "mmd", "energy"], draws=99, rng=1)
    assert [row.p_value for row in found.tests] == [0.01] * 4
    assert (found.outcome, found.classes) == ("numeric", ())
    assert found.hypothesis == "features and outcome are independent"
    assert found["energy"].title == "Distance covariance"


def test_p_values_of_numbers_and_of_several_classes_are_valid_on_noise() -> None:
    names, rejected = ["hotelling", "goeman", "mmd", "energy"], np.zeros((2, 4))
    for seed in range(80):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(24, 3))
        for row, y in enumerate((rng.normal(size=24), np.arange(24) % 4)):
            found = detect(X, y, tests=names, draws=39, rng=seed, adjust=False)
            rejected[row] += [test.p_value <= 0.05 for test in found.tests]
    # binomial(80, .05) exceeds 13 with probability below 1e-4
    assert (rejected <= 13).all(), rejected


def test_accuracy_of_numbers_names_what_would_do() -> None:
    X, _ = data()
    with pytest.raises(NotApplicable, match="permutation_test with a regressor"):
        detect(X, X[:, 0], tests=["lda.cv4"])


def test_default_tests_follow_the_outcome() -> None:
    X, y = three_classes()
    assert [t.statistic for t in detect(X, X[:, 0], draws=9).tests] == ["goeman", "energy"]
    several = detect(X, y, draws=9).tests
    assert [t.statistic for t in several] == ["goeman", "energy", "lda.b632.B50"]


def test_the_kind_of_outcome_may_be_stated() -> None:
    X, y = three_classes()
    assert detect(X, y, kind="numeric", tests=["energy"], draws=9).outcome == "numeric"
    assert detect(X, y + 0.5, kind="classes", tests=["energy"], draws=9).outcome == "classes"
    assert detect(X, (y > 0) + 0.5, tests=["energy"], draws=9).outcome == "classes"
    with pytest.raises(NotApplicable, match="kind must be one of classes, numeric"):
        detect(X, y, kind="words")
    with pytest.raises(DataError, match="numeric outcome must hold numbers"):
        detect(X, np.array(["a", "b", "c"])[y], kind="numeric")


def test_features_in_unequal_units_are_advised_about() -> None:
    X, y = data()
    X[:, 0] *= 100
    assert "AC563" in {a.code for a in detect(X, y, tests=["energy"], draws=9).advice}
    assert not detect(X, y, tests=["srivastava_du"], draws=9).advice
    scaled = detect(X, y, tests=["energy"], standardise=True, draws=9, rng=1)
    assert not scaled.advice
    assert (
        scaled["energy"].value
        == detect(X / X.std(axis=0), y, tests=["energy"], rng=1)["energy"].value
    )


def test_resubstitution_in_high_dimension_is_advised_against() -> None:
    X, y = data(n=30, p=20)
    found = detect(X, y, tests=["lda.resub"], draws=19, rng=1)
    assert {"AC560", "AC562"} <= {a.code for a in found.advice}


def test_unknown_statistics_are_named_with_a_suggestion() -> None:
    X, y = data()
    with pytest.raises(UnknownMeasure, match="did you mean"):
        detect(X, y, tests=["hoteling"])


def test_result_follows_the_json_contract() -> None:
    X, y = data()
    found = detect(X, y, tests=["energy", "simes"], draws=19, rng=1).to_dict()
    assert set(found["tests"][0]) >= {"statistic", "value", "p_value", "draws", "null_mean"}
    assert "null" not in found


def test_a_stored_run_goes_on_when_more_draws_repay_the_fast_way(tmp_path) -> None:
    from abovechance.numerics.kernels import worthwhile

    X, y = data(n=30, p=3)
    few, many = 99, 299
    assert [worthwhile(draws * len(y)) for draws in (few, many)] == [False, True]
    settings = {"tests": ["hotelling", "lda.cv4"], "rng": 1}
    for draws in (few, many):
        kept = detect(X, y, draws=draws, store=tmp_path / "blocks.db", **settings)
        fresh = detect(X, y, draws=draws, **settings)
        assert kept.tests == fresh.tests
        for name, values in fresh.null.items():
            np.testing.assert_array_equal(kept.null[name], values)
