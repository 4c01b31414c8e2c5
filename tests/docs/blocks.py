"""The code blocks of the pages of the site: commands and Python with their output.

A line `...` in the output stands for lines that are left out. `python tests/docs/blocks.py PAGE …`
writes the output anew into pages; read the difference before you commit it.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(
    r"^(?P<fence>```|~~~)\{?(?P<kind>console|pycon)\}?\n(?P<body>.*?)^(?P=fence)$", re.M | re.S
)
GENERATED = (
    "measures",
    "methods",
    "commands.md",
    "advice.md",
    "gallery.md",
    "tutorials",
    "replications",
    "decisions",
)
SHOWN = ("abovechance", "head")  # commands whose output is shown and compared


@dataclass
class Step:
    """A command or a Python statement, as it stands in the page, and what it is said to print."""

    kind: str
    source: list[str]
    output: list[str]

    @property
    def code(self) -> str:
        if self.kind == "pycon":
            return "\n".join(line[4:] for line in self.source) + "\n"
        return " ".join(line.rstrip("\\") for line in self.source).removeprefix("$ ")

    @property
    def wanted(self) -> str:
        return "\n".join(self.output)


def pages() -> list[Path]:
    """Pages that are written by hand and hold code."""
    found = [p for p in sorted(DOCS.rglob("*.md")) if p.relative_to(DOCS).parts[0] not in GENERATED]
    return [page for page in found if FENCE.search(page.read_text("utf-8"))]


def steps(body: str, kind: str) -> list[Step]:
    """What a block holds; a line `...` of its own is output that was left out."""
    found: list[Step] = []
    before = ""
    for line in body.splitlines():
        if line.startswith("$ " if kind == "console" else ">>> "):
            found.append(Step(kind, [line], []))
        elif before.endswith("\\") if kind == "console" else line.startswith("... "):
            found[-1].source.append(line)
        else:
            found[-1].output.append(line)
        before = line
    return found


def run(step: Step, names: dict[str, Any]) -> str | None:
    """What a step prints; None for commands that are shown without output."""
    if step.kind == "pycon":
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(step.code, "<page>", "single"), names)
        return printed.getvalue()
    words = shlex.split(step.code, comments=True)
    if words[0] not in SHOWN:
        return None
    if words[0] == "head":
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout
    from abovechance.cli import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        main(words[1:])
    return printed.getvalue()


def agrees(wanted: str, got: str) -> bool:
    """Whether output is what the page shows: numbers to the digits shown, spaces aside."""
    first, gap, last = _parts(wanted)
    lines = _lines(got)
    if not gap:
        return _same("\n".join(first), "\n".join(lines))
    if len(first) + len(last) >= len(lines):
        return False
    shown = [*lines[: len(first)], *lines[len(lines) - len(last) :]]
    return _same("\n".join([*first, *last]), "\n".join(shown))


NUMBER = re.compile(r"(\d*\.?\d+)(e[-+]?\d+)?")


def _same(wanted: str, got: str) -> bool:
    """Whether two texts are equal but for spaces and the digits that the first leaves out."""
    apart = [" ".join(NUMBER.sub("#", text).split()) for text in (wanted, got)]
    pairs = zip(NUMBER.finditer(wanted), NUMBER.finditer(got), strict=False)
    return apart[0] == apart[1] and all(_near(a, b) for a, b in pairs)


def _near(wanted: re.Match[str], got: re.Match[str]) -> bool:
    places = len(wanted[1].partition(".")[2])
    unit = 10.0 ** (int((wanted[2] or "e0")[1:]) - places)
    return abs(float(wanted[0]) - float(got[0])) <= 0.501 * unit


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def _parts(text: str) -> tuple[list[str], bool, list[str]]:
    lines = _lines(text)
    if "..." not in lines:
        return lines, False, []
    at = lines.index("...")
    return lines[:at], True, lines[at + 1 :]


@contextlib.contextmanager
def a_folder_of_examples() -> Iterator[None]:
    """A folder of its own with the bundled files, 80 columns wide."""
    from abovechance import examples

    before, columns = Path.cwd(), os.environ.get("COLUMNS")
    with tempfile.TemporaryDirectory() as folder:
        for file in examples.path("iris").parent.glob("*.csv"):
            shutil.copy(file, folder)
        os.chdir(folder)
        os.environ["COLUMNS"] = "80"
        try:
            yield
        finally:
            os.chdir(before)
            os.environ.pop("COLUMNS")
            if columns is not None:
                os.environ["COLUMNS"] = columns


def refresh(page: Path) -> None:
    """Write the output of every block anew."""
    names: dict[str, Any] = {}

    def block(found: re.Match[str]) -> str:
        text = []
        for step in steps(found["body"], found["kind"]):
            print(step.code.splitlines()[0][:90], file=sys.stderr)
            got = run(step, names)
            text += step.source
            sized = re.fullmatch(r"\.\.\.(\d+),(\d+)\s*", step.wanted)
            if got is None:
                continue
            if agrees(step.wanted, got):  # fewer digits may be shown than printed
                text += _lines(step.wanted)
                continue
            first, gap, last = _parts(step.wanted)
            lines, heads, tails = _lines(got), len(first), len(last)
            if sized:
                gap, heads, tails = True, int(sized[1]), int(sized[2])
            text += [*lines[:heads], "...", *lines[len(lines) - tails :]] if gap else lines
        return "\n".join([f"{found['fence']}{found['kind']}", *text, found["fence"]])

    page.write_text(FENCE.sub(block, page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or pages()
    for one in chosen:
        with a_folder_of_examples():
            refresh(one)
