"""Change the source in small ways and see whether a test notices.

    ./run python tests/mutation/run_mutation.py --mutants 200 --seed 1 --record

A mutant is one operator, comparison or number of a module changed. Mutants are drawn at random from
all places of the modules below; each is tried in a process of its own by the tests that go with its
module, one after the other until one fails. `--mutant I` shows number I of a seed and its tests'
output, `--record` writes counts and survivors to the table that the documentation shows.
"""

import argparse
import ast
import json
import os
import random
import resource
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / "src" / "abovechance"
RUNS, PAGE = HERE / "counts.json", HERE / "counts.md"
SECONDS = 150  # of CPU; a mutant that takes longer runs in circles and is noticed

OUTSIDE = "tests/test_outside_references.py"
FORMS = "tests/measures"
# Modules of formulas, with the tests that go with each beside their own examples; the first to
# fail ends a trial.
TESTED: dict[str, list[str]] = {
    "numerics/exact.py": ["tests/numerics/test_exact.py",
                          "tests/numerics/test_exact_saddlepoint.py"],
    "numerics/counts.py": ["tests/numerics/test_counts.py", OUTSIDE],
    "numerics/ranks.py": ["tests/numerics/test_ranks.py", OUTSIDE],
    "numerics/censoring.py": ["tests/numerics/test_censoring.py", OUTSIDE],
    "numerics/recalibration.py": ["tests/numerics/test_recalibration.py", OUTSIDE],
    "numerics/logistic.py": ["tests/numerics/test_logistic.py", OUTSIDE],
    "numerics/smooth.py": ["tests/numerics/test_smooth.py", f"{FORMS}/test_calibration.py"],
    "measures/categorical.py": [OUTSIDE, f"{FORMS}/test_categorical.py",
                                f"{FORMS}/test_classification_references.py",
                                f"{FORMS}/test_categorical_one_versus_rest.py"],
    "measures/rank.py": [OUTSIDE, f"{FORMS}/test_rank.py",
                         f"{FORMS}/test_classification_references.py"],
    "measures/probability.py": [OUTSIDE, f"{FORMS}/test_probability.py",
                                f"{FORMS}/test_probability_information.py"],
    "measures/calibration.py": [OUTSIDE, f"{FORMS}/test_calibration.py",
                                f"{FORMS}/test_calibration_error.py"],
    "measures/regression.py": [OUTSIDE, f"{FORMS}/test_regression.py",
                               f"{FORMS}/test_regression_multi_output.py"],
    "measures/survival.py": [OUTSIDE, f"{FORMS}/test_survival.py",
                             f"{FORMS}/test_survival_probability.py"],
    "measures/utility.py": [OUTSIDE, f"{FORMS}/test_utility.py"],
    "inference/proportions.py": [OUTSIDE, "tests/inference/test_proportions.py",
                                 "tests/inference/test_intervals.py"],
    "inference/areas.py": [OUTSIDE, "tests/inference/test_areas.py",
                           "tests/inference/test_significance.py"],
    "inference/correlations.py": [OUTSIDE, "tests/inference/test_intervals.py"],
}  # fmt: skip

SWAPPED: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
CALLED = {"minimum": "maximum", "maximum": "minimum", "min": "max", "max": "min"}


@dataclass(frozen=True)
class Mutant:
    """One place of one module, and what stands there instead."""

    module: str
    place: int
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: `{self.before}` → `{self.after}`"


class _Change(ast.NodeTransformer):
    """Counts the places where something can be changed, and changes one of them."""

    def __init__(self, wanted: int = -1) -> None:
        self.wanted, self.seen = wanted, 0
        self.found: list[tuple[int, str, str]] = []

    def _here(self, node: Any, changed: Any) -> Any:
        """The node, or what it is changed to where this is the place that is wanted."""
        at, self.seen = self.seen, self.seen + 1
        if self.wanted < 0:
            self.found.append((node.lineno, ast.unparse(node)[:90], ast.unparse(changed)[:90]))
        return ast.copy_location(changed, node) if at == self.wanted else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Bodies alone: what stands in signatures and above functions are facts, held elsewhere."""
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        return node  # wording

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        other = SWAPPED.get(type(node.op))
        if other is None or (
            isinstance(node.left, ast.Constant | ast.JoinedStr)
            and isinstance(getattr(node.left, "value", ""), str)
        ):
            return node
        return self._here(node, ast.BinOp(node.left, other(), node.right))

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        other = SWAPPED.get(type(node.ops[0]))
        if other is None:
            return node
        return self._here(node, ast.Compare(node.left, [other(), *node.ops[1:]], node.comparators))

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        self.generic_visit(node)
        return self._here(node, ast.BoolOp(SWAPPED[type(node.op)](), node.values))

    def visit_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            return node
        return self._here(node, ast.Constant(node.value + 1))

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        name = node.func
        if isinstance(name, ast.Attribute) and name.attr in CALLED:
            called: Any = ast.Attribute(name.value, CALLED[name.attr], ast.Load())
        elif isinstance(name, ast.Name) and name.id in CALLED:
            called = ast.Name(CALLED[name.id], ast.Load())
        else:
            return node
        return self._here(node, ast.Call(called, node.args, node.keywords))


def places(module: str) -> list[Mutant]:
    """Every mutant of a module."""
    walk = _Change()
    walk.visit(ast.parse((PACKAGE / module).read_text("utf-8")))
    return [Mutant(module, at, *found) for at, found in enumerate(walk.found)]


def mutated(mutant: Mutant) -> Any:
    """The code of the module with the change."""
    path = PACKAGE / mutant.module
    tree = _Change(mutant.place).visit(ast.parse(path.read_text("utf-8")))
    return compile(ast.fix_missing_locations(tree), str(path), "exec")


def drawn(number: int, seed: int) -> list[Mutant]:
    """So many mutants of a seed, from all places alike."""
    every = [mutant for module in TESTED for mutant in places(module)]
    return random.Random(seed).sample(every, number)


def fate(mutant: Mutant, *, show: bool = False) -> str:
    """Whether the tests of its module notice a mutant: "killed" or "survived"."""
    child = os.fork()
    if not child:
        _try(mutant, show=show)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return "survived" if code == 0 else "killed"


def _try(mutant: Mutant, *, show: bool) -> None:
    code = 99
    try:
        if not show:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        spent = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
        resource.setrlimit(resource.RLIMIT_CPU, (spent + SECONDS, spent + SECONDS))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        changed, path, usual = (
            mutated(mutant),
            str(PACKAGE / mutant.module),
            SourceFileLoader.get_code,
        )

        def get_code(self: Any, name: str) -> Any:
            return changed if self.path == path else usual(self, name)

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        import pytest

        chosen = [f"src/abovechance/{mutant.module}", *TESTED[mutant.module]]
        code = int(pytest.main(["-q", "-x", "--no-header", "-m", "not slow", *chosen]))
    finally:
        os._exit(code)


def loaded() -> None:
    """What all trials need and no mutant is in; children share it."""
    import matplotlib
    import mpmath  # noqa: F401
    import numpy  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.compute  # noqa: F401
    import pytest  # noqa: F401
    import scipy.optimize
    import scipy.special
    import scipy.stats  # noqa: F401
    import sklearn.metrics  # noqa: F401

    matplotlib.use("Agg")
    held = [name for name in sys.modules if name.partition(".")[0] == "abovechance"]
    assert held == [], "a module that is loaded cannot be changed"


def record(seed: int, fates: dict[Mutant, str]) -> None:
    """Write counts by module and the survivors, with what was said of them before."""
    known = json.loads(RUNS.read_text("utf-8")) if RUNS.exists() else {}
    notes = {one["mutant"]: one["note"] for one in known.get("survivors", ())}
    counts: dict[str, Counter[str]] = {}
    for mutant, what in fates.items():
        counts.setdefault(mutant.module, Counter())[what] += 1
    survivors = [
        {"mutant": str(m), "note": notes.get(str(m), "")} for m, w in fates.items() if w != "killed"
    ]
    found = {"seed": seed, "counts": counts, "survivors": survivors}
    RUNS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(page(found), "utf-8")


def page(found: dict[str, Any]) -> str:
    """Counts by module, then each survivor."""
    lines = ["| module | mutants | noticed | share |", "|---|---:|---:|---:|"]
    total: Counter[str] = Counter()
    for module, counts in [*sorted(found["counts"].items()), ("all", total)]:
        tried = sum(counts.values())
        lines.append(
            f"| {module} | {tried} | {counts.get('killed', 0)} | "
            f"{counts.get('killed', 0) / max(tried, 1):.0%} |"
        )
        if module != "all":
            total.update(counts)
    lines += ["", "| not noticed | what was done |", "|---|---|"]
    lines += [f"| {one['mutant'].replace('|', chr(92) + '|')} | {one['note']} |"
              for one in found["survivors"]]  # fmt: skip
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutant", type=int, help="this one only, its tests shown")
    parser.add_argument("--survivors", action="store_true", help="only those recorded before")
    parser.add_argument("--record", action="store_true", help="write the table")
    options = parser.parse_args()
    os.chdir(ROOT)
    mutants = drawn(options.mutants, options.seed)
    loaded()
    if options.mutant is not None:
        print(mutants[options.mutant])
        print(fate(mutants[options.mutant], show=True))
        return 0
    fates = {}
    before = json.loads(RUNS.read_text("utf-8")) if options.survivors else {}
    wanted = {one["mutant"] for one in before.get("survivors", ())}
    for number, mutant in enumerate(mutants):
        if options.survivors and str(mutant) not in wanted:
            fates[mutant] = "killed"
            continue
        fates[mutant] = fate(mutant)
        print(number, fates[mutant], mutant, flush=True)
        if options.record:
            record(options.seed, dict(fates))
    print(dict(Counter(fates.values())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
