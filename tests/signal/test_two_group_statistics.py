"""The two-group statistics against published software, against theory, and against themselves."""

import numpy as np
import pytest

from abovechance.errors import DataError, NotApplicable
from abovechance.numerics import machine_room
from abovechance.numerics.covariance import schafer_strimmer
from abovechance.signal.battery import TWO_GROUP
from abovechance.signal.two_group_statistics import (
    hotelling,
    hotelling_shrink,
    oracle,
    srivastava_du,
)

CASES = [
    "paper_n40_p23",
    "paper_n40_p23_null",
    "n40_p5",
    "n30_p4_unbalanced",
    "n36_p6_ar",
    "n20_p40_highdim",
    "n24_p2_unstratified",
    "tiny_n8_p2",
    "tiny_n9_p3",
    "tiny_n10_p4",
]
EXPECTED = {
    hotelling: ("hotelling_T2", "permuted_hotelling", "permutation_p_inclusive_hotelling"),
    hotelling_shrink: ("hotelling_shrink_T2_per_group_covariances", "permuted_shrink", None),
    srivastava_du: ("srivastava_sd_author_minus_p", "permuted_sd", "permutation_p_inclusive_sd"),
}


@pytest.fixture(scope="session")
def cases(reference):
    return {case["id"]: case for case in reference("rosenblatt_population_tests")["cases"]}


@pytest.mark.parametrize("statistic", EXPECTED, ids=lambda statistic: statistic.name)
@pytest.mark.parametrize("case", CASES)
def test_statistic_equals_published_software(cases, case, statistic):
    data, expected = cases[case]["input"], cases[case]["expected"]
    if EXPECTED[statistic][0] not in expected:
        pytest.skip("the source has no value for this case")
    for value in expected[EXPECTED[statistic][0]].values():
        assert statistic(data["X"], data["y"]) == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("statistic", EXPECTED, ids=lambda statistic: statistic.name)
@pytest.mark.parametrize("case", CASES[:7])
def test_batch_equals_published_software_on_permuted_labels(cases, case, statistic):
    data, expected = cases[case]["input"], cases[case]["expected"]
    if EXPECTED[statistic][1] not in expected:
        pytest.skip("the source has no value for this case")
    values = statistic.batch(np.array(data["X"]), np.array(data["permuted_labels"]))
    np.testing.assert_allclose(values, expected[EXPECTED[statistic][1]]["author_code"], rtol=1e-10)


@pytest.mark.parametrize("case", CASES[:7])
def test_shares_of_shrinkage_equal_corpcor(cases, case):
    data, expected = cases[case]["input"], cases[case]["expected"]
    X, y = np.array(data["X"]), np.array(data["y"])
    shrunken = [schafer_strimmer(X[y == group]) for group in (1, 0)]
    correlation = [part.correlation_share for part in shrunken]
    variance = [part.variance_share for part in shrunken]
    assert correlation == pytest.approx(expected["shrinkage_lambda_cor_per_group"]["corpcor"])
    assert variance == pytest.approx(expected["shrinkage_lambda_var_per_group"]["corpcor"])


def labellings(rng, ones, n, count):
    return rng.permuted(np.tile(np.arange(n) < ones, (count, 1)), axis=1).astype(np.int64)


SHAPES = {
    "plain": (20, 7, 10),
    "unequal": (23, 4, 6),
    "one feature": (12, 1, 5),
    "more features than rows": (10, 25, 4),
    "two rows": (9, 3, 2),
}


@pytest.mark.part(3)
@pytest.mark.parametrize("statistic", TWO_GROUP, ids=lambda statistic: statistic.name)
@pytest.mark.parametrize("kind", ["continuous", "tied", "shifted"])
@pytest.mark.parametrize("shape", SHAPES)
def test_batch_equals_naive(statistic, shape, kind):
    n, p, ones = SHAPES[shape]
    if statistic.full_rank and n - 2 < p:
        pytest.skip("refused")
    rng = np.random.default_rng([n, p, len(kind)])
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    if kind == "tied":
        X = np.round(2 * rng.normal(size=(n, p)))
    if kind == "shifted":
        X += 1e4
    labels = labellings(rng, ones, n, 300)
    naive = [statistic.naive(X, row) for row in labels]
    np.testing.assert_allclose(statistic.batch(X, labels), naive, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("statistic", TWO_GROUP, ids=lambda statistic: statistic.name)
def test_batch_takes_as_many_labellings_as_it_is_given(statistic):
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(30, 9)), labellings(rng, 15, 30, 1500)
    np.testing.assert_allclose(
        statistic.batch(X, labels)[[0, 700, 1499]], statistic.batch(X, labels[[0, 700, 1499]])
    )


@pytest.mark.parametrize("statistic", TWO_GROUP, ids=lambda statistic: statistic.name)
def test_swapping_the_groups_changes_nothing(statistic):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(21, 3)), labellings(rng, 8, 21, 1)[0]
    assert statistic(X, y) == pytest.approx(statistic(X, 1 - y), rel=1e-10)
    assert statistic(X, y) == pytest.approx(statistic(X, np.where(y, "sick", "healthy")))


@pytest.mark.parametrize("statistic", TWO_GROUP, ids=lambda statistic: statistic.name)
def test_moving_all_rows_changes_nothing(statistic):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(21, 3)), labellings(rng, 8, 21, 1)[0]
    assert statistic(X + np.array([3.0, -2.0, 5.0]), y) == pytest.approx(statistic(X, y), rel=1e-9)


def test_hotelling_ignores_how_features_are_measured():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(21, 3)), labellings(rng, 8, 21, 1)[0]
    assert hotelling(X @ rng.normal(size=(3, 3)), y) == pytest.approx(hotelling(X, y), rel=1e-9)


def test_one_feature_gives_the_squared_t_statistic():
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(7)
    x, y = rng.normal(size=15), labellings(rng, 6, 15, 1)[0]
    t = ttest_ind(x[y == 1], x[y == 0]).statistic
    for statistic in (hotelling, hotelling_shrink):
        assert statistic(x[:, None], y) == pytest.approx(t**2, rel=1e-10)


def test_hotelling_follows_f_over_labellings_of_normal_rows():
    from scipy.stats import f, kstest

    rng = np.random.default_rng(8)
    n, p = 40, 23
    values = [
        hotelling.batch(rng.normal(size=(n, p)), labellings(rng, 20, n, 1))[0] for _ in range(800)
    ]
    scaled = np.array(values) * (n - p - 1) / (p * (n - 2))
    assert kstest(scaled, f(p, n - p - 1).cdf).pvalue > 0.001


def test_energy_equals_that_of_one_dimension_in_scipy():
    from scipy.stats import energy_distance

    rng = np.random.default_rng(9)
    x, y = rng.normal(size=15), labellings(rng, 6, 15, 1)[0]
    ours = next(s for s in TWO_GROUP if s.name == "energy")(x[:, None], y)
    squared = energy_distance(x[y == 1], x[y == 0]) ** 2
    assert ours == pytest.approx(squared * 6 * 9 / 15, rel=1e-10)


def test_simes_of_one_feature_is_welchs_test():
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(15, 3)), labellings(rng, 6, 15, 1)[0]
    p_values = ttest_ind(X[y == 1], X[y == 0], equal_var=False).pvalue
    simes = next(s for s in TWO_GROUP if s.name == "simes")
    for feature in range(3):
        ours = simes(X[:, [feature]], y)
        assert ours == pytest.approx(-np.log(p_values[feature]), rel=1e-10)


def test_oracle_with_unit_covariance_is_goemans():
    rng = np.random.default_rng(10)
    X, labels = rng.normal(size=(20, 30)), labellings(rng, 8, 20, 50)
    goeman = next(s for s in TWO_GROUP if s.name == "goeman")
    np.testing.assert_allclose(
        oracle(np.eye(30)).batch(X, labels), goeman.batch(X, labels), rtol=1e-12
    )
    known = oracle(np.cov(X[:, :3].T))
    naive = [known.naive(X[:, :3], row) for row in labels]
    np.testing.assert_allclose(known.batch(X[:, :3], labels), naive, rtol=1e-10)


@pytest.mark.parametrize("name", ["hotelling", "hotelling_shrink", "srivastava_du", "simes", "cai"])
def test_a_feature_that_parts_the_groups_is_infinite_evidence(name):
    statistic = next(s for s in TWO_GROUP if s.name == name)
    X, y = np.array([[0.1], [0.1], [0.1], [0.7], [0.7], [0.7]]), np.array([0, 0, 0, 1, 1, 1])
    assert statistic(X, y) == np.inf
    assert statistic.batch(X, y[None])[0] == np.inf


def test_hotelling_refuses_more_features_than_rows_and_says_what_to_use():
    with pytest.raises(NotApplicable, match=r"n - 2 >= p; got n = 10 .* p = 9 .*hotelling_shrink"):
        hotelling(np.random.default_rng(0).normal(size=(10, 9)), [0, 1] * 5)


def test_hotelling_refuses_features_that_follow_from_each_other():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(NotApplicable, match=r"got 4 of rank 3\. Drop 1, or use hotelling_shrink"):
        hotelling(np.column_stack([X, X[:, 0] - 2 * X[:, 1]]), [0, 1] * 10)


def test_one_row_in_a_group_is_refused_where_a_spread_is_needed():
    X = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.raises(NotApplicable, match="at least 2 rows in each group; got 1"):
        srivastava_du(X, [0, 0, 0, 0, 0, 1])
    assert hotelling(X, [0, 0, 0, 0, 0, 1]) > 0


def test_bad_features_and_labels_are_named():
    X = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.raises(DataError, match="got nan at row 3, column 2"):
        hotelling(np.where([[0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [0, 0]], np.nan, X), [0, 1] * 3)
    with pytest.raises(DataError, match="column 1 is constant"):
        hotelling(X * [0, 1], [0, 1] * 3)
    with pytest.raises(DataError, match="one for each of the 6 rows"):
        hotelling(X, [0, 1])
    with pytest.raises(NotApplicable, match="hold 3 values"):
        hotelling(X, [0, 1, 2] * 2)


def test_shrunken_distances_need_no_machine_room(monkeypatch):
    X, y = np.random.default_rng(3).normal(size=(30, 5)), np.arange(30) % 2
    labels = np.random.default_rng(4).permuted(np.tile(y, (200, 1)), axis=1)
    through = hotelling_shrink.batch(X, labels)
    monkeypatch.setenv("ABOVECHANCE_MACHINE_ROOM", "off")
    monkeypatch.setattr(machine_room, "shrunken_distances", None)
    np.testing.assert_allclose(hotelling_shrink.batch(X, labels), through, rtol=1e-9)
