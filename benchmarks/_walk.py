"""How large the package is, and the way of the data through it: `python benchmarks/_walk.py`.

Lines are those of the package's modules, parted into code, docstrings, comments, blank lines and
imports. The way of a call is recorded by `sys.setprofile` after a warm run: the modules and
functions of this package that it passes (comprehensions count, as Python 3.11 calls them), how deep
they call each other, the pairs of modules that call each other, and how often consecutive calls lie
in different modules, and in different top folders.
"""

import ast
import contextlib
import io
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import abovechance as ac
from abovechance.cli import main

SOURCE = Path(ac.__file__).parent
KINDS = ("code", "docstrings", "comments", "blank", "imports")


def lines_of(text: str) -> Counter[str]:
    """How many lines of a module are of each kind."""
    lines = text.splitlines()
    kinds = ["code"] * len(lines)
    for at, line in enumerate(lines):
        if not line.strip():
            kinds[at] = "blank"
        elif line.lstrip().startswith("#"):
            kinds[at] = "comments"
    for node in ast.walk(ast.parse(text)):
        kind = ""
        if isinstance(node, ast.Import | ast.ImportFrom):
            kind = "imports"
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            node = node.body[0]
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                kind = "docstrings" if isinstance(node.value.value, str) else ""
        if kind:
            kinds[node.lineno - 1 : node.end_lineno] = [kind] * (node.end_lineno - node.lineno + 1)
    return Counter(kinds)


def size() -> Iterator[tuple[Any, ...]]:
    """Files and lines of every folder, and of all."""
    whole: dict[str, tuple[int, Counter[str]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).parts
        folder = parts[0] if len(parts) > 1 else "(top)"
        for name in (folder, "all"):
            files, known = whole.get(name, (0, Counter()))
            whole[name] = files + 1, known + lines_of(path.read_text("utf-8"))
    for name in sorted(whole, key=lambda name: (name == "all", name)):
        files, known = whole[name]
        yield name, files, sum(known.values()), *(known[kind] for kind in KINDS)


def walked(call: Callable[[], Any]) -> tuple[int | str, ...]:
    """Modules, functions, depth, edges and switches of a call, which has run once before."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        call()
        seen: list[str] = []
        functions: set[tuple[str, str]] = set()
        edges: set[tuple[str, str]] = set()
        stack: list[str] = []
        deepest = 0

        def record(frame: Any, event: str, _: Any) -> None:
            nonlocal deepest
            name = frame.f_globals.get("__name__", "")
            if not name.startswith("abovechance."):
                return
            if event == "call":
                if stack and stack[-1] != name:
                    edges.add((stack[-1], name))
                stack.append(name)
                seen.append(name)
                functions.add((name, frame.f_code.co_qualname))
                deepest = max(deepest, len(stack))
            elif event == "return" and stack:
                stack.pop()

        sys.setprofile(record)
        try:
            call()
        finally:
            sys.setprofile(None)
    folders = [name.split(".")[1] for name in seen]
    switches = [sum(a != b for a, b in pairwise(x)) for x in (seen, folders)]
    counts = (len(set(seen)), len(functions), deepest, len(edges))
    return (*counts, f"{switches[0]:,} / {switches[1]:,}")


def calls(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is walked: each verb on a bundled example."""
    from sklearn.linear_model import LogisticRegression

    from abovechance.studies import Binormal

    table = folder / "breast_cancer.csv"
    table.write_bytes((SOURCE / "examples" / "breast_cancer.csv").read_bytes())
    roles = "--outcome outcome --probability p_texture --positive malignant --seed 1"
    ask = [str(table), *roles.split()]
    five = ["--measures", "auc,accuracy,brier,mcc,log_score"]
    models = {name: ac.examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
    cases = models["p_texture"]
    X = cases.probability[:60, None] ** [1, 2, 3]
    y = cases.positive[:60].astype(int)
    three = ["auc", "accuracy", "brier"]
    yield "CLI `assess`, 5 measures", lambda: main(["assess", *ask, *five])
    yield "CLI `assess`, all measures", lambda: main(["assess", *ask])
    yield "`compare`, 3 measures", lambda: ac.compare(models, three, rng=1)
    yield "`detect`, 2 tests", lambda: ac.detect(X, y, tests=["hotelling", "lda.cv4"], rng=1)
    learner = LogisticRegression()
    yield "`permutation_test`", lambda: ac.permutation_test(learner, X, y, draws=99, rng=1)
    tests = ["auc", "brier"]
    asked = {"n": 40, "effects": 0.8, "replications": 100, "rng": 1, "workers": 1}
    yield "`power`, 2 tests", lambda: ac.power(Binormal(), tests, **asked)
    result = ac.assess(cases, three, rng=1)
    yield "`report`", lambda: ac.report(result, predictions=cases).html


def table(heads: tuple[str, ...], rows: Any) -> str:
    """Rows as Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(
        f"| {' | '.join(f'{x:,}' if isinstance(x, int) else str(x) for x in row)} |"
        for row in lines
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(table(("folder", "files", "lines", *KINDS), size()))
    print()
    with tempfile.TemporaryDirectory() as here:
        found = ((name, *walked(call)) for name, call in calls(Path(here)))
        heads = ("call", "modules", "functions", "depth", "edges", "switches")
        print(table(heads, found))
