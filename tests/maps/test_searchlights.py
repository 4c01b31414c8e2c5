"""Searchlights: values of `detect` everywhere, the same from any number of processes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import AboveChanceError, FileError
from abovechance.maps import SubjectMap
from abovechance.maps.engine import CENTRES
from abovechance.maps.neighbourhoods import spheres, volume
from abovechance.signal.two_group_statistics import srivastava_du_t

Y = np.arange(24) % 2
RUNS = np.repeat([1, 2, 3, 4], 6)


def brain(shape: tuple[int, ...] = (6, 7, 8), seed: int = 5) -> np.ndarray:
    """Smooth noise with a difference in one corner."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(*shape, len(Y)))
    X[1:] += 0.7 * X[:-1]
    X[:2, :2, :2] += 0.8 * Y
    return np.asarray(X)


def centres_of(found: SubjectMap, many: int = 200) -> list[int]:
    rng = np.random.default_rng(2)
    return sorted(rng.choice(len(found.observed), many, replace=False).tolist())


def table(X: np.ndarray) -> np.ndarray:
    return X.reshape(-1, X.shape[-1]).T


@pytest.mark.parametrize("statistic", ["srivastava_du", "goeman", "hotelling_shrink", "lda.cv4"])
def test_values_are_those_of_detect_at_200_centres(statistic: str) -> None:
    X, many = brain(), 200 if statistic == "srivastava_du" else 12
    found = ac.searchlight(X, Y, radius=1.5, statistic=statistic, draws=20, rng=3)
    around = spheres(volume(np.ones(X.shape[:3])), 1.5)
    assert found.sizes.tolist() == around.sizes.tolist()
    for centre in centres_of(found, many):
        alone = ac.detect(
            table(X)[:, around.of(centre)], Y, tests=[statistic], draws=20, rng=3, adjust="none"
        )
        row = alone.tests[0]
        np.testing.assert_allclose(found.observed[centre], np.float32(row.value), rtol=3e-7)
        np.testing.assert_allclose(
            found.null[:, centre], alone.null[row.statistic].astype(np.float32), rtol=3e-7
        )
        assert found.p_values[centre] == row.p_value


def test_values_within_runs_are_those_of_detect_within_blocks() -> None:
    X = brain()
    found = ac.searchlight(X, Y, neighbours=8, runs=RUNS, draws=15, rng=1)
    assert found.runs == 4
    from abovechance.maps.neighbourhoods import nearest

    around = nearest(volume(np.ones(X.shape[:3])), 8)
    for centre in centres_of(found, 10):
        alone = ac.detect(
            table(X)[:, around.of(centre)],
            Y,
            tests=["srivastava_du"],
            permute="within",
            blocks=RUNS,
            draws=15,
            rng=1,
        )
        np.testing.assert_allclose(
            found.null[:, centre], alone.null["srivastava_du"].astype(np.float32), rtol=3e-7
        )


def plain_accuracy(X: np.ndarray, y: np.ndarray, runs: np.ndarray, classifier: Any) -> float:
    """Each run left out in turn, by scikit-learn."""
    shares = []
    for run in np.unique(runs):
        out = runs == run
        shares.append(classifier.fit(X[~out], y[~out]).score(X[out], y[out]))
    return float(np.mean(shares))


@pytest.mark.parametrize(("statistic", "radius"), [("lda.cv8", 1.0), ("svm.c1.cv8", 1.0)])
def test_accuracies_leave_out_each_run_as_scikit_learn_does(statistic: str, radius: float) -> None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    from sklearn.svm import SVC

    X = brain((3, 4, 4))
    found = ac.searchlight(X, Y, radius=radius, statistic=statistic, runs=RUNS, draws=6, rng=1)
    assert (found.folds, found.chance) == ("runs", 0.5)
    assert found.statistic.endswith(".cv4")
    assert found.title.endswith("each run left out in turn")
    around = spheres(volume(np.ones(X.shape[:3])), radius)
    if statistic.startswith("lda"):
        classifier: Any = LinearDiscriminantAnalysis(solver="svd")
    else:
        classifier = make_pipeline(FunctionTransformer(), SVC(kernel="linear", C=1.0))
    for centre in range(0, len(found.observed), 5):
        features = table(X)[:, around.of(centre)]
        if statistic.startswith("svm"):  # on features scaled over the training rows, as e1071 does
            shares = []
            for run in np.unique(RUNS):
                out = run == RUNS
                mean, spread = features[~out].mean(0), features[~out].std(0, ddof=1)
                scaled = (features - mean) / spread
                shares.append(classifier.fit(scaled[~out], Y[~out]).score(scaled[out], Y[out]))
            wanted = float(np.mean(shares))
        else:
            wanted = plain_accuracy(features, Y, RUNS, classifier)
        assert found.observed[centre] == pytest.approx(wanted, abs=1e-6)


def test_compiled_and_plain_ways_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    X = brain((3, 4, 4))
    asked: dict[str, Any] = {"radius": 1.5, "draws": 12, "rng": 4, "runs": RUNS}
    for statistic in ("srivastava_du", "lda.cv8"):
        fast = ac.searchlight(X, Y, statistic=statistic, **asked)
        with monkeypatch.context() as plain:
            plain.setenv("ABOVECHANCE_COMPILED", "off")
            slow = ac.searchlight(X, Y, statistic=statistic, **asked)
        np.testing.assert_allclose(fast.observed, slow.observed, rtol=2e-7)
        np.testing.assert_allclose(fast.null, slow.null, rtol=2e-7, atol=1e-7)


def test_neighbourhoods_with_more_voxels_than_trials_are_done_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = brain((3, 4, 4))
    asked: dict[str, Any] = {"neighbours": 27, "runs": RUNS, "draws": 3, "rng": 1}
    found = ac.searchlight(X, Y, statistic="lda.cv8", **asked)
    monkeypatch.setenv("ABOVECHANCE_COMPILED", "off")
    assert np.array_equal(found.null, ac.searchlight(X, Y, statistic="lda.cv8", **asked).null)
    whole = ac.searchlight(X, Y, neighbours=48, draws=1, rng=1).observed
    assert np.allclose(whole, srivastava_du_t(table(X), Y), rtol=1e-6)


def test_groups_that_part_in_a_voxel_are_infinitely_far_apart() -> None:
    X = brain((3, 3, 3))
    X[0, 0, 0] = np.where(Y == 1, 5.0, 2.0)
    found = ac.searchlight(X, Y, radius=1, draws=5, rng=1)
    assert np.isinf(found.observed).sum() == 4
    assert np.isfinite(found.observed[-1])


@pytest.mark.part(2)
@pytest.mark.parametrize("statistic", ["srivastava_du", "lda.cv8"])
def test_processes_and_a_store_give_the_same_bits(statistic: str, tmp_path: Path) -> None:
    X = brain((8, 8, 9))
    asked: dict[str, Any] = {
        "radius": 1,
        "draws": 5,
        "rng": 7,
        "runs": RUNS,
        "statistic": statistic,
    }
    alone = ac.searchlight(X, Y, **asked)
    assert len(alone.observed) > 2 * CENTRES
    shared = ac.searchlight(X, Y, **asked, workers=3, store=tmp_path / "work.db")
    assert shared.observed.tobytes() == alone.observed.tobytes()
    assert shared.null.tobytes() == alone.null.tobytes()


@pytest.mark.slow
def test_a_cluster_gives_the_same_bits() -> None:
    pytest.importorskip("distributed")
    X = [brain((7, 7, 7), seed) for seed in (1, 2)]
    asked: dict[str, Any] = {"radius": 1, "draws": 3, "rng": 7}
    alone = ac.searchlight(X, Y, **asked)
    with ac.Dask("local", workers=2) as cluster:
        shared = ac.searchlight(X, Y, **asked, workers=cluster)
    for one, other in zip(alone, shared, strict=True):
        assert one.null.tobytes() == other.null.tobytes()
        assert one.observed.tobytes() == other.observed.tobytes()


class Stopped(Exception):
    """A run that ends before its end."""


def test_a_run_that_was_stopped_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    X, file = [brain((7, 7, 7), seed) for seed in (1, 2)], tmp_path / "work.db"
    asked: dict[str, Any] = {"radius": 1, "draws": 4, "rng": 7}
    seen: list[int] = []

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if done > 400:
            raise Stopped

    with pytest.raises(Stopped):
        ac.searchlight(X, Y, **asked, store=file, progress=stop)
    told: list[tuple[int, int]] = []
    maps = ac.searchlight(
        X, Y, **asked, store=file, progress=lambda done, total: told.append((done, total))
    )
    assert told[-1] == (686, 686)
    whole = ac.searchlight(X, Y, **asked)
    for one, other in zip(maps, whole, strict=True):
        assert one.null.tobytes() == other.null.tobytes()
        assert one.observed.tobytes() == other.observed.tobytes()
    with pytest.raises(FileError, match="draws is 4 there and 5 here"):
        ac.searchlight(X, Y, **{**asked, "draws": 5}, store=file)


def test_null_maps_may_be_mapped_from_files(tmp_path: Path) -> None:
    X = brain((4, 4, 4))
    here = ac.searchlight(X, Y, radius=1, draws=6, rng=1)
    there = ac.searchlight(X, Y, radius=1, draws=6, rng=1, folder=tmp_path)
    assert isinstance(there.null, np.memmap)
    assert (tmp_path / "sub-01" / "null.npy").is_file()
    assert np.array_equal(here.null, there.null)
    assert here.null.dtype == there.null.dtype == np.float32


def test_permutations_are_the_same_at_all_centres_and_differ_between_subjects() -> None:
    """Two copies of one voxel have the same null; two subjects with the same data do not."""
    X = brain((3, 3, 3))
    X[2] = X[0]
    found = ac.searchlight(X, Y, radius=0, draws=30, rng=1)
    cube = found.geometry.as_volume(found.null)
    assert np.array_equal(cube[:, 0], cube[:, 2])
    one, other = ac.searchlight({"a": X, "b": X}, Y, radius=0, draws=30, rng=1)
    assert np.array_equal(one.observed, other.observed)
    assert not np.array_equal(one.null, other.null)
    assert (one.subject, other.subject) == ("a", "b")


def test_ties_of_an_accuracy_stay_ties_in_maps_of_short_numbers() -> None:
    """Null values equal to the observed one count, though 0.7 has no short form."""
    X = brain((4, 4, 4))
    found = ac.searchlight(X, Y, radius=1, statistic="lda.cv5", draws=40, rng=1)
    exact = np.round(found.null.astype(float) * 2400)
    seen = np.round(found.observed * 2400)
    wanted = (1 + (exact >= seen).sum(axis=0)) / 41
    assert np.array_equal(found.p_values, wanted)


def test_several_classes_are_mapped_by_statistics_that_know_them() -> None:
    y = np.arange(24) % 3
    found = ac.searchlight(brain((3, 3, 3)), y, radius=1, statistic="energy", draws=4, rng=1)
    assert found.classes == ("0", "1", "2")
    with pytest.raises(AboveChanceError, match="srivastava_du compares two groups"):
        ac.searchlight(brain((3, 3, 3)), y, radius=1, draws=4)


def test_classifiers_of_scikit_learn_are_mapped_and_known_ones_fast() -> None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.neighbors import KNeighborsClassifier

    X = brain((3, 3, 3))
    asked: dict[str, Any] = {"radius": 1, "runs": RUNS, "draws": 2, "rng": 1}
    known = ac.searchlight(X, Y, statistic=LinearDiscriminantAnalysis(), **asked)
    named = ac.searchlight(X, Y, statistic="lda.cv8", **asked)
    assert np.array_equal(known.null, named.null)
    assert known.statistic == "lda.cv4"
    near = ac.searchlight(X, Y, statistic=KNeighborsClassifier(3), **asked)
    around = spheres(volume(np.ones((3, 3, 3))), 1)
    wanted = plain_accuracy(table(X)[:, around.of(13)], Y, RUNS, KNeighborsClassifier(3))
    assert near.observed[13] == pytest.approx(wanted, abs=1e-6)


def test_surfaces_are_searched_by_steps_and_atlases_by_parcels() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(24, 10)) + np.outer(Y, np.arange(10) == 4)
    ring = np.stack([np.arange(10), (np.arange(10) + 1) % 10], axis=1)
    found = ac.searchlight(X, Y, adjacency=ring, draws=20, rng=1)
    assert found.sizes.tolist() == [3] * 10
    assert int(found.observed.argmax()) in (3, 4, 5)
    cells = brain((4, 4, 4))
    atlas = np.zeros((4, 4, 4), dtype=int)
    atlas[:2], atlas[2:] = 1, 2
    regions = ac.searchlight(cells, Y, parcels=atlas, draws=20, rng=1)
    assert regions.sizes.tolist() == [32, 32]
    assert regions.neighbourhood == "2 parcels"
    assert regions.p_values[0] == 1 / 21


def test_voxels_that_stand_still_are_left_out_and_told_of() -> None:
    X = brain((4, 4, 4))
    X[0, 0, 0] = 3.0
    found = ac.searchlight(X, Y, radius=1, draws=4, rng=1)
    assert found.sizes[0] == 3
    assert "AC570" in {one.code for one in found.advice}
    X[0] = 3.0
    with pytest.raises(AboveChanceError, match="16 neighbourhoods of 64 hold none"):
        ac.searchlight(X, Y, radius=0, draws=4)


X0 = brain((3, 3, 3))
NOT_FINITE = X0.copy()
NOT_FINITE[1, 2, 0, 5] = np.nan


@pytest.mark.parametrize(
    ("images", "labels", "facts", "message"),
    [
        (X0, Y[:5], {}, "labels of sub-01 must be one for each of its 24 trials; got 5"),
        (X0, np.zeros(24, int), {}, "labels of sub-01 must hold two classes or more; got 0 alone"),
        (X0, np.linspace(0, 1, 24), {}, "labels must be classes; they hold numbers"),
        (X0, Y, {"mask": np.zeros((3, 3, 3))}, "mask must hold a voxel that is not 0"),
        (X0, Y, {"mask": np.ones((3, 3, 4))}, "must have the shape of the mask, (3, 3, 4)"),
        (NOT_FINITE, Y, {}, "got nan at voxel (1, 2, 0), trial 6 of sub-01"),
        (X0, Y, {"runs": np.arange(24)}, "every run of sub-01 has one trial only"),
        (X0, Y, {"runs": Y}, "every run of sub-01 holds one class only"),
        (X0, Y, {"runs": np.ones(24)}, "runs of sub-01 must be two or more; got one"),
        (X0, Y, {"runs": RUNS[:5]}, "runs of sub-01 must be one for each of its 24 trials"),
        (X0, Y, {"radius": 1, "neighbours": 5}, "give one of radius, neighbours and parcels"),
        (X0, Y, {"radius_unit": "cm"}, "radius_unit must be 'mm' or 'voxels'"),
        (X0[..., 0], Y, {}, "mask must say which voxels are used"),
        (X0[..., 0], Y, {"mask": np.ones((3, 3, 3))}, "must have four axes, trials last"),
        (X0, Y, {"statistic": "hotelling"}, "hotelling needs n - 2 >= p"),
        (X0, Y, {"statistic": "nonsense"}, "unknown statistic 'nonsense'"),
        ([X0, X0], [Y], {}, "labels must be one list for all, or one for each of the 2 subjects"),
        ([X0, X0[:2]], Y, {}, "images of sub-02 must have the shape of the mask"),
        ({"a": X0}, {"b": Y}, {}, "labels must be given for every subject; 'a' has none"),
        ([X0, X0], Y, {"subjects": ["a", "a"]}, "subjects must have different names; got 'a'"),
        ([X0, X0], Y, {"subjects": ["a"]}, "subjects must name all 2 of them"),
        ([], Y, {}, "images must hold a subject; there is none"),
        (X0.reshape(27, 24).T[:, :5], Y, {"mask": np.ones((3, 3, 3))}, "a column for each of the"),
        (X0, Y, {"process_mask_img": np.ones((3, 3, 3)), "parcels": np.ones((3, 3, 3))}, "parcels"),
        (table(X0), Y, {"adjacency": [[0, 1], [1, 2], [2, 3]], "radius": 1.5}, "number of steps"),
        (table(X0), Y, {"adjacency": [[0, 1]] * 3, "mask": np.ones((3, 3, 3))}, "of surfaces"),
        (table(NOT_FINITE), Y, {"adjacency": [[0, 1]] * 3}, "values must be finite; got nan in"),
        (X0, Y, {"neighbours": 28}, "neighbours must lie between 1 and the 27 voxels"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    images: Any, labels: Any, facts: dict[str, Any], message: str
) -> None:
    with pytest.raises(AboveChanceError) as refused:
        ac.searchlight(images, labels, **facts, draws=3, rng=1)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_setting_of_another_name_is_understood() -> None:
    with pytest.raises(TypeError, match="did you mean 'draws'"):
        ac.searchlight(X0, Y, permutations=100)


def test_maps_of_several_subjects_are_found_by_name_and_told_in_a_row_each() -> None:
    maps = ac.searchlight({"a": X0, "b": X0}, Y, radius=1, draws=3, rng=5)
    assert maps["b"] is maps[1]
    assert [one.subject for one in maps] == ["a", "b"]
    assert maps.seed == 5
    assert [row["subject"] for row in maps.rows()] == ["a", "b"]
    assert maps[0].rows()[0] == {
        "x": 0.0,
        "y": 0.0,
        "z": 0.0,
        "size": 4,
        "value": float(maps[0].observed[0]),
        "p_value": float(maps[0].p_values[0]),
    }
    with pytest.raises(AboveChanceError, match="there is no subject 'c'; there are"):
        maps["c"]
    # said once, for all
    assert [one.code for one in maps.advice] == ["AC573"]
    assert maps[0].advice == ()


def test_what_pictures_show_is_counted_over_centres() -> None:
    found = ac.searchlight(X0, Y, radius=1, draws=9, rng=5)
    reached = found.reached
    k = 20
    value = reached["value"][k]
    assert reached["observed"][k] == pytest.approx((found.observed >= value).mean())
    shares = np.sort([(one >= value).mean() for one in found.null])
    assert reached["null"][k] == pytest.approx(shares[4])
    assert found.course is None
