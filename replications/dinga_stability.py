"""Dinga et al., figure 8: which measure selects the features that carry signal, and how stably."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import abovechance as ac
from replications.repeated import Cases, Repetition, balanced

DEPARTURES = (
    "features are followed in the order of selection; the paper's code got them in the order of "
    "columns, signal first, so that its paths favoured signal features by construction",
    "selection goes on by the measure to the end of the path; the paper's stopped when nothing "
    "improved and appended the others in random order",
    "of features with equal values one is taken at random, not the first column",
    "logistic regression is standardised with C = 10 000, for stepPlr's penalty of 0.0001",
    "halves have half of each class; the paper's were drawn from all cases",
)


def _pima(folder: Path | None, seed: int) -> Cases:
    return _from_file(folder, "mlbench_PimaIndiansDiabetes.csv", "diabetes", "pos", 768, 8, seed)


def _spam(folder: Path | None, seed: int) -> Cases:
    """The paper's first 2000 rows hold all 1813 spam and 187 other messages."""
    return _from_file(folder, "kernlab_spam.csv", "type", "spam", 2000, 20, seed)


def _from_file(
    folder: Path | None, file: str, outcome: str, positive: str, rows: int, count: int, seed: int
) -> Cases:
    from abovechance.io import read_table

    assert folder is not None
    table = read_table(folder / file)
    table.require([outcome])
    names = [name for name in table.names if name != outcome][:count]
    X = np.column_stack([table.number(name) for name in names])[:rows]
    y = (np.asarray(table.text(outcome)) == positive)[:rows].astype(np.int64)
    return _prepared(X, y, names, seed)


def _breast_cancer(folder: Path | None, seed: int) -> Cases:
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer()
    malignant = (found.target == 0).astype(np.int64)
    return _prepared(found.data[:, :10], malignant, found.feature_names[:10], seed)


def _prepared(X: np.ndarray, y: np.ndarray, names: Any, seed: int) -> Cases:
    kept = balanced(y, np.random.default_rng(seed))
    X, y = X[kept], y[kept]
    varies = np.ptp(X, axis=0) > 0
    return Cases(X[:, varies], y, tuple(str(n) for n, v in zip(names, varies, strict=True) if v))


def _run(cases: Cases, measures: list[str], *, steps: int, **settings: Any) -> Any:
    return ac.stability(
        cases.X,
        cases.y,
        measure=measures,
        copies=True,
        steps=min(steps, 2 * cases.X.shape[1]),
        feature_names=cases.names,
        cutoff=0.75,
        errors=1.0,
        **settings,
    )


def claims(found: Any) -> tuple[str, ...]:
    """Whether log score and Brier score take fewer permuted copies, and are stabler."""
    rows = {row.selector: row for row in found.selectors}
    said = [
        f"Of the first {found.selected} features in a half, permuted copies are "
        + ", ".join(
            f"{row.noise_selected:.2f} ± {row.noise_error:.2f} by {row.selector}"
            for row in found.selectors
        )
        + f"; {found.selected / 2:.2f} would be by a blind choice.",
        "Signal features that are stable: "
        + "; ".join(
            f"{len(row.stable) - row.noise_stable} by {row.selector}"
            + (f" ({', '.join(row.stable)})" if row.stable else "")
            for row in found.selectors
        )
        + ".",
    ]
    for better in ("brier", "log_score"):
        for worse in ("accuracy", "auc"):
            if better not in rows or worse not in rows:
                continue
            gap = rows[worse].noise_selected - rows[better].noise_selected
            error = np.hypot(rows[worse].noise_error, rows[better].noise_error)
            holds = "holds" if gap > 2 * error else "fails" if gap < -2 * error else "is undecided"
            said.append(
                f'The paper\'s "{better} selects signal more often than {worse}" {holds}: '
                f"{gap:.2f} fewer copies in a half (standard error at most {error:.2f})."
            )
    return tuple(said)


def _study(name: str, title: str, load: Any, file: str, steps: int, *more: str) -> Repetition:
    return Repetition(
        name=f"dinga-stability-{name}",
        title=f"Stability of forward selection by four measures, {title}",
        load=load,
        run=partial(_run, steps=steps),
        claims=claims,
        replications=50,
        file=file,
        departures=(*more, *DEPARTURES),
        kind="stability_paths",
    )


STABILITY = (
    _study(
        "pima",
        "Pima diabetes: 8 features and their permuted copies",
        _pima,
        "mlbench_PimaIndiansDiabetes.csv",
        16,
    ),
    _study(
        "spam",
        "spam: the first 20 features and their permuted copies",
        _spam,
        "kernlab_spam.csv",
        20,
        "paths are followed for 20 features of 40",
    ),
    _study(
        "breast-cancer",
        "breast cancer, a table that scikit-learn brings along: 10 features and their copies",
        _breast_cancer,
        "",
        20,
        "the table is none of the paper's",
    ),
)
