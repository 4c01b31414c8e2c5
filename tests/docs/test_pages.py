"""What the pages of the site show is what one gets."""

import re
from pathlib import Path
from typing import Any

import pytest

from docs.blocks import DOCS, FENCE, a_folder_of_examples, agrees, pages, run, steps

QUESTIONS = sorted(set((DOCS / "questions").glob("*.md")) - {DOCS / "questions/index.md"})
TABLES = [
    *(DOCS.parent / "tests/statistical/tables").glob("*.md"),
    DOCS / "replications/dinga-power-simulated.md",
]


@pytest.mark.parametrize("page", pages(), ids=lambda p: p.relative_to(DOCS).as_posix())
def test_every_block_prints_what_the_page_shows(page: Path) -> None:
    names: dict[str, Any] = {}
    with a_folder_of_examples():
        for block in FENCE.finditer(page.read_text("utf-8")):
            for step in steps(block["body"], block["kind"]):
                got = run(step, names)
                if got is None:
                    assert not step.wanted.strip(), f"output of a command not run: {step.code}"
                else:
                    assert agrees(step.wanted, got), f"{step.code}\nprints:\n{got}"


def test_every_question_shows_code() -> None:
    assert set(QUESTIONS) <= set(pages())


@pytest.mark.parametrize(
    ("wanted", "got", "same"),
    [
        ("AUC  0.82", "AUC 0.8171\n", True),
        ("AUC  0.82", "AUC 0.83\n", False),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...\nd", "a\nb\nc\ne\n", False),
        ("a\n...", "a\n", False),
        ("p < .05", "p < .06", False),
    ],
)
def test_output_agrees_to_the_digits_shown(wanted: str, got: str, same: bool) -> None:
    assert agrees(wanted, got) is same


@pytest.mark.parametrize("page", QUESTIONS, ids=lambda p: p.stem)
def test_a_question_goes_from_a_decision_to_a_sentence(page: Path) -> None:
    headings = re.findall(r"^## (.*)$", page.read_text("utf-8"), re.M)
    assert (headings[0], headings[-1]) == ("The decision", "The sentence to publish")


def numbers(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"\d*\.\d+|\d+", text)]


def unfounded(claims: str, evidence: str) -> list[str]:
    """Decimals and percentages of a text that no number of the evidence rounds to."""
    known = {round(x, 10) for x in numbers(evidence)}
    wrong = []
    for found in re.finditer(r"(?<!< )(?<![\d.])(\d+(?:\.\d+)?)( %)?", claims):
        places = len(found[1].partition(".")[2])
        if not places and not found[2]:
            continue  # counts and years
        scale = (100, 1) if found[2] else (1, 100)  # "54.7 to 63.9 %": the first has no sign
        if not any(
            abs(times * x - float(found[1])) <= 0.501 * 10.0**-places
            for times in scale
            for x in known
        ):
            wrong.append(found[0])
    return wrong


@pytest.mark.parametrize("page", [*QUESTIONS, DOCS / "start.md"], ids=lambda p: p.stem)
def test_the_sentence_to_publish_says_what_was_printed(page: Path) -> None:
    text = page.read_text("utf-8")
    (sentence,) = re.findall(r"^:::\{container\} say\n(.*?)^:::$", text, re.M | re.S)
    printed = "".join(
        step.wanted + "\n" + " ".join(step.source) + "\n"
        for block in FENCE.finditer(text)
        for step in steps(block["body"], block["kind"])
    )
    assert numbers(sentence)
    assert unfounded(sentence, printed) == []


@pytest.mark.parametrize("name", ["what-not-to-do.md", "which-measure.md"])
def test_harms_are_those_of_the_tables(name: str) -> None:
    page = (DOCS / name).read_text("utf-8")
    tables = "".join(p.read_text("utf-8") for p in TABLES)
    shown = "".join(block["body"] for block in FENCE.finditer(page))
    assert unfounded(FENCE.sub("", page), tables + shown) == []


def test_a_number_without_evidence_is_found() -> None:
    assert unfounded("AUC 0.82, in 54.7 % (p < 0.001)", "0.817 and 0.547") == []
    assert unfounded("AUC 0.83, in 54.8 %", "0.817 and 0.547") == ["0.83", "54.8 %"]
