"""NumPy archives: arrays by name, probabilities of classes in columns."""

import io

import numpy as np
import pytest

from abovechance.errors import ColumnError, FileError
from abovechance.io import read, read_table


def saved(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


Y = np.array([0, 1, 1])
P = np.array([[0.75, 0.25], [0.5, 0.5], [0.125, 0.875]])


def test_arrays_become_columns():
    made = read(saved(y_true=Y, y_score=P[:, 1]), threshold=0.5)
    assert made.score.tolist() == [0.25, 0.5, 0.875]


def test_two_columns_of_predict_proba_are_understood():
    made = read(saved(y_true=Y, y_proba=P))
    assert made.probability.tolist() == [0.25, 0.5, 0.875]
    words = np.array(["well", "sick", "sick"])
    made = read(
        saved(y=words, y_proba=P[:, ::-1], classes=np.array(["sick", "well"])), pos_label="sick"
    )
    assert made.probability.tolist() == [0.25, 0.5, 0.875]


def test_probabilities_of_unnamed_classes_are_refused():
    words = np.array(["well", "sick", "sick"])
    with pytest.raises(ColumnError, match="no prediction column was found by name"):
        read(saved(y=words, y_proba=P), pos_label="sick")


def test_arrays_of_other_lengths_are_refused():
    with pytest.raises(FileError, match="'p' has 2 values, 'y' 3"):
        read_table(saved(y=Y, p=np.zeros(2)))


def test_three_axes_are_refused():
    with pytest.raises(FileError, match="one or two axes, cases first; 'x' has 3"):
        read_table(saved(x=np.zeros((2, 2, 2))))


def test_objects_are_not_loaded():
    with pytest.raises(FileError, match="it holds Python objects, which are not loaded"):
        read_table(saved(y=np.array(["a", None], dtype=object)))


def test_one_array_needs_names():
    file = io.BytesIO()
    np.save(file, P)
    with pytest.raises(FileError, match=r"one array of shape \(3, 2\)\. Save them by name"):
        read_table(file.getvalue())
    file = io.BytesIO()
    np.save(file, np.array([(1, 0.5), (0, 0.25)], dtype=[("y", int), ("p", float)]))
    assert read_table(file.getvalue()).number("p").tolist() == [0.5, 0.25]


def test_a_file_cut_off_is_refused():
    file = io.BytesIO()
    np.save(file, np.zeros(100, dtype=[("y", float)]))
    with pytest.raises(FileError, match="must be a whole NumPy file"):
        read_table(file.getvalue()[:200])


def test_an_array_with_a_password_is_refused():
    data = bytearray(saved(y=Y))
    data[data.index(b"PK\x03\x04") + 6] |= 1  # where a header says that what follows is encrypted
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(FileError, match="readable without a password; it holds an encrypted array"):
        read_table(bytes(data))
