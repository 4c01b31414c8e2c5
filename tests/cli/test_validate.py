"""The commands that refit a learner: tables, contracts, named learners, refusals in one line."""

import json
from pathlib import Path

import numpy as np
import pytest

from abovechance.cli import main


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Sixty cases with two classes, words, a number, times of an event, a site and features."""
    rng = np.random.default_rng(1)
    lines = ["row,site,y,word,number,months,died,a,b,same,colour"]
    for i, row in enumerate(rng.normal(size=(60, 2))):
        y = int(row[0] + rng.normal() > 0)
        months = f"{np.exp(1 - row[0] / 2 + rng.normal() / 2):.3f}"
        lines.append(
            f"{i + 1},s{i // 5},{y},{'ill' if y else 'well'},{row[0] + rng.normal():.3f},{months},"
            f"{int(i % 3 > 0)},{row[0]:.4f},{row[1]:.4f},7,{'red' if i % 2 else 'blue'}"
        )
    found = tmp_path / "cases.csv"
    found.write_text("\n".join(lines) + "\n", "utf-8")
    return str(found)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module beside the data that makes estimators."""
    (tmp_path / "my_models.py").write_text(
        "import numpy as np\n"
        "from sklearn.base import BaseEstimator\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "ready = GaussianNB(var_smoothing=1e-3)\n"
        "nothing = 3\n"
        "def make():\n"
        "    return GaussianNB()\n"
        "class Risk(BaseEstimator):\n"
        "    def fit(self, X, y):\n"
        "        self.w_ = np.linalg.lstsq(X, -np.log(y['time']), rcond=None)[0]\n"
        "        return self\n"
        "    def predict(self, X):\n"
        "        return X @ self.w_\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], command: str, *argv: str) -> tuple[int, str, str]:
    code = main([command, *argv, "--seed", "1"])
    return code, *capsys.readouterr()


SOME = ("--features", "a,b", "--draws", "4")


def test_a_model_is_validated_and_shown(file, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    report, picture = tmp_path / "report.html", tmp_path / "picture.svg"
    code, out, err = run(
        capsys, "validate", file, "--outcome", "y", *SOME,
        "--report", str(report), "--picture", str(picture),
    )  # fmt: skip
    assert code == 0
    assert "outcome = y; 2 features; 60 rows" in out
    assert "expected on new cases" in out
    assert "60 cases, 2 features, 10 folds, 4 repeats" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "report written" in err
    assert "Internal validation" in report.read_text("utf-8")
    assert picture.read_text("utf-8").startswith(("<svg", "<?xml"))


def test_json_follows_the_contract(file, capsys) -> None:
    argv = (file, "--outcome", "word", "--positive", "ill", *SOME, "--measures", "auc,brier")
    code, out, _ = run(capsys, "validate", *argv, "--format", "json")
    found = json.loads(out)
    assert code == 0
    assert (found["kind"], found["method"], found["seed"]) == ("validation", "repeated_cv", 1)
    assert [row["measure"] for row in found["validated"]] == ["auc", "brier"]
    assert set(found["validated"][0]) >= {"apparent", "optimism", "corrected", "interval", "chance"}
    code, out, _ = run(capsys, "validate", *argv, "--format", "csv", "--method", "cv")
    assert out.splitlines()[0].startswith("measure,title,family,apparent,optimism,corrected")


@pytest.mark.part(3)
@pytest.mark.parametrize(
    ("name", "outcome", "measure"),
    [
        ("lda", "y", "auc"),
        ("svm", "y", "auc"),
        ("bayes", "y", "brier"),
        ("forest", "y", "accuracy"),
        ("linear", "number", "mse"),
        ("ridge", "number", "mae"),
        ("forest", "number", "mse"),
    ],
)
def test_learners_are_known_by_name(file, capsys, name, outcome, measure) -> None:
    argv = ("--outcome", outcome, "--features", "a,b", "--draws", "2", "--measures", measure)
    code, out, _ = run(capsys, "validate", file, *argv, "--estimator", name, "--format", "json")
    assert code == 0
    assert json.loads(out)["validated"][0]["measure"] == measure


def test_groups_and_estimators_of_ones_own(file, models, capsys) -> None:
    argv = (file, "--outcome", "y", *SOME, "--measures", "auc", "--group", "site")
    found = []
    for path in ("my_models:ready", "my_models:make", "sklearn.naive_bayes:GaussianNB"):
        code, out, _ = run(capsys, "validate", *argv, "--estimator", path, "--format", "json")
        assert code == 0
        found.append(json.loads(out))
    assert found[0]["groups"] == 12
    assert "var_smoothing" in found[0]["estimator"]
    assert found[1]["validated"] == found[2]["validated"]


def test_survival_is_validated(file, models, capsys) -> None:
    argv = (file, "--time", "months", "--event", "died", *SOME, "--estimator", "my_models:Risk")
    code, out, _ = run(capsys, "validate", *argv, "--format", "json")
    assert code == 0
    assert json.loads(out)["outcome"] == "survival"


def test_a_learning_curve_is_shown_with_its_goal(file, capsys) -> None:
    argv = (file, "--outcome", "y", *SOME, "--measures", "auc", "--sizes", "16,32,48")
    code, out, _ = run(capsys, "learning-curve", *argv, "--goal", "auc>=.6")
    assert code == 0
    assert "after training on 48 cases" in out
    assert "continued" in out
    assert "auc >= 0.6" in out
    code, out, _ = run(capsys, "learning-curve", *argv, "--format", "json")
    assert [point["size"] for point in json.loads(out)["curves"][0]["points"]] == [16, 32, 48]


def test_a_stored_run_goes_on(file, capsys, tmp_path) -> None:
    argv = (file, "--outcome", "y", *SOME, "--measures", "auc", "--format", "json")
    store = ("--store", str(tmp_path / "kept.db"))
    first = run(capsys, "validate", *argv, *store)
    assert first[0] == 0
    assert (
        run(capsys, "validate", *argv, *store)[1] == first[1] == run(capsys, "validate", *argv)[1]
    )


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--outcome", "word"], "pos_label must say which class is positive"),
        (["--outcome", "y", "--estimator", "forrest"], "did you mean 'forest'?"),
        (["--outcome", "y", "--estimator", "ridge"], "ridge is not for an outcome of classes"),
        (["--outcome", "y", "--estimator", "no_such:make"], "there is no module 'no_such'"),
        (["--outcome", "y", "--estimator", "json:make"], "'json' has no 'make'"),
        (["--outcome", "y", "--estimator", "math:pi"], "or make one; it is not"),
        (["--outcome", "y", "--features", "a,colour"], "colour"),
        (["--outcome", "y", "--features", "a,y"], "'y' is the outcome"),
        (["--outcome", "y", "--method", "cv", "--folds", "40"], "no more folds than cases"),
        (["--outcome", "y", "--estimator", "svm", "--measures", "brier"], "has no predict_proba"),
        (["--outcome", "y", "--time", "months"], "--time and --event go together"),
        ([], "give --outcome COL"),
        (["--outcome", "y", "--times", "3"], "--times goes with --time"),
        (["--time", "months", "--event", "died"], "cox needs scikit-survival"),
    ],
)
def test_wrong_usage_is_refused_in_one_line(file, capsys, argv, said) -> None:
    if "cox" in said:
        try:
            import sksurv  # noqa: F401
        except ModuleNotFoundError:
            pass
        else:
            pytest.skip("scikit-survival is installed")
    code, _, err = run(capsys, "validate", file, *argv, "--draws", "2")
    assert code == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_a_constant_feature_is_named(file, capsys) -> None:
    argv = ("--outcome", "y", "--features", "a,same", "--draws", "2", "--measures", "auc")
    code, out, _ = run(capsys, "validate", file, *argv)
    assert code == 0
    assert "[AC851] 'same' holds one value in all cases" in out
