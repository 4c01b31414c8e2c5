"""Decoding over time: windows, sensors, and learners of one time tested at another."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import AboveChanceError
from abovechance.learning.learners import LDA, LinearSVM, fit_predict, predicted

Y = np.arange(36) % 2
RUNS = np.repeat([0, 1, 2], 12)
TIMES = np.linspace(-0.1, 0.4, 6)


def recording(seed: int = 1, sensors: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(len(Y), sensors, len(TIMES)))
    X[:, :2, 3:] += 1.2 * Y[:, None, None]
    return np.asarray(X)


class Epochs:
    """What MNE's epochs have that is used here."""

    times = TIMES
    ch_names = ("Fz", "Cz", "Pz", "Oz")
    events = np.column_stack([np.arange(36), np.zeros(36, int), Y + 7])

    def get_data(self) -> np.ndarray:
        return recording()


def test_values_are_those_of_detect_at_every_time() -> None:
    X = recording()
    for statistic in ("srivastava_du", "lda.cv4"):
        found = ac.decode_over_time(X, Y, times=TIMES, statistic=statistic, draws=10, rng=2)
        assert found.neighbourhood == "all sensors"
        assert found.geometry.coordinates[:, 0].tolist() == TIMES.tolist()
        for t in range(len(TIMES)):
            alone = ac.detect(X[:, :, t], Y, tests=[statistic], draws=10, rng=2)
            np.testing.assert_allclose(found.observed[t], alone.tests[0].value, rtol=1e-6)
            np.testing.assert_allclose(found.null[:, t], alone.null[statistic], rtol=1e-6)


def test_windows_and_neighbouring_sensors_are_used_together() -> None:
    X = recording()
    wide = ac.decode_over_time(X, Y, window=3, statistic="srivastava_du", draws=4, rng=2)
    assert wide.sizes.tolist() == [8, 12, 12, 12, 12, 8]
    alone = ac.detect(X[:, :, 1:4].reshape(36, -1), Y, tests=["srivastava_du"], draws=4, rng=2)
    np.testing.assert_allclose(wide.observed[2], alone.tests[0].value, rtol=1e-6)
    line = np.array([[0, 1], [1, 2], [2, 3]])
    local = ac.decode_over_time(X, Y, adjacency=line, statistic="srivastava_du", draws=4, rng=2)
    assert local.sizes.tolist() == [2] * 6 + [3] * 12 + [2] * 6
    alone = ac.detect(X[:, 1:4, 5], Y, tests=["srivastava_du"], draws=4, rng=2)
    np.testing.assert_allclose(local.observed[2 * 6 + 5], alone.tests[0].value, rtol=1e-6)


def plain(X: np.ndarray, y: np.ndarray, learner: Any) -> np.ndarray:
    """Trained × tested, a loop at a time; each run left out in turn."""
    found = np.zeros((X.shape[2], X.shape[2]))
    for run in range(3):
        out = run == RUNS
        for a in range(X.shape[2]):
            for b in range(X.shape[2]):
                said = predicted(fit_predict(learner, X[~out, :, a], y[~out], X[out, :, b]))
                found[a, b] += (said == y[out]).mean() / 3
    return found


@pytest.mark.parametrize(
    ("statistic", "learner"), [("lda.cv8", LDA()), ("svm.c1.cv8", LinearSVM(1.0))]
)
def test_learners_of_every_time_are_tested_at_all_times(statistic: str, learner: Any) -> None:
    X = recording()
    asked: dict[str, Any] = {"statistic": statistic, "runs": RUNS, "draws": 5, "rng": 2}
    found = ac.decode_over_time(X, Y, **asked, generalise=True)
    matrix = found.as_volume()
    np.testing.assert_allclose(matrix, plain(X, Y, learner), atol=1e-6)
    diagonal = ac.decode_over_time(X, Y, **asked)
    np.testing.assert_allclose(np.diag(matrix), diagonal.observed, atol=1e-6)
    for m in range(5):
        np.testing.assert_allclose(
            np.diag(found.as_volume(found.null[m])), diagonal.null[m], atol=1e-6
        )
    assert found.geometry.axes == ("trained", "tested")
    assert found.geometry.coordinates[1].tolist() == [0.0, 1.0]
    assert matrix[4, 5] > 0.6 > matrix[0, 5]


def test_drawn_folds_and_several_classes_are_generalised_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = recording()
    asked: dict[str, Any] = {"statistic": "lda.cv4", "draws": 3, "rng": 2}
    found = ac.decode_over_time(X, Y, **asked, generalise=True)
    diagonal = ac.decode_over_time(X, Y, **asked)
    np.testing.assert_allclose(np.diag(found.as_volume()), diagonal.observed, atol=1e-6)
    monkeypatch.setenv("ABOVECHANCE_COMPILED", "off")
    slow = ac.decode_over_time(X, Y, **asked, generalise=True)
    assert np.array_equal(found.null, slow.null)
    three = ac.decode_over_time(X, np.arange(36) % 3, **asked, generalise=True)
    assert three.chance == pytest.approx(1 / 3)


def test_epochs_bring_their_times_and_events() -> None:
    found = ac.decode_over_time(Epochs(), draws=4, rng=1)
    assert found.classes == ("7", "8")
    assert found.geometry.coordinates[:, 0].tolist() == TIMES.tolist()
    both = ac.decode_over_time([Epochs(), Epochs()], subjects=["a", "b"], draws=4, rng=1)
    assert [one.subject for one in both] == ["a", "b"]
    line = (np.eye(4, k=1) + np.eye(4, k=-1), list(Epochs.ch_names))
    local = ac.decode_over_time(Epochs(), adjacency=line, draws=2, rng=1)
    assert local.geometry.names[6] == "Cz"


def test_epochs_of_mne_are_taken() -> None:
    mne = pytest.importorskip("mne")
    info = mne.create_info(["Fz", "Cz", "Pz", "Oz"], 10.0, "eeg")
    epochs = mne.EpochsArray(recording(), info, events=Epochs.events, tmin=-0.1, verbose="error")
    found = ac.decode_over_time(epochs, draws=4, rng=1)
    ours = ac.decode_over_time(Epochs(), draws=4, rng=1)
    assert np.array_equal(found.null, ours.null)


def test_processes_and_a_store_give_the_same_bits(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"generalise": True, "draws": 3, "rng": 2, "runs": RUNS}
    alone = ac.decode_over_time(recording(), Y, **asked)
    shared = ac.decode_over_time(
        recording(), Y, **asked, workers=2, store=tmp_path / "a.db", folder=tmp_path
    )
    again = ac.decode_over_time(recording(), Y, **asked, store=tmp_path / "a.db")
    assert shared.null.tobytes() == alone.null.tobytes() == again.null.tobytes()


@pytest.mark.parametrize(
    ("epochs", "labels", "facts", "message"),
    [
        (recording()[0], Y, {}, "a recording must be trials × sensors × times"),
        (recording(), None, {}, "labels must be given; sub-01 has no events"),
        (recording(), Y[:4], {}, "labels of sub-01 must be one for each of its 36 trials"),
        (recording(), Y, {"times": [1, 2]}, "times must be 6 numbers that increase"),
        (recording(), Y, {"window": 2}, "window must be an odd number"),
        (
            recording(),
            Y,
            {"generalise": True, "statistic": "srivastava_du"},
            "generalise needs an accuracy in folds, as lda.cv8; got srivastava_du",
        ),
        (recording(), Y, {"generalise": True, "window": 3}, "generalise uses all sensors at one"),
        ([recording(), recording(1, 3)], Y, {}, "sub-01 has 4 × 6, sub-02 3 × 6"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    epochs: Any, labels: Any, facts: dict[str, Any], message: str
) -> None:
    with pytest.raises(AboveChanceError) as refused:
        ac.decode_over_time(epochs, labels, **facts, draws=2, rng=1)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
