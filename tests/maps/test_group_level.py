"""Group maps: exact small cases, what does not matter, and what is refused."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import DataError, NotApplicable
from abovechance.maps import Geometry, GroupMaps, SubjectMap
from statistical.map_subjects import ball, group, subject, volume

ROW = volume(2)


def two_by_three() -> list[SubjectMap]:
    """Two subjects with three null maps each, at two centres."""
    return [
        subject([3.0, 1.0], [[1.0, 2.0], [2.0, 0.0], [4.0, 1.0]], ROW),
        subject([2.0, 1.0], [[0.0, 3.0], [1.0, 1.0], [3.0, 2.0]], ROW),
    ]


def found(subjects: Any, **options: Any) -> GroupMaps:
    return ac.group_maps(subjects, **{"rng": 1, "draws": 999, **options})


# ----------------------------------------------------------------------------------------------
# Small cases, every arrangement listed.
# ----------------------------------------------------------------------------------------------


def test_stelzer_lists_all_nine_combinations_of_two_subjects_with_three_maps() -> None:
    subjects = two_by_three()
    result = found(subjects, method="stelzer")
    pairs = list(product(subjects[0].null, subjects[1].null))
    sums = np.array([a + b for a, b in pairs], dtype=float)
    seen = subjects[0].observed + subjects[1].observed
    assert (result.draws, result.exact) == (9, True)
    assert result["p"].tolist() == [(1 + 3) / 10, (1 + 8) / 10]  # counted on paper
    assert result["p"].tolist() == ((1 + (sums >= seen).sum(axis=0)) / 10).tolist()
    # standardised by all sixteen combinations, those with observed maps included
    every = [np.vstack([one.observed, one.null]) for one in subjects]
    all_sums = np.array([a + b for a, b in product(*every)])
    z = (sums - all_sums.mean(axis=0)) / all_sums.std(axis=0)
    own = (seen - all_sums.mean(axis=0)) / all_sums.std(axis=0)
    np.testing.assert_allclose(result["z"], own)
    largest = z.max(axis=1)
    expected = [(1 + (largest >= one - 1e-9).sum()) / 10 for one in own]
    np.testing.assert_allclose(result["p_maximum"], expected)


def test_with_the_observed_maps_there_are_sixteen_and_the_observed_is_one_of_them() -> None:
    subjects = two_by_three()
    result = found(subjects, method="stelzer", with_observed=True)
    every = [np.vstack([one.observed, one.null]) for one in subjects]
    sums = np.array([a + b for a, b in product(*every)])
    assert (result.draws, result.exact, result.rule) == (16, True, "b / m, all arrangements")
    assert result["p"].tolist() == ((sums >= sums[0]).sum(axis=0) / 16).tolist()


def test_joint_permutations_take_map_m_of_every_subject() -> None:
    subjects = two_by_three()
    result = found(subjects, method="joint")
    sums = subjects[0].null + subjects[1].null
    assert sums.tolist() == [[1.0, 5.0], [3.0, 1.0], [7.0, 3.0]]
    assert result.draws == 3
    assert result["p"].tolist() == [(1 + 1) / 4, (1 + 2) / 4]


def test_sign_flips_list_all_patterns() -> None:
    differences = np.array([[0.3, -0.1], [0.1, 0.2], [0.2, 0.1]])
    subjects = [subject(0.5 + d, [], ROW, chance=0.5) for d in differences]
    result = found(subjects, method="sign_flip")
    signs = np.array(list(product([-1, 1], repeat=3)))
    sums = signs @ differences
    expected = (sums >= differences.sum(axis=0) - 1e-6).sum(axis=0) / 8
    assert (result.draws, result.exact) == (8, True)
    np.testing.assert_allclose(result["p"], expected)
    assert result["p"][0] == 1 / 8
    np.testing.assert_allclose(result["effect"], differences.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(
        result["z"], differences.sum(axis=0) / np.sqrt((differences**2).sum(axis=0)), atol=1e-5
    )


def test_sign_flips_agree_with_a_test_of_the_same_numbers_elsewhere() -> None:
    from scipy.stats import permutation_test

    rng = np.random.default_rng(3)
    differences = rng.normal(0.3, 1.0, size=(9, 2))
    subjects = [subject(d, [], ROW, chance=0.0) for d in differences]
    theirs = permutation_test(
        (differences[:, 0],), np.mean, permutation_type="samples", alternative="greater",
        n_resamples=np.inf,
    )  # fmt: skip
    assert found(subjects, method="sign_flip")["p"][0] == pytest.approx(theirs.pvalue)


def test_prevalence_is_that_of_all_combinations_of_permuted_and_observed_maps() -> None:
    rng = np.random.default_rng(4)
    subjects = [subject(rng.normal(1.5, 1, 2), rng.normal(size=(4, 2)), ROW) for _ in range(3)]
    result = found(subjects, method="prevalence", share=0.5, alpha=0.6)
    every = [np.vstack([one.observed, one.null]).astype(np.float32) for one in subjects]
    least = np.array([np.min(parts, axis=0) for parts in product(*every)])
    whole = (least >= least[0]).mean(axis=0)
    np.testing.assert_allclose(result["p_global"], whole)
    corrected = np.array([(least.max(axis=1) >= m).mean() for m in least[0]])
    np.testing.assert_allclose(result["p_global_maximum"], corrected)
    half = (0.5 * whole ** (1 / 3) + 0.5) ** 3
    np.testing.assert_allclose(result["p"], half)
    np.testing.assert_allclose(result["p_maximum"], corrected + (1 - corrected) * half)
    # the bound is the share at which the corrected p would be the level
    shown = result["prevalence"]
    again = ((1 - shown) * whole ** (1 / 3) + shown) ** 3
    np.testing.assert_allclose((corrected + (1 - corrected) * again)[~np.isnan(shown)], 0.6)
    assert not np.isnan(shown).all()


def test_against_a_share_of_nought_prevalence_tests_the_global_hypothesis() -> None:
    subjects = group(np.random.default_rng(5), volume(6), 4, 20, signal=1.0)
    result = found(subjects, method="prevalence", share=0)
    assert np.array_equal(result["p"], result["p_global"])
    assert np.array_equal(result["p_maximum"], result["p_global_maximum"])
    assert "no part of the population" in result.hypothesis


def test_clusters_of_a_row_by_hand() -> None:
    """Four joint permutations and the observed map, threshold at p = 0.2: the highest of five."""
    row = volume(5)
    null = np.array([[9.0, 0, 0, 0, 0], [0, 0, 1, 2, 8], [1, 3, 2, 1, 1], [2, 1, 9, 8, 2]])
    seen = np.array([3.0, 7, 3, 3, 3])
    zero = subject(np.zeros(5), np.zeros((4, 5)), row)
    result = found([subject(seen, null, row), zero], method="joint", cluster_p=0.2)
    # highest at each centre: map 1, the observed, map 4, map 4, map 2
    assert result["cluster"].tolist() == [0, 1, 0, 0, 0]
    # largest clusters: 1, 1, 0 and 2; three of four are at least as large as 1
    assert [one.p_familywise for one in result.clusters] == [(1 + 3) / 5]
    # all clusters of chance and the observed one: sizes 1, 1, 2 and 1
    assert [one.p_discovery for one in result.clusters] == [4 / 4]


def test_the_observed_map_is_treated_as_any_other_when_clusters_are_formed() -> None:
    """Any of the maps could have been observed: each p-value is then k/(M + 1), each k once."""
    row = volume(30)
    rng = np.random.default_rng(6)
    maps = rng.normal(size=(20, 30)) + rng.normal(size=(20, 1))
    zero = subject(np.zeros(30), np.zeros((19, 30)), row)
    least = []
    for i in range(20):
        others = np.delete(maps, i, axis=0)
        result = found([subject(maps[i], others, row), zero], method="joint", cluster_p=0.1)
        least.append(min((one.p_familywise for one in result.clusters), default=1.0))
    for level in np.arange(1, 20) / 20:
        assert np.mean(np.array(least) <= level + 1e-9) <= level + 1e-9


@pytest.mark.parametrize("rule", ["p_maximum", "p_tfce"])
def test_any_of_the_joint_maps_could_have_been_observed(rule: str) -> None:
    """So the smallest p is at most k/(M + 1) for k of M + 1 choices, exactly, for any M."""
    row = volume(30)
    rng = np.random.default_rng(17)
    maps = rng.normal(size=(10, 30)) * rng.uniform(0.5, 2, 30)
    zero = subject(np.zeros(30), np.zeros((9, 30)), row)
    least = []
    for i in range(10):
        others = np.delete(maps, i, axis=0)
        result = found([subject(maps[i], others, row), zero], method="joint")
        least.append(result[rule].min())
    for level in np.arange(1, 10) / 10:
        assert np.mean(np.array(least) <= level + 1e-9) <= level + 1e-9


def test_support_enhanced_maps_are_compared_by_their_largest() -> None:
    from abovechance.numerics.map_arithmetic import Adjacent, enhanced

    row = volume(12)
    rng = np.random.default_rng(7)
    null, seen = rng.normal(size=(15, 12)), rng.normal(0.8, 1.0, 12)
    zero = subject(np.zeros(12), np.zeros((15, 12)), row)
    result = found([subject(seen, null, row), zero], method="joint")
    maps = null.astype(np.float32).astype(float)
    every = np.vstack([maps, seen.astype(np.float32)])
    mean, spread = every.mean(axis=0), every.std(axis=0)
    graph = row.adjacency()
    near = Adjacent(graph.indptr, graph.indices)
    largest = enhanced((maps - mean) / spread, near).max(axis=1)
    own = enhanced(((result["statistic"] * 2 - mean) / spread)[None], near)[0]
    expected = [(1 + (largest >= one).sum()) / 16 if one else 1.0 for one in own]
    np.testing.assert_allclose(result["tfce"], own, atol=1e-6)
    np.testing.assert_allclose(result["p_tfce"], expected)


# ----------------------------------------------------------------------------------------------
# Ties, and what does not matter.
# ----------------------------------------------------------------------------------------------


def test_sums_that_are_equal_on_paper_are_ties() -> None:
    """0.5 + 0.6 and 0.55 + 0.55 differ as 32-bit numbers; the same share of trials does not."""
    null = np.array([[0.6, 0.55], [0.55, 0.6]])
    seen = ([0.5, 0.55], [0.6, 0.55])
    subjects = [subject(one, null, ROW, chance=0.5) for one in seen]
    result = found(subjects, method="stelzer")
    assert result["p"].tolist() == [1.0, 1.0]


METHODS = ("stelzer", "joint", "sign_flip", "prevalence")


@pytest.fixture(scope="module")
def some() -> list[SubjectMap]:
    geometry = volume(5, 4, 3)
    rng = np.random.default_rng(8)
    return group(rng, geometry, 6, 30, signal=1.5 * ball(geometry, 1), chance=0.0)


def same(one: GroupMaps, other: GroupMaps, order: Any = slice(None)) -> None:
    for name in one.maps:
        np.testing.assert_allclose(other[name][order], one[name], atol=1e-5, err_msg=name)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_subjects_does_not_matter(method: str, some: list[SubjectMap]) -> None:
    # with few maps all combinations are listed; drawn ones would go with the order of subjects
    few = [replace(one, null=one.null[:3]) for one in some] if method != "joint" else some
    options: dict[str, Any] = {"method": method, "tfce": False, "draws": 5000}
    first, last = found(few, **options), found(few[::-1], **options)
    assert first.exact
    same(first, last)


@pytest.mark.parametrize("method", ["stelzer", "joint", "prevalence"])
def test_a_constant_added_to_a_statistic_changes_no_p_value(
    method: str, some: list[SubjectMap]
) -> None:
    moved = [
        replace(one, observed=one.observed + 4, null=one.null + np.float32(4), chance=4.0)
        for one in some
    ]
    first, other = found(some, method=method), found(moved, method=method)
    assert np.array_equal(first["p"], other["p"])
    for name in ("p_maximum", "p_bh", "effect"):
        np.testing.assert_allclose(first[name], other[name], atol=2e-6)


@pytest.mark.parametrize("method", METHODS)
def test_centres_in_another_order_have_the_same_values(method: str, some: list[SubjectMap]) -> None:
    order = np.random.default_rng(9).permutation(len(some[0].geometry))
    where = some[0].geometry
    assert where.indices is not None
    moved_to = replace(where, coordinates=where.coordinates[order], indices=where.indices[order])
    moved = [
        replace(one, observed=one.observed[order], null=one.null[:, order], geometry=moved_to)
        for one in some
    ]
    first, other = (found(one, method=method, cluster_p=0.05) for one in (some, moved))
    label = "cluster"
    for name in first.maps:
        if name == label:  # numbers of equally large clusters may differ, not who is in one
            assert np.array_equal(first[name][order] > 0, other[name] > 0)
        else:
            np.testing.assert_allclose(first[name][order], other[name], atol=1e-9, err_msg=name)


@pytest.mark.part(3)
@pytest.mark.parametrize(
    ("method", "workers"), [("stelzer", 3), ("sign_flip", 2), ("prevalence", 2)]
)
def test_any_number_of_workers_gives_the_same_bits(
    method: str, workers: int, some: list[SubjectMap]
) -> None:
    options: dict[str, Any] = {"method": method, "draws": 600}
    few = [replace(one) for one in some] * 2  # 2^12 patterns of signs, more than draws
    alone, shared = found(few, **options), found(few, workers=workers, **options)
    assert not alone.exact
    assert alone.to_json() == shared.to_json()
    for name in alone.maps:
        assert np.array_equal(alone[name], shared[name], equal_nan=True)


def test_a_run_that_was_stopped_goes_on_with_the_same_bits(
    tmp_path: Path, some: list[SubjectMap]
) -> None:
    class Stop(Exception):
        pass

    calls = []

    def tell(done: int, wanted: int) -> None:
        calls.append((done, wanted))
        if len(calls) == 3:
            raise Stop

    store = tmp_path / "draws.db"
    with pytest.raises(Stop):
        found(some, draws=1200, store=store, progress=tell)
    resumed, whole = found(some, draws=1200, store=store), found(some, draws=1200)
    assert resumed.to_json() == whole.to_json()
    assert all(wanted == 2400 for _, wanted in calls)
    with pytest.raises(ac.errors.FileError, match="another run"):
        found(some, draws=1300, store=store, rng=2)


def test_a_seed_gives_the_same_result_and_another_seed_another(some: list[SubjectMap]) -> None:
    assert found(some).to_json() == found(some).to_json()
    assert not np.array_equal(found(some)["p"], found(some, rng=2)["p"])


# ----------------------------------------------------------------------------------------------
# What is found and said.
# ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def clear() -> list[SubjectMap]:
    geometry = volume(9, 8, 7)
    rng = np.random.default_rng(10)
    return group(rng, geometry, 12, 60, signal=2.5 * ball(geometry, 2), chance=0.0)


@pytest.mark.parametrize("method", METHODS)
def test_a_clear_signal_is_found_where_it_is(method: str, clear: list[SubjectMap]) -> None:
    result = found(clear, method=method, draws=1999)
    there = ball(clear[0].geometry, 2) > 0
    assert result.rejected.sum() > 5
    assert (result.rejected & ~there).sum() <= 3
    peak = result.peaks[0]
    assert there[peak.centre]
    assert peak.rejected
    assert peak.at == tuple(clear[0].geometry.coordinates[peak.centre])
    assert "Signal at" in str(result)


@pytest.mark.parametrize("control", ["maximum", "bh", "by", "cluster", "tfce"])
def test_each_rule_rejects_what_its_p_values_say(control: str, clear: list[SubjectMap]) -> None:
    result = found(clear, control=control, draws=1999)
    assert np.array_equal(result.rejected, result[f"p_{control}"] <= 0.05)
    (chosen,) = [row for row in result.controls if row.chosen]
    assert (chosen.control, chosen.rejected) == (control, int(result.rejected.sum()))


def test_adjusted_p_values_are_those_of_the_named_methods(clear: list[SubjectMap]) -> None:
    from scipy.stats import false_discovery_control

    result = found(clear)
    np.testing.assert_allclose(result["p_bh"], false_discovery_control(result["p"]))
    np.testing.assert_allclose(result["p_by"], false_discovery_control(result["p"], method="by"))


def test_peaks_of_one_cluster_lie_apart(clear: list[SubjectMap]) -> None:
    result = found(clear)
    at = np.array([peak.at for peak in result.peaks if peak.size == result.peaks[0].size])
    gaps = [np.linalg.norm(a - b) for i, a in enumerate(at) for b in at[:i]]
    assert all(gap >= 8.0 for gap in gaps)


def test_where_nothing_is_rejected_the_strongest_centres_are_listed() -> None:
    subjects = group(np.random.default_rng(11), volume(6, 5, 4), 4, 20)
    result = found(subjects, alpha=0.001)
    assert not result.rejected.any()
    assert len(result.peaks) == 5
    assert "No signal shown" in str(result)
    assert "Strongest centres" in str(result)


def test_the_json_holds_no_map_and_prints_the_same_when_read_back(clear: list[SubjectMap]) -> None:
    import json

    from abovechance import tabular
    from abovechance.inference.printing import blocks_of

    result = found(clear)
    facts = json.loads(result.to_json())
    assert facts["kind"] == "group_maps"
    assert facts["maps"] == list(result.maps)
    assert facts["geometry"]["affine"] == result.geometry.affine.tolist()
    assert tabular.text(blocks_of(facts)) == str(result)
    assert len(result.to_csv().splitlines()) == len(result.peaks) + 1


def codes(result: GroupMaps) -> set[str]:
    return {one.code for one in result.advice}


def test_too_few_draws_for_benjamini_and_hochberg_are_said_with_how_many_would_do() -> None:
    geometry = volume(12, 10, 8)
    rng = np.random.default_rng(12)
    subjects = group(rng, geometry, 10, 40, signal=2.0 * ball(geometry, 1))
    result = found(subjects, draws=199)
    # 960 centres, p at least 1/200: 96 centres would have to have it
    (said,) = [one.text for one in result.advice if one.code == "AC581"]
    assert "only if 96 of them" in said
    there = int((result["p"] <= 1 / 200).sum())
    enough = int(np.ceil(960 / (0.05 * there))) - 1
    assert f"draws={enough}" in said
    assert (found(subjects, draws=enough)["p_bh"] <= 0.05).any()


def test_few_subjects_cannot_reject_by_sign_flips() -> None:
    subjects = group(np.random.default_rng(13), volume(4, 4, 4), 3, 0, chance=0.0)
    result = found(subjects, method="sign_flip")
    (said,) = [one.text for one in result.advice if one.code == "AC580"]
    assert "0.12" in said
    assert "5 subjects" in said


def test_clusters_that_cannot_be_formed_are_said(some: list[SubjectMap]) -> None:
    with pytest.raises(NotApplicable, match="999 null maps of every subject would do"):
        found(some, method="joint", control="cluster")
    result = found(some, method="joint")
    assert "AC582" in codes(result)
    assert "p_cluster" not in result.maps
    assert not result.clusters


def test_four_subjects_cannot_show_a_majority(some: list[SubjectMap]) -> None:
    result = found(some[:4], method="prevalence", draws=9999)
    (said,) = [one.text for one in result.advice if one.code == "AC584"]
    assert "5 subjects could" in said
    assert "AC584" not in codes(found(some[:5], method="prevalence", draws=9999))


def test_what_the_correction_of_prevalence_leaves_out_is_said(some: list[SubjectMap]) -> None:
    assert "AC587" in codes(found(some, method="prevalence", draws=1999))
    assert "AC587" not in codes(found(some, method="prevalence", control="bh"))
    assert "AC587" not in codes(found(some, method="prevalence", share=0))


def test_few_null_maps_are_said_unless_the_observed_are_among_them(some: list[SubjectMap]) -> None:
    few = [replace(one, null=one.null[:10]) for one in some]
    assert "AC586" in codes(found(few))
    assert "AC586" not in codes(found(few, with_observed=True))


def test_centres_whose_maps_do_not_vary_are_said_and_never_rejected() -> None:
    geometry = volume(6)
    made = group(np.random.default_rng(14), geometry, 5, 30)
    there = np.arange(6) == 2
    still = [
        replace(
            one,
            observed=np.where(there, 0.5, one.observed),
            null=np.where(there, np.float32(0.5), one.null),
        )
        for one in made
    ]
    result = found(still)
    assert "AC583" in codes(result)
    assert result["p"][2] == 1.0
    assert not result.rejected[2]


def test_extrapolated_p_values_are_smaller_than_counting_allows_and_said() -> None:
    geometry = volume(9, 8, 7)
    rng = np.random.default_rng(15)
    subjects = group(rng, geometry, 8, 60, signal=1.3 * ball(geometry, 1))
    counted, fitted = found(subjects), found(subjects, tail="pareto")
    assert fitted.extrapolated > 0
    assert fitted["p"].min() < 1 / 1000 <= counted["p"].min()
    assert "AC585" in codes(fitted)
    many = counted["p"] > 10 / 1000
    assert np.array_equal(counted["p"][many], fitted["p"][many])
    truth = found(subjects, draws=29_999, tfce=False)["p"]
    told = (fitted["p"] < 1 / 1000) & (truth > 1e-4)
    assert told.any()
    assert np.abs(np.log10(fitted["p"][told] / truth[told])).max() < 1.0


# ----------------------------------------------------------------------------------------------
# What is refused, in one line.
# ----------------------------------------------------------------------------------------------


def elsewhere(one: SubjectMap) -> SubjectMap:
    where = one.geometry
    return replace(one, geometry=replace(where, coordinates=where.coordinates + 1.5))


def smaller(one: SubjectMap) -> SubjectMap:
    return group(np.random.default_rng(1), volume(4, 4, 3), 1, 3)[0]


def others(one: SubjectMap) -> SubjectMap:
    where = one.geometry
    assert where.indices is not None
    return replace(one, geometry=replace(where, indices=where.indices[::-1]))


def undefined(one: SubjectMap) -> SubjectMap:
    bad = one.observed.copy()
    bad[17] = np.nan
    return replace(one, observed=bad)


def undefined_null(one: SubjectMap) -> SubjectMap:
    bad = one.null.copy()
    bad[3, 5] = np.inf
    return replace(one, null=bad)


def unpermuted(one: SubjectMap) -> SubjectMap:
    return replace(one, null=one.null[:0])


def unknown_chance(one: SubjectMap) -> SubjectMap:
    return replace(one, chance=None)


def other_statistic(one: SubjectMap) -> SubjectMap:
    return replace(one, statistic="goeman")


def fewer_maps(one: SubjectMap) -> SubjectMap:
    return replace(one, null=one.null[:7])


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        (elsewhere, {}, "up to 1.5 mm apart"),
        (smaller, {}, "'subject 2' has 48 of a 4 × 4 × 3 grid"),
        (others, {}, "has others than 'subject 1'"),
        (undefined, {}, "'subject 2' is not at 1 of them, first at centre 17"),
        (undefined_null, {}, "first at centre 5"),
        (unpermuted, {}, "'subject 2' has none"),
        (unpermuted, {"method": "prevalence"}, "needs null maps"),
        (unknown_chance, {"method": "sign_flip"}, "by chance"),
        (other_statistic, {}, "one statistic"),
        (fewer_maps, {"method": "joint"}, "got 7 to 30"),
        (lambda one: "a map", {}, "subject 2 must be a map"),
    ],
)
def test_a_subject_that_does_not_fit_is_refused(
    change: Callable[[SubjectMap], Any], options: Any, said: str, some: list[SubjectMap]
) -> None:
    with pytest.raises(ac.AboveChanceError, match=said) as refused:
        found([some[0], change(some[1]), *some[2:]], **options)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("subjects", "options", "error", "said"),
    [
        (slice(0, 1), {}, DataError, "at least 2 subjects; got 1"),
        (slice(0, 0), {}, DataError, "at least 2 subjects; got 0"),
        (slice(None), {"method": "stelzers"}, DataError, "did you mean 'stelzer'"),
        (slice(None), {"control": "fdr"}, DataError, "control must be"),
        (slice(None), {"neighbours": "sides"}, DataError, "neighbours must be"),
        (slice(None), {"tail": "normal"}, DataError, "tail must be"),
        (slice(None), {"cluster_p": 0}, DataError, "cluster_p must lie between 0 and 1"),
        (slice(None), {"share": 1.5}, DataError, "share must lie between 0 and 1"),
        (slice(None), {"tfce": "no"}, DataError, "tfce must be True or False"),
        (slice(None), {"method": "prevalence", "control": "tfce"}, NotApplicable, "not defined"),
        (slice(None), {"method": "joint", "with_observed": True}, NotApplicable, "'stelzer'"),
        (slice(None), {"method": "sign_flip", "with_observed": True}, NotApplicable, "'stelzer'"),
        (slice(None), {"method": "prevalence", "with_observed": True}, NotApplicable, "'stelzer'"),
        (slice(None), {"alpha": 5}, DataError, "alpha must lie between 0 and 1"),
        (slice(None), {"draws": 0}, ac.AboveChanceError, "draws must be at least 1"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    subjects: slice, options: Any, error: Any, said: str, some: list[SubjectMap]
) -> None:
    with pytest.raises(error, match=said) as refused:
        found(some[subjects], **options)
    assert "\n" not in str(refused.value)


def test_subjects_by_name_are_called_so(some: list[SubjectMap]) -> None:
    result = found({"sub-01": some[0], "sub-02": some[1]})
    assert result.subjects == ("sub-01", "sub-02")
    with pytest.raises(DataError, match="'sub-02' is not at 1"):
        found({"sub-01": some[0], "sub-02": undefined(some[1])})


def test_a_single_map_is_no_group(some: list[SubjectMap]) -> None:
    with pytest.raises(DataError, match="list of subjects"):
        found(some[0])


def test_parcels_have_names_and_may_touch_nothing() -> None:
    names = ("left", "middle", "right")
    where = Geometry(
        coordinates=np.arange(9.0).reshape(3, 3),
        pairs=np.empty((0, 2), dtype=np.int64),
        names=names,
    )
    rng = np.random.default_rng(16)
    signal = np.array([0.0, 0.0, 3.0])
    subjects = [
        subject(signal + rng.normal(size=3), rng.normal(size=(40, 3)), where) for _ in range(8)
    ]
    result = found(subjects)
    assert result.peaks[0].name == "right"
    assert "The strongest is in right, at x = 6, y = 7, z = 8 mm" in " ".join(str(result).split())
    assert "right: 6, 7, 8" in str(result)
    assert result.view is None
