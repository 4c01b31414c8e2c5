"""`abovechance measures`: the catalogue, and one measure explained."""

import csv
import json
import re

import pytest

from abovechance.cli import main
from abovechance.cli.measures_command import plain, readable
from abovechance.measures import Family, every


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["measures", *argv]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_every_measure_is_listed_under_its_family(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys)
    for measure in every().values():
        assert re.search(rf"^  {measure.name}( †)? ", text, re.MULTILINE), measure.name
    families = {m.family.value.capitalize() for m in every().values()}
    assert families <= {line.strip() for line in text.splitlines()}
    assert max(len(line) for line in text.splitlines()) <= 110


def test_a_line_of_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys)
    (kappa,) = [line for line in text.splitlines() if line.startswith("  kappa ")]
    assert kappa.split() == ["kappa", "−1", "to", "1", "1", "0", "cohen_kappa"]
    (recall,) = [line for line in text.splitlines() if line.startswith("  sensitivity ")]
    assert "†" in recall
    assert "recall" in recall
    assert "† averages over classes as NAME_macro, NAME_micro, NAME_weighted." in text


@pytest.mark.parametrize("family", ["rank", "information"])
def test_one_family_alone(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(told(capsys, "--family", family, "--format", "json"))
    assert {r["family"] for r in rows} == {family}
    assert {r["name"] for r in rows} == {
        m.name for m in every().values() if m.family is Family(family)
    }


@pytest.mark.parametrize("name", list(every()))
def test_every_measure_can_be_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, name)
    measure = every()[name]
    assert text.startswith(f"{measure.title} ({name}; {measure.family.value} family)")
    assert "\\" not in text
    assert ":math:" not in text
    assert ">>>" not in text
    for heading in ("Reads", "Range", "Law", "Source"):
        assert re.search(rf"^{heading} ", text, re.MULTILINE)


def test_one_measure_explained(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "brier_score")
    assert "    1/n Σ_i (y_i − p_i)²\n" in text
    assert re.search(r"^Range +0 to 1, best 0", text, re.MULTILINE)
    assert re.search(
        r"^Reference +The Brier score of always predicting",
        text,
        re.MULTILINE,
    )
    assert re.search(r"^Also called +brier_score, neg_brier_score", text, re.MULTILINE)


def test_a_dialect_says_what_it_changes(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "bac", "--dialect", "familiar")
    assert "As familiar computes it: undefined when a declared class is unobserved." in text
    assert "Mean over the observed classes" in text


def test_the_catalogue_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(told(capsys, "--format", "json"))
    assert [r["name"] for r in rows] == list(every())
    auc = next(r for r in rows if r["name"] == "auc")
    assert (auc["low"], auc["high"], auc["best"], auc["chance"]) == (0.0, 1.0, 1.0, "0.5")
    table = list(csv.DictReader(told(capsys, "--format", "csv").splitlines()))
    assert [r["name"] for r in table] == list(every())
    one = json.loads(told(capsys, "f2_score", "--format", "json"))
    assert one["name"] == "f_beta"
    assert "Weighted harmonic mean" in one["doc"]


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{1}{n} \sum_{i=1}^{n} (y_i - p_i)^2", "1/n Σ_i (y_i − p_i)²"),
        (r"\frac{TP}{TP + FN}", "TP/(TP + FN)"),
        (r"\sqrt{\frac{a}{b}}", "√(a/b)"),
        (r"\bar{\hat y} - \bar p_i", "y\u0302\u0304 − p\u0304_i"),
        (r"1 - (L_0 / L)^{2/n}", "1 − (L_0 / L)^(2/n)"),
        (r"G(T)^{-2}", "G(T)⁻²"),
        (r"\tfrac12 \left( a \right)", "1/2 (a)"),
        (r"\sum_{i \in P} R_{t-1}", "Σ_(i ∈ P) R_(t−1)"),
        (r"\int_{a}^{b} f \, dt", "∫[a, b] f dt"),
        (r"\text{acc} \cdot \pi_{max}", "acc · π_max"),
    ],
)
def test_formulas_are_written_in_plain_letters(latex: str, text: str) -> None:
    assert plain(latex) == text


def test_paragraphs_are_joined_and_examples_left_out() -> None:
    doc = "First\nline.\n\n.. math:: x\n    + y\n\nWith :math:`z^2`\nmore.\n\nExamples\n---\n>>> 1"
    assert readable(doc) == "First line.\n\n    x + y\n\nWith z² more."


def test_functions_that_take_more_are_listed_with_how_they_are_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    import abovechance as ac

    call = "ac.measures.covariate_balanced_accuracy(y_true, y_pred, covariate)"
    assert main(["measures"]) == 0
    assert call in capsys.readouterr().out
    assert main(["measures", "covariate_balanced_accuracy"]) == 0
    told = capsys.readouterr().out
    assert call in told
    assert "another variable" in told
    with pytest.raises(ValueError, match="a function of its own") as refused:
        ac.measures.find("covariate_balanced_accuracy")
    assert call in str(refused.value)
