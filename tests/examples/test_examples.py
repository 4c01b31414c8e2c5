"""The bundled predictions are what their files say."""

import csv

import numpy as np
import pytest

from abovechance import examples
from abovechance.errors import DataError
from abovechance.io import read
from abovechance.measures import evaluate
from abovechance.predictions import Binary, Multiclass, Numeric


@pytest.mark.parametrize("name", ["breast_cancer", "iris", "diabetes"])
def test_every_example_is_a_file_with_a_header(name: str) -> None:
    with open(examples.path(name), newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert "outcome" in header
    assert len({row[0] for row in rows}) == len(rows)
    assert {len(row) for row in rows} == {len(header)}


def test_an_unknown_example_is_refused_with_the_nearest() -> None:
    with pytest.raises(DataError, match="no example 'irish'; did you mean 'iris'"):
        examples.path("irish")


def test_the_kinds_of_outcome() -> None:
    cancer, iris, diabetes = examples.breast_cancer(), examples.iris(), examples.diabetes()
    assert isinstance(cancer, Binary)
    assert isinstance(iris, Multiclass)
    assert isinstance(diabetes, Numeric)
    assert (cancer.n, iris.n, diabetes.n) == (285, 150, 442)
    assert (cancer.origin, iris.origin, diabetes.origin) == ("test", "cv", "cv")
    assert cancer.pos_label == "malignant"
    assert sorted(set(iris.cases.fold)) == ["1", "2", "3", "4", "5"]


def test_the_file_read_gives_the_same_values() -> None:
    from_file = read(examples.path("breast_cancer"), probability="p_forest", pos_label="malignant")
    assert evaluate(from_file) == pytest.approx(evaluate(examples.breast_cancer()), nan_ok=True)
    iris = read(examples.path("iris"))
    assert iris.classes == examples.iris().classes
    assert np.array_equal(iris.probability, examples.iris().probability)


def test_one_model_is_clearly_better_than_the_other() -> None:
    good = evaluate(examples.breast_cancer("p_forest"), ["auc", "brier"])
    poor = evaluate(examples.breast_cancer("p_texture"), ["auc", "brier"])
    assert good["auc"] > poor["auc"] > 0.7
    assert good["brier"] < poor["brier"]
