"""Estimators by a word, for the command line, or by where their function is."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from abovechance.errors import DataError, did_you_mean

Made = Callable[[], Any]


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def _lda() -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis()


def _naive_bayes() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _svm() -> Any:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    machine = make_pipeline(StandardScaler(), SVC())
    return CalibratedClassifierCV(machine, cv=3, ensemble=False)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier()


def _boosting() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier()


def _gaussian_process() -> Any:
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), GaussianProcessClassifier())


def _linear() -> Any:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _ridge() -> Any:
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), RidgeCV())


def _forest_of_numbers() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor()


def _boosting_of_numbers() -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor()


CLASSIFIERS: dict[str, Made] = {
    "logistic": _logistic,
    "lda": _lda,
    "naive-bayes": _naive_bayes,
    "svm": _svm,
    "forest": _forest,
    "boosting": _boosting,
    "gaussian-process": _gaussian_process,
}
REGRESSORS: dict[str, Made] = {
    "linear": _linear,
    "ridge": _ridge,
    "forest": _forest_of_numbers,
    "boosting": _boosting_of_numbers,
}
WORDS = "logistic, lda, naive-bayes, svm, forest, boosting, gaussian-process; linear, ridge"


def named_estimator(text: str, *, numeric: bool = False) -> Any:
    """An estimator from a word, or from module:function; of numbers if the outcome holds them.

    A function is called without arguments; an estimator is taken as it is.

    >>> named_estimator("naive-bayes")
    GaussianNB()
    >>> named_estimator("forrest")
    Traceback (most recent call last):
    abovechance.errors.DataError: no estimator 'forrest'; did you mean 'forest'?
    """
    if ":" in text:
        return imported(text)
    known = REGRESSORS if numeric else CLASSIFIERS
    if text not in known:
        close = (
            did_you_mean(text, known) or f"; choose from {', '.join(known)}, or module:function."
        )
        raise DataError(f"no estimator {text!r}{close}")
    return known[text]()


def imported(text: str) -> Any:
    """What module:function makes, or the object of that name; the current folder is looked in."""
    module, _, name = text.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as why:
        raise DataError(f"{text!r} cannot be imported: {why}.") from None
    if hasattr(found, "fit") and not isinstance(found, type):
        return found
    if not callable(found):
        raise DataError(f"{text!r} must be an estimator, or a function that makes one.")
    return found()
