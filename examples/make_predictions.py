"""Make the example predictions that ship with the package, from scikit-learn's own data sets.

    python examples/make_predictions.py

Cross-validated, so that no case was predicted by a model that had seen it. Writes CSV files to
src/abovechance/examples/.
"""

import csv
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parents[1] / "src" / "abovechance" / "examples"


def breast_cancer() -> None:
    """Two models, one of three size features and one of all, on an independent test set."""
    data = load_breast_cancer()
    names = np.array(data.target_names)[data.target]
    few = [
        list(data.feature_names).index(f)
        for f in ("mean texture", "mean smoothness", "mean symmetry")
    ]
    train, test = train_test_split(
        np.arange(len(names)), test_size=0.5, stratify=names, random_state=1
    )
    simple = make_pipeline(StandardScaler(), LogisticRegression())
    forest = RandomForestClassifier(300, min_samples_leaf=3, random_state=1)
    p_simple = simple.fit(data.data[train][:, few], names[train]).predict_proba(
        data.data[test][:, few]
    )
    p_forest = forest.fit(data.data[train], names[train]).predict_proba(data.data[test])
    malignant = list(simple.classes_).index("malignant")
    rows = [
        [f"case-{i:03d}", names[i], f"{a[malignant]:.6f}", f"{b[malignant]:.6f}"]
        for i, a, b in zip(test, p_simple, p_forest, strict=True)
    ]
    write("breast_cancer.csv", ["id", "outcome", "p_texture", "p_forest"], sorted(rows))


def iris() -> None:
    """Three species from two sepal measurements, cross-validated."""
    data = load_iris()
    species = np.array(data.target_names)[data.target]
    X = data.data[:, :2]
    p, fold = np.zeros((len(species), 3)), np.zeros(len(species), dtype=int)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    for k, (train, test) in enumerate(
        StratifiedKFold(5, shuffle=True, random_state=1).split(X, species)
    ):
        p[test], fold[test] = model.fit(X[train], species[train]).predict_proba(X[test]), k + 1
    rows = [[i + 1, species[i], fold[i], *(f"{v:.6f}" for v in p[i])] for i in range(len(species))]
    write("iris.csv", ["id", "outcome", "fold", *(f"p_{c}" for c in model.classes_)], rows)


def diabetes() -> None:
    """Disease progression predicted by ridge regression and by nearest neighbours."""
    data = load_diabetes()
    ridge, near, fold = (
        np.zeros(len(data.target)),
        np.zeros(len(data.target)),
        np.zeros(len(data.target), int),
    )
    for k, (train, test) in enumerate(KFold(5, shuffle=True, random_state=1).split(data.data)):
        ridge[test] = Ridge(0.01).fit(data.data[train], data.target[train]).predict(data.data[test])
        near[test] = (
            KNeighborsRegressor(15)
            .fit(data.data[train], data.target[train])
            .predict(data.data[test])
        )
        fold[test] = k + 1
    rows = [
        [i + 1, f"{data.target[i]:g}", fold[i], f"{ridge[i]:.3f}", f"{near[i]:.3f}"]
        for i in range(len(data.target))
    ]
    write("diabetes.csv", ["id", "outcome", "fold", "ridge", "neighbours"], rows)


def write(name: str, header: list[str], rows: list[list[object]]) -> None:
    with open(HERE / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    breast_cancer()
    iris()
    diabetes()
