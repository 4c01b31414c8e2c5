"""Small data sets as predictions, for docstrings, tests and the demo.

All were made from data that ship with scikit-learn, by `examples/make_predictions.py`.
"""

from pathlib import Path

from abovechance.errors import DataError, did_you_mean
from abovechance.gate import gated
from abovechance.predictions import Binary, Multiclass, Numeric

__all__ = ["breast_cancer", "diabetes", "iris", "path"]

NAMES = ("breast_cancer", "diabetes", "iris")


@gated
def path(name: str) -> Path:
    """The CSV file of an example.

    Parameters
    ----------
    name
        "breast_cancer", "diabetes" or "iris".

    Returns
    -------
    pathlib.Path
        Where the file is.

    Raises
    ------
    DataError
        If there is no such example.

    See Also
    --------
    abovechance.read : reads it.

    Examples
    --------
    >>> path("iris").name
    'iris.csv'
    """
    if name not in NAMES:
        raise DataError(f"no example {name!r}{did_you_mean(name, NAMES) or '.'}")
    return Path(__file__).parent / f"{name}.csv"


@gated
def breast_cancer(model: str = "p_forest") -> Binary:
    """Malignant or benign, on an independent test set, by one of two models.

    Parameters
    ----------
    model
        "p_forest", a random forest of all features, or "p_texture", a logistic regression of three.

    Returns
    -------
    Binary
        Probabilities of malignancy for 285 cases.

    Raises
    ------
    DataError
        If there is no such model.

    See Also
    --------
    iris, diabetes : several classes, and numbers.

    Examples
    --------
    >>> breast_cancer()
    Binary(285 cases; label, probability, score; origin test)
    """
    rows = _columns("breast_cancer")
    return Binary(
        rows["outcome"], probability=_of_model(rows, model), pos_label="malignant", id=rows["id"]
    )


def iris() -> Multiclass:
    """Three species of iris from their sepals, cross-validated.

    Returns
    -------
    Multiclass
        Probabilities of the three species for 150 flowers.

    See Also
    --------
    breast_cancer : two classes.

    Examples
    --------
    >>> iris().classes
    ('setosa', 'versicolor', 'virginica')
    """
    rows = _columns("iris")
    columns = {k.removeprefix("p_"): _floats(v) for k, v in rows.items() if k.startswith("p_")}
    return Multiclass(rows["outcome"], probability=columns, id=rows["id"], fold=rows["fold"])


@gated
def diabetes(model: str = "ridge") -> Numeric:
    """Progression of diabetes, cross-validated, by one of two models.

    Parameters
    ----------
    model
        "ridge", a ridge regression, or "neighbours", the mean of the nearest neighbours.

    Returns
    -------
    Numeric
        Predicted progression of 442 patients.

    Raises
    ------
    DataError
        If there is no such model.

    See Also
    --------
    breast_cancer : two classes.

    Examples
    --------
    >>> diabetes().n
    442
    """
    rows = _columns("diabetes")
    return Numeric(
        _floats(rows["outcome"]), _of_model(rows, model), id=rows["id"], fold=rows["fold"]
    )


def _columns(name: str) -> dict[str, list[str]]:
    import csv

    with open(path(name), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {key: [row[key] for row in rows] for key in rows[0]}


def _of_model(rows: dict[str, list[str]], model: str) -> list[float]:
    models = [name for name in rows if name not in ("id", "outcome", "fold")]
    if model not in models:
        raise DataError(f"no model {model!r}; there are {' and '.join(models)}.")
    return _floats(rows[model])


def _floats(values: list[str]) -> list[float]:
    return [float(v) for v in values]
