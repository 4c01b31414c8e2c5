"""What the pages of the site show is what one gets."""

import re
from pathlib import Path
from typing import Any

import pytest

from docs.blocks import DOCS, FENCE, a_folder_of_examples, agrees, pages, run, steps


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


def test_the_questions_show_code() -> None:
    shown = {page.name for page in pages()}
    assert {page.name for page in (DOCS / "questions").glob("*.md")} - shown <= {"index.md"}


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


def test_every_question_ends_with_a_sentence_to_publish() -> None:
    for page in (DOCS / "questions").glob("*.md"):
        text = page.read_text("utf-8")
        if page.name != "index.md":
            assert re.search(r"^## The decision$", text, re.M), page.name
            assert re.search(r"^## The sentence to publish$", text, re.M), page.name
