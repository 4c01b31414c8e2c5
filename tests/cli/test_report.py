"""`--report` on every command that has a result to show, and saved results rendered."""

import json
import sys
from pathlib import Path

import pytest

from abovechance import examples
from abovechance.cli import main

CANCER = str(examples.path("breast_cancer"))
NAMED = ["--outcome", "outcome", "--positive", "malignant"]
FEW = ["--draws", "99", "--seed", "1"]


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("features") / "features.csv"
    rows = [f"{'ab'[i % 2]},{(7 * i) % 11 + 5 * (i % 2)},{(3 * i) % 13}" for i in range(24)]
    path.write_text("\n".join(["group,x1,x2", *rows]), "utf-8")
    return str(path)


def command(kind: str, features: str) -> list[str]:
    simulated = ["power", "--auc", ".8", "--tests", "auc", "--replications", "20", "--seed", "1"]
    return {
        "assess": ["assess", CANCER, *NAMED, "--probability", "p_texture", *FEW],
        "compare": ["compare", CANCER, *NAMED, "--models", "p_forest,p_texture", *FEW],
        "detect": ["detect", features, "--outcome", "group", "--tests", "hotelling", *FEW],
        "power": [*simulated, "--n", "20,40"],
        "size": [*simulated, "--target", ".8"],
    }[kind]


SAID = {
    "assess": "Better than chance",
    "compare": "p_forest is better",
    "detect": "classes",
    "power": "for a power of 80%",
    "size": "for a power of 80%",
}


@pytest.mark.parametrize("kind", list(SAID))
def test_a_result_is_reported_at_once_and_again_when_saved(
    kind: str, features: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, again, saved = (tmp_path / name for name in ("a.html", "b.html", "r.json"))
    argv = [*command(kind, features), "--format", "json", "--report", str(page)]
    assert main(argv) == 0
    out, err = capsys.readouterr()
    assert err.endswith(f"abovechance: report written to {page}\n")
    saved.write_text(out, "utf-8")
    assert main(["report", str(saved), "-o", str(again)]) == 0
    assert SAID[kind] in capsys.readouterr().out
    for path in (page, again):
        assert SAID[kind] in path.read_text("utf-8")
    assert f'<pre id="command" tabindex="0">abovechance {argv[0]} ' in page.read_text("utf-8")
    assert json.loads(out)


@pytest.mark.parametrize("kind", ["assess", "compare", "detect", "power"])
def test_a_report_that_could_not_be_written_is_refused_before_the_work(
    kind: str, features: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path, reason in ((tmp_path / "no" / "r.html", "does not exist"), (tmp_path, "is a folder")):
        assert main([*command(kind, features), "--report", str(path)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert reason in err


def test_the_page_is_among_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["app", "--help"]) == 0
    assert "drop a file of predictions, see its report" in capsys.readouterr().out


def test_a_page_without_its_extra_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("abovechance.app", "abovechance.app.web", "uvicorn"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["app", "--no-browser"]) == 2
    assert "pip install 'abovechance[app]'" in capsys.readouterr().err
