"""Change formulas in small ways, one at a time, and see whether a test notices.

    ./run python tests/mutation/run_mutation.py --minutes 20 --record

Mutants (`changes.py`) are drawn in an order of chance from numerics, measures and inference. All
tests are collected once, in a copy of the tree below .mutation/, and watched once: which lines each
executes, and what it costs. A trial is a fork of that process: the code of the changed function is
put into place, and the tests that execute the changed line run, the cheapest first, until one
fails. The same tests must then pass with the code as it was, or the trial does not count. Before
anything is counted planted faults must be noticed, and changes of nothing must not. What was found
is kept, and the next run goes on from there.
`--survivors` tries those again that survived, by more tests, and those that cannot be changed in
place: compiled loops in a process where nothing is compiled, where only a failed assertion counts,
and the others, with what still survives, written into the copy, in a process that has loaded
nothing of it before and compiles changed loops anew; with `--seconds S` only the survivors, in
place, by tests that cost so much. `--mutant WORDS` shows the fate of those whose description has
these words, with what was said, and keeps it where a survivor is noticed, with `--among TESTS` by
these tests alone; `--record` writes the table that the documentation shows.
"""

import argparse
import compileall
import gc
import json
import os
import py_compile
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib import import_module
from itertools import chain, zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[0] = str(HERE)
from changes import FOLDERS, Mutant, drawn, modules, mutants_of  # noqa: E402

PLACE = ROOT / ".mutation"
TREE, CALLS, FATES = PLACE / "tree", PLACE / "calls", PLACE / "fates.json"
PACKAGE = TREE / "src" / "abovechance"
JUDGED, RUNS, PAGE = (HERE / name for name in ("judged.json", "counts.json", "counts.md"))
# tried first, and those that only survivors are worth
TESTS = (
    *(f"src/abovechance/{folder}" for folder in FOLDERS), "tests/numerics", "tests/measures",
    "tests/inference", "tests/test_outside_references.py", "tests/test_catalogue.py", "tests/kept",
)  # fmt: skip
OTHERS = ("signal", "maps", "learning", "resampling", "predictions", "studies")
# CPU seconds of the tests of a line that are tried first, of those tried before it is called a
# survivor, of a file and of a test that are watched; a mutant that takes many times as long as its
# tests runs in circles
NARROW, WIDE, WATCHED, ONE, PATIENCE = 2.0, 20.0, 0.6, 0.5, 8.0
# watched for longer: tests that come to many formulas
LONGER = {"tests/test_outside_references.py": 4.0, "tests/kept/test_kept.py": 400.0}
MOST_NAMED = 12  # tests that were not watched and bear a function's name
FIRST_TRIED, MOST_NEAR = 8, 60  # tests seen to come there before those of the module's own file
STEPS = 3000  # of one function in one test, after which its lines are no longer watched
MEMORY = 12 * 2**30
WALL = 1500.0
COMPILED = re.compile(r"^\s*@(kernels\.)?(compiled|compiled_sums|inlined)\b", re.MULTILINE)
ASSERTED = ("AssertionError", "Failed", "MultipleDoctestFailures", "DocTestFailure")
# Faults that any test of their function must notice, and a change that none may.
PLANTED = {
    "measures/probability.py": ("return (outcome - probability) ** 2", "return outcome * 1.01"),
    "inference/proportions.py": (
        "middle, total = 2.0 * x + z**2",
        "middle, total = 2.1 * x + z**2",
    ),
    "numerics/ranks.py": ("return ratio((positives * below)", "return ratio((positives + below)"),
    "numerics/kernels/pair_loops.py": (
        "later += weight * seen",
        "later += weight * seen + weight",
    ),
}


# ----------------------------------------------------------------------------------------------
# The copy.
# ----------------------------------------------------------------------------------------------


def copy_tree() -> None:
    """Bring the copy up to date; its bytecode is valid for its source alone, whatever its date."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    wanted = {name for name in listed.stdout.decode().splitlines() if (ROOT / name).is_file()}
    for old in [p for p in TREE.rglob("*") if p.is_file() and "__pycache__" not in p.parts]:
        if old.relative_to(TREE).as_posix() not in wanted:
            old.unlink()
    for name in sorted(wanted):
        new, content = TREE / name, (ROOT / name).read_bytes()
        if not new.exists() or new.read_bytes() != content:
            new.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(content)
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(TREE, quiet=2, invalidation_mode=mode)


@cache
def compiles(module: str) -> bool:
    """Whether a module has loops that are compiled to machine code."""
    return bool(COMPILED.search((PACKAGE / module).read_text("utf-8")))


# ----------------------------------------------------------------------------------------------
# Processes of their own.
# ----------------------------------------------------------------------------------------------


def loaded() -> None:
    """What all trials need and no mutant is in; the processes of the trials share it."""
    import matplotlib
    import numba  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.compute  # noqa: F401
    import pytest  # noqa: F401
    import scipy.linalg
    import scipy.optimize
    import scipy.special
    import scipy.stats  # noqa: F401
    import sklearn.linear_model
    import sklearn.metrics  # noqa: F401

    matplotlib.use("Agg")


def child_of(work: Callable[[], None], *, seconds: float, output: Path) -> int:
    """A process that does some work and ends; what it says goes into a file."""
    child = os.fork()
    if child:
        return child
    code = 99
    try:
        os.setsid()
        said = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        spent = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime) + 1
        limit = spent + int(seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        work()
        code = 0
    except SystemExit as left:
        code = int(left.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def forked(work: Callable[[], None], *, seconds: float, output: Path) -> int | None:
    """How a process ends that does some work: its code, or None when time was up on the clock."""
    child = child_of(work, seconds=seconds, output=output)
    begun, pause = time.monotonic(), 0.002
    ended = status = 0
    while not ended and time.monotonic() < begun + WALL:
        ended, status = os.waitpid(child, os.WNOHANG)
        if not ended:
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # with processes that tests began and did not end
    if not ended:
        os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) if ended else None


class Collected:
    """Does some work with the tests that pytest collects, in place of running them all."""

    def __init__(self, work: Callable[[dict[str, Any]], None]) -> None:
        self.work = work

    def pytest_runtestloop(self, session: Any) -> bool:
        self.work({item.nodeid: item for item in session.items})
        return True

    def pytest_exception_interact(self, node: Any, call: Any) -> None:
        if FIRST.get("failed") is None:
            said = " ".join(str(call.excinfo.value).split())[:200]
            FIRST.update(failed=node.nodeid, kind=call.excinfo.typename, said=said)


FIRST: dict[str, Any] = {}  # of a process: the first test that failed, and how


def with_tests(files: list[str], work: Callable[[dict[str, Any]], None], numba_in: Path) -> None:
    """Collect tests in the copy and do some work with them; in a process of its own."""
    import numba
    import pytest

    held = [name for name in sys.modules if name.partition(".")[0] == "abovechance"]
    assert held == [], "what is loaded cannot be changed"
    os.chdir(TREE)
    sys.dont_write_bytecode = True
    os.environ.update(
        PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=str(TREE / "src"), NUMBA_CACHE_DIR=str(numba_in)
    )
    numba.config.CACHE_DIR = str(numba_in)
    sys.path[:0] = [str(TREE / "src")]
    code = pytest.main(
        ["-q", "--no-header", "-m", "not slow", "-p", "no:xdist", *files],
        plugins=[Collected(work)],
    )
    import abovechance

    assert Path(abovechance.__file__).is_relative_to(TREE), abovechance.__file__
    raise SystemExit(int(code))


def passed(items: list[Any], budget: float) -> int:
    """Run tests until one fails, or so many CPU seconds are spent; how many passed."""
    until = time.process_time() + budget
    for at, (item, following) in enumerate(zip_longest(items, items[1:])):
        if time.process_time() > until:
            return at
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if FIRST.get("failed"):
            return at
    return len(items)


def told(items: list[Any], budget: float = 1e9) -> None:
    """Run tests until one fails, and write down what happened."""
    FIRST.clear()
    ran = passed(items, budget)
    (PLACE / "trial.json").write_text(json.dumps({"ran": ran, **FIRST}), "utf-8")


def outcome(code: int | None) -> dict[str, Any]:
    """What a process found that ended in some way."""
    kept = PLACE / "trial.json"
    seen = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    kept.unlink(missing_ok=True)
    if code is None:
        return {"fate": "undecided", "by": "the clock"}
    if code < 0:
        name = signal.Signals(-code).name
        return {"fate": "killed", "by": name, "kind": "runs on" if name == "SIGXCPU" else name}
    if seen.get("failed"):
        return {"fate": "killed", "by": seen["failed"], "kind": seen["kind"], "said": seen["said"],
                "ran": seen["ran"]}  # fmt: skip
    if seen:
        return {"fate": "survived", "by": f"{seen['ran']} tests"}
    said = (PLACE / "output").read_text("utf-8", "replace").strip()[-300:]
    return {"fate": "killed", "by": f"pytest ended with {code}", "kind": "not loaded", "said": said}


# ----------------------------------------------------------------------------------------------
# A process that has collected everything, and forks for each trial.
# ----------------------------------------------------------------------------------------------


def pairs_of(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """Functions that two versions of a module differ in; None where more than functions differ."""
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    if [c.co_qualname for c in inner[0]] != [c.co_qualname for c in inner[1]]:
        return None
    found = []
    for one, other in zip(*inner, strict=True):
        if not one.co_flags & 1:  # the body of a class
            own = [
                (c.co_code, c.co_names, [k for k in c.co_consts if not isinstance(k, CodeType)])
                for c in (one, other)
            ]
            below = pairs_of(one, other)
            if own[0] != own[1] or below is None:
                return None
            found += below
        elif one != other:
            found += [(one, other), *(pairs_of(one, other) or [])]
    return found


def put_in_place(mutant: Mutant, functions: dict[tuple[str, str, int], list[Any]]) -> bool:
    """Give the functions that a mutant changes their new code; whether that can be done."""
    path = str(PACKAGE / mutant.module)
    source = Path(path).read_bytes()
    pairs = pairs_of(*(compile(s, path, "exec") for s in (source, mutant.applied(source))))
    done = False
    for old, new in pairs or []:
        for function in functions.get((path, old.co_qualname, old.co_firstlineno), []):
            try:
                function.__code__ = new
            except ValueError:  # another number of names from outside
                return False
            done = True
    return done


class Watch:
    """Notes which lines of the package each test executes, counted from their function's first."""

    def __init__(self) -> None:
        self.home = str(PACKAGE) + "/"
        self.steps: Counter[CodeType] = Counter()
        self.lines: set[tuple[CodeType, int]] = set()

    def called(self, frame: Any, event: str, argument: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(self.home):
            return None
        self.lines.add((code, frame.f_lineno))
        return self.stepped if self.steps[code] < STEPS else None

    def stepped(self, frame: Any, event: str, argument: Any) -> Any:
        code = frame.f_code
        self.lines.add((code, frame.f_lineno))
        self.steps[code] += 1
        return self.stepped if self.steps[code] < STEPS else None

    def found(self) -> set[str]:
        """Functions with their lines, as `places` names them; then afresh."""
        found = {
            f"{code.co_filename.removeprefix(self.home)}:"
            f"{code.co_qualname.replace('.<locals>', '')}+{line - code.co_firstlineno}"
            for code, line in self.lines
        }
        self.lines, self.steps = set(), Counter()
        return found


class TooLong(BaseException):
    """A test that is watched has had its time."""


def by_turns(items: list[Any]) -> list[Any]:
    """One of each test function, then the next of each."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for item in items:
        groups[item.nodeid.partition("[")[0]].append(item)
    return [one for row in zip_longest(*groups.values()) for one in row if one is not None]


def watched(items: list[Any], kept: Path) -> None:
    """What tests execute, each no longer than `ONE` and all no longer than `WATCHED`."""

    def late(*_: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGVTALRM, late)
    seen, tests, begun = Watch(), {}, time.process_time()
    ordered = by_turns(items)
    for item, following in zip_longest(ordered, ordered[1:]):
        if time.process_time() - begun > LONGER.get(file_of(item.nodeid), WATCHED):
            break
        FIRST.clear()
        since = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGER.get(file_of(item.nodeid), ONE))
        sys.settrace(seen.called)
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        except TooLong:
            FIRST["failed"] = "too long"
        finally:
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        took = time.process_time() - since
        tests[item.nodeid] = [round(took, 4), not FIRST.get("failed"), sorted(seen.found())]
    every = sorted({name for _, _, names in tests.values() for name in names})
    number = {name: place for place, name in enumerate(every)}
    held = {
        "functions": every,
        "tests": {k: [s, p, [number[n] for n in f]] for k, (s, p, f) in tests.items()},
    }
    kept.write_text(json.dumps(held), "utf-8")


def uncompiled() -> None:
    """Let nothing be compiled from here on, and numpy do what registers of four numbers would.

    What lies outside of an array is zero here, where compiled loops may find anything.
    """
    import numba
    import numba.extending
    import numpy as np

    def inside(array: Any, offset: float) -> tuple[slice, slice]:
        at = int(offset)
        first, last = (min(max(place, 0), len(array)) for place in (at, at + 4))
        return slice(first, last), slice(first - at, last - at)

    def load(array: Any, offset: float) -> Any:
        found, (here, there) = np.zeros(4), inside(array, offset)
        found[there] = array[here]
        return found

    def store(array: Any, offset: float, value: Any) -> None:
        here, there = inside(array, offset)
        array[here] = value[there]

    of_four = {
        "load": load,
        "store": store,
        "spread": lambda number: np.full(4, number),
        "plus": lambda a, b, c: a * b + c,
        "minus": lambda a, b, c: c - a * b,
        "root": np.sqrt,
        "larger": np.fmax,
        "smaller": np.fmin,
        "choose": lambda on, a, b: np.where(on > 0, a, b),
    }
    numba.config.DISABLE_JIT = 1
    numba.extending.intrinsic = lambda function: of_four.get(function.__name__, function)
    np.seterr(all="ignore")  # compiled loops do not warn


class Server:
    """A process with all tests collected that answers requests, each in a fork of its own."""

    def __init__(self, files: list[str], *, jit: bool) -> None:
        asked, answered = os.pipe(), os.pipe()
        self.child = os.fork()
        if not self.child:
            os.close(asked[1])
            os.close(answered[0])
            self.requests, self.answers = os.fdopen(asked[0]), os.fdopen(answered[1], "w")
            code = 99
            try:
                said = os.open(PLACE / f"server{jit:d}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(said, 1)
                os.dup2(said, 2)
                if not jit:
                    uncompiled()
                work = self._serve if jit else self._serve_loops
                with_tests(files, work, PLACE / "numba")
            except SystemExit as left:
                code = int(left.code or 0)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(asked[0])
        os.close(answered[1])
        self.requests, self.answers = os.fdopen(asked[1], "w"), os.fdopen(answered[0])
        self.tests: set[str] = set(self._answer()["tests"])
        self.fine: set[str] = set()  # that pass where nothing is changed

    def _answer(self) -> Any:
        line = self.answers.readline()
        if not line:
            raise SystemExit("the process that holds the tests has ended; see .mutation/server*")
        return json.loads(line)

    def ask(self, **request: Any) -> Any:
        print(json.dumps(request), file=self.requests, flush=True)
        return self._answer()

    # ------------------------------------------------------------------ in that process

    def _serve_loops(self, items: dict[str, Any]) -> None:
        """Serve with all loops loaded, which tests would only load while they run."""
        for module in filter(compiles, modules(PACKAGE)):
            import_module(f"abovechance.{module.removesuffix('.py').replace('/', '.')}")
        self._serve(items)

    def _serve(self, items: dict[str, Any]) -> None:
        functions: dict[tuple[str, str, int], list[Any]] = defaultdict(list)
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                code = one.__code__
                functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(one)
        gc.collect()
        gc.freeze()
        print(json.dumps({"tests": list(items)}), file=self.answers, flush=True)
        for line in self.requests:
            request = json.loads(line)
            chosen = [items[name] for name in request["tests"]]
            if "kept" in request:
                code = forked(lambda c=chosen, r=request: watched(c, Path(r["kept"])),  # type: ignore[misc]
                              seconds=WALL, output=PLACE / "output")  # fmt: skip
                answer: Any = {"code": code}
            else:
                answer = self._tried(request, chosen, functions)
            print(json.dumps(answer), file=self.answers, flush=True)

    def _tried(self, request: Any, chosen: list[Any], functions: Any) -> dict[str, Any]:
        mutant = Mutant(**request["mutant"]) if request["mutant"] else None

        def work() -> None:
            if mutant and not put_in_place(mutant, functions):
                raise SystemExit(77)
            told(chosen, request.get("budget", 1e9))

        code = forked(work, seconds=request["seconds"], output=PLACE / "output")
        if code == 77:
            return {"fate": "not in place"}
        return outcome(code)


# ----------------------------------------------------------------------------------------------
# Which tests execute what.
# ----------------------------------------------------------------------------------------------


def test_files(*, wide: bool) -> list[str]:
    """Files with tests that can notice a change, doctests among them."""
    places = [*TESTS, *(f"tests/{name}" for name in OTHERS if wide)]
    return [
        path.relative_to(TREE).as_posix()
        for place in places
        for path in (
            [TREE / place]
            if place.endswith(".py")
            else sorted((TREE / place).rglob("*.py" if place.startswith("src") else "test_*.py"))
        )
    ]


def files_of_loops() -> list[str]:
    """Files with tests of compiled loops: that name their modules or the numerics that use them."""
    loops = {Path(m).stem for m in modules(PACKAGE) if compiles(m)}
    words = re.compile(rf"\b({'|'.join(sorted(loops))})\b")
    users = {
        Path(m).stem for m in modules(PACKAGE)
        if m.startswith("numerics/") and words.search((PACKAGE / m).read_text("utf-8"))
    }  # fmt: skip
    return [
        file for file in test_files(wide=True)
        if file.startswith("tests/")
        and (words.search((TREE / file).read_text("utf-8"))
             or re.match(rf"test_({'|'.join(sorted(users))})(_\w+)?\.py", Path(file).name))
    ]  # fmt: skip


def file_of(test: str) -> str:
    return test.partition("::")[0]


def by_file(tests: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for test in sorted(tests):
        found[file_of(test)].append(test)
    return found


def watch(server: Server, files: Iterable[str], *, jit: bool) -> None:
    """Watch the tests of files that were not watched before.

    What is known of a file only says which tests are tried first, and may be old: tests that it
    does not name come after the others.
    """
    CALLS.mkdir(parents=True, exist_ok=True)
    tests = by_file(server.tests)
    for file in files:
        kept = notes(file, jit=jit)
        if kept.exists() or file not in tests:
            continue
        code = server.ask(tests=tests[file], kept=str(kept))["code"]
        print("watched", file, "" if jit else "uncompiled", code, flush=True)
        if not kept.exists():
            kept.write_text('{"functions": [], "tests": {}}')


def notes(file: str, *, jit: bool) -> Path:
    """Where it is written what the tests of a file execute."""
    return CALLS / f"{file.replace('/', '--')}{'' if jit else '.plain'}.json"


@cache
def speaks_of(file: str, mutant: Mutant) -> bool:
    """Whether a file bears the name of a mutant's module, or mentions its function."""
    name = mutant.inside.rpartition(".")[2]
    return is_named_after(file, mutant) or bool(
        name and re.search(rf"\b{name}\b", (TREE / file).read_text("utf-8"))
    )


def is_named_after(file: str, mutant: Mutant) -> bool:
    """Whether a file bears the name of a mutant's module."""
    stem = Path(mutant.module).stem
    return bool(re.match(rf"(test_)?{stem}(_\w+)?\.py", Path(file).name))


@dataclass
class Watched:
    """What is known of all tests: what they cost, and what they execute."""

    seconds: dict[str, float]
    callers: dict[str, dict[str, list[str]]]  # tests by function and line
    rest: dict[str, list[str]]  # those of a file that were not watched

    @classmethod
    def read(cls, server: Server, *, jit: bool) -> "Watched":
        seconds, rest = dict[str, float](), dict[str, list[str]]()
        callers: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for file, tests in by_file(server.tests).items():
            held = json.loads(notes(file, jit=jit).read_text("utf-8"))
            rest[file] = [name for name in tests if name not in held["tests"]]
            # a test that was watched for too long may well notice what it had come to by then
            held["tests"] = {k: [s, p or s >= ONE, f] for k, (s, p, f) in held["tests"].items()}
            costs = [took for took, fine, _ in held["tests"].values() if fine]
            guessed = sum(costs) / len(costs) if costs else 0.3
            seconds |= dict.fromkeys(rest[file], guessed)
            for name, (took, fine, executed) in held["tests"].items():
                if not fine or name not in server.tests:
                    continue
                seconds[name] = took
                for number in executed:
                    function, _, line = held["functions"][number].rpartition("+")
                    callers[function][line].append(name)
        return cls(seconds, callers, rest)

    def choose(self, mutant: Mutant, budget: float, *, wide: bool = False) -> list[str]:
        """Tests that execute the line of a mutant, or call its function, or any of its module: the
        cheapest of each test function in turn, those of files that speak of the mutant as if they
        cost a quarter. After the first of them those not watched of files with the module's name;
        after all those not watched whose function was seen to come there, that bear the name of
        the mutant's, of files that speak of it, of a wide choice of all files of the others."""
        lines = self.callers.get(f"{mutant.module}:{mutant.inside}", {})
        tests = self._by_turns(lines.get(str(mutant.line - first_line(mutant)), []), mutant)
        tests += self._by_turns(chain.from_iterable(lines.values()), mutant)
        if not tests:
            tests = self._by_turns(
                (t for name, of in self.callers.items() if name.partition(":")[0] == mutant.module
                 for t in chain.from_iterable(of.values())), mutant,
            )  # fmt: skip
        near = [t for f, of in self.rest.items() if is_named_after(f, mutant) for t in of]
        tests[FIRST_TRIED:FIRST_TRIED] = self._by_turns(near, mutant)[:MOST_NEAR]
        files = [f for f in self.rest if speaks_of(f, mutant)]
        files += [*map(file_of, tests), *self.rest] if wide else []
        groups: dict[str, list[str]] = defaultdict(list)
        for test in chain.from_iterable(self.rest[f] for f in dict.fromkeys(files)):
            groups[test.partition("[")[0]].append(test)
        turns = [t for row in zip_longest(*groups.values()) for t in row if t is not None]
        name = mutant.inside.rpartition(".")[2]
        named = [t for of in self.rest.values() for t in of if name and name in t]
        there = {t.partition("[")[0] for t in tests}
        alike = [t for of in self.rest.values() for t in of if t.partition("[")[0] in there]
        tests += self._by_turns(alike, mutant)
        tests += [*self._by_turns(named, mutant)[:MOST_NAMED], *turns]
        spent, found = 0.0, dict[str, None]()
        for test in tests:
            if test not in found:
                spent += self.seconds[test]
                if found and spent > budget:
                    break
                found[test] = None
        return list(found)

    def _by_turns(self, tests: Iterable[str], mutant: Mutant) -> list[str]:
        def worth(test: str) -> tuple[float, str]:
            return self.seconds[test] * (0.25 if speaks_of(file_of(test), mutant) else 1.0), test

        groups: dict[str, list[str]] = defaultdict(list)
        for test in sorted(set(tests), key=worth):
            groups[test.partition("[")[0]].append(test)
        rows = zip_longest(*groups.values())
        return [t for row in rows for t in sorted(filter(None, row), key=worth)]

    def cost(self, tests: list[str]) -> float:
        return sum(self.seconds[t] for t in tests)


@cache
def _firsts(module: str) -> dict[str, list[int]]:
    """First lines of the functions of a module, with their decorators."""
    found: dict[str, list[int]] = defaultdict(list)
    waiting = [compile((PACKAGE / module).read_bytes(), module, "exec")]
    while waiting:
        code = waiting.pop()
        found[code.co_qualname.replace(".<locals>", "")].append(code.co_firstlineno)
        waiting += [c for c in code.co_consts if isinstance(c, CodeType)]
    return found


def first_line(mutant: Mutant) -> int:
    """The first line of the function that a mutant is in."""
    before = [at for at in _firsts(mutant.module).get(mutant.inside, []) if at <= mutant.line]
    return max(before, default=1)


# ----------------------------------------------------------------------------------------------
# Trials.
# ----------------------------------------------------------------------------------------------


class Trials:
    """Fates of mutants, by the cheapest trial that decides."""

    def __init__(self, files: list[str], seconds: float = NARROW) -> None:
        self.seconds = seconds
        self.plain = Server(files, jit=True)
        watch(self.plain, files, jit=True)
        self.known = Watched.read(self.plain, jit=True)

    @cached_property
    def uncompiled(self) -> tuple[Server, Watched]:
        files = files_of_loops()
        server = Server(files, jit=False)
        watch(server, files, jit=False)
        return server, Watched.read(server, jit=False)

    def fate(self, mutant: Mutant, *, wide: bool) -> dict[str, Any]:
        """In place by the cheapest tests; where wide by more of them, then from its file."""
        loops = compiles(mutant.module)
        if not wide and (loops or not mutant.inside):
            return {"fate": "later", "by": "not to be changed in place"}
        server, known = self.uncompiled if loops else (self.plain, self.known)
        tests = known.choose(mutant, WIDE if wide else self.seconds, wide=wide)
        if tests and mutant.inside:
            found = self._in_place(server, known, mutant, tests)
            noticed = found["fate"] == "killed"
            if noticed and (not loops or found["kind"] == "AssertionError"):
                return found
            if found["fate"] == "undecided" or not wide:
                return found | {"fate": found["fate"].replace("not in place", "later")}
        tests = self.known.choose(mutant, NARROW + 5) or (tests if loops else [])
        if not tests:
            return {"fate": "survived", "by": "no test calls it"}
        source = mutant.applied((PACKAGE / mutant.module).read_bytes())
        found = tried_anew(mutant.module, source, tests, self.known.cost(tests))
        return found | {"by": f"{found['by']}, from its file"}

    def _in_place(
        self, server: Server, known: Watched, mutant: Mutant, tests: list[str]
    ) -> dict[str, Any]:
        """Tests of a mutant that is put in place; what notices it must pass without it."""
        seconds = 10 + PATIENCE * known.cost(tests)
        while True:
            found = server.ask(
                mutant=asdict(mutant), tests=tests, seconds=seconds, budget=1.5 * known.cost(tests)
            )
            if found["fate"] != "killed" or "ran" not in found:
                return dict(found)
            one = tests[found["ran"]]
            if one not in server.fine:
                again = server.ask(mutant=None, tests=[one], seconds=seconds)
                if again["fate"] != "survived":
                    tests = [t for t in tests if t != one]
                    continue
                server.fine.add(one)
            return dict(found)


def tried_anew(module: str, source: bytes, tests: list[str], allowed: float) -> dict[str, Any]:
    """What tests say of a module with this source, in a process that loads it from its file."""
    path = PACKAGE / module
    original, dates = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    loops = compiles(module)
    numba_in = Path(tempfile.mkdtemp(prefix="numba-", dir=PLACE)) if loops else PLACE / "numba"

    def work(items: dict[str, Any]) -> None:
        told([items[name] for name in tests])

    files = list(dict.fromkeys(map(file_of, tests)))
    (PLACE / "trial.json").unlink(missing_ok=True)
    try:
        path.write_bytes(source)
        if loops:
            other_loops(Path(module).stem, numba_in)
        code = forked(
            lambda: with_tests(files, work, numba_in),
            seconds=60 + PATIENCE * allowed + 150 * loops, output=PLACE / "output",
        )  # fmt: skip
    finally:
        path.write_bytes(original)
        os.utime(path, ns=dates)  # what was compiled of the original stays valid
        if loops:
            shutil.rmtree(numba_in)
    return outcome(code)


def other_loops(stem: str, numba_in: Path) -> None:
    """Copy the machine code of loops that have no part in a module."""
    users = {
        Path(m).stem for m in modules(PACKAGE)
        if compiles(m) and re.search(rf"\b{stem}\b", (PACKAGE / m).read_text("utf-8"))
    } | {stem}  # fmt: skip
    for path in (PLACE / "numba").rglob("*.nb*"):
        if path.name.partition(".")[0] not in users:
            new = numba_in / path.relative_to(PLACE / "numba")
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, new)


def check_the_tool(trials: Trials, *, wide: bool) -> None:
    """Planted faults are noticed, and where nothing is changed nothing is.

    Once for each state of this file: in place, and where wide in loops and from the file too.
    """
    state, stamp = Path(__file__).read_text("utf-8"), PLACE / f"checked{wide:d}"
    if stamp.exists() and stamp.read_text("utf-8") == state:
        return
    for module, (before, after) in PLANTED.items():
        text = (PACKAGE / module).read_text("utf-8")
        source = text.encode()
        start = len(text[: text.index(before)].encode())
        inside = next(m for m in mutants_of(module, source) if m.start >= start)
        planted, nothing = (
            Mutant(**(asdict(inside) | {"start": start, "stop": start + len(before.encode()),
                                        "before": before, "after": new}))
            for new in (after, before)
        )  # fmt: skip
        if compiles(module) and not wide:
            continue
        found = trials.fate(planted, wide=wide)
        if found["fate"] != "killed" or "from its file" in found["by"]:
            raise SystemExit(f"{module}: what must be noticed in place is {found}")
        same = trials.plain.ask(
            mutant=None, tests=trials.known.choose(planted, NARROW), seconds=60 + PATIENCE * NARROW
        )
        if same["fate"] != "survived":
            raise SystemExit(f"{module}: unchanged it is {same}")
        tests = trials.known.choose(planted, NARROW + 5)
        for mutant, wanted in ((planted, "killed"), (nothing, "survived")) if wide else ():
            new = tried_anew(module, mutant.applied(source), tests, trials.known.cost(tests))
            if new["fate"] != wanted or not tests:
                said = (PLACE / "output").read_text("utf-8", "replace")[-3000:]
                raise SystemExit(f"{module}: a change that must be {wanted} is {new}\n{said}")
        print("planted and noticed:", module, flush=True)
    stamp.write_text(state, "utf-8")


# ----------------------------------------------------------------------------------------------
# What is counted.
# ----------------------------------------------------------------------------------------------


def record(seed: int, fates: dict[str, Any], order: list[Mutant]) -> None:
    """Counts by folder, and every survivor with what was found when it was looked at.

    `judged.json` says of survivors that nothing could notice why that is so.
    """
    judged = json.loads(JUDGED.read_text("utf-8")) if JUDGED.exists() else {}
    counts = {folder: Counter[str]() for folder in FOLDERS}
    survivors = []
    for mutant in order:
        found = fates.get(mutant.key)
        if found is None:
            continue
        fate = found["fate"]
        if fate == "survived":
            why = judged.get(mutant.key, "")
            survivors.append({"mutant": mutant.key, "by": found["by"], "judged": why})
            fate = "equivalent" if why.startswith("equivalent") else fate
        counts[mutant.folder][fate] += 1
        counts[mutant.folder]["asserted"] += found.get("kind") in ASSERTED
        counts[mutant.folder]["at first"] += fate == "killed" and "first" not in found
    kept = ("fate", "by", "kind", "first")
    held = {
        "seed": seed,
        "places": len(order),
        "counts": counts,
        "survivors": sorted(survivors, key=lambda s: s["mutant"]),
        "fates": {k: {name: f[name] for name in kept if name in f} for k, f in fates.items()},
    }
    RUNS.write_text(json.dumps(held, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(page(held), "utf-8")


def page(held: dict[str, Any]) -> str:
    """Counts by folder, then each survivor."""
    lines = [
        "| folder | mutants | not decided | equivalent | noticed at first | noticed now | "
        "not noticed | noticed of the different |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    total: Counter[str] = Counter()
    for folder, counts in [*held["counts"].items(), ("all", total)]:
        killed, survived, same, first = (
            counts.get(k, 0) for k in ("killed", "survived", "equivalent", "at first")
        )
        share = f"{killed / (killed + survived):.1%}" if killed + survived else "–"
        later = counts.get("later", 0) + counts.get("undecided", 0)
        every = killed + survived + same + later
        numbers = f"{every} | {later} | {same} | {first} | {killed} | {survived}"
        lines.append(f"| {folder} | {numbers} | {share} |")
        if folder != "all":
            total.update(counts)
    lines += ["", "| not noticed | what was found |", "|---|---|"]
    for one in held["survivors"]:
        cells = (" ".join(one[name].split()).replace("|", "\\|") for name in ("mutant", "judged"))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--minutes", type=float, default=20.0, help="after which no mutant is begun"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the order of chance")
    parser.add_argument(
        "--mutants", type=int, default=10**9, help="no more in all, with those before"
    )
    parser.add_argument("--mutant", help="show those whose description has these words")
    parser.add_argument("--among", nargs="+", help="only these tests or files of tests")
    parser.add_argument("--survivors", action="store_true", help="try survivors again")
    parser.add_argument(
        "--seconds", type=float, help="what the tests of one mutant may cost, all in place"
    )
    parser.add_argument(
        "--as-it-was", action="store_true", help="by the tests of the run before, and by no newer"
    )
    parser.add_argument("--record", action="store_true", help="write the table")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    PLACE.mkdir(exist_ok=True)
    if not options.as_it_was:
        copy_tree()
    everything = order = drawn(PACKAGE, options.seed)
    fates = json.loads(RUNS.read_text("utf-8"))["fates"]
    fates |= json.loads(FATES.read_text("utf-8")) if FATES.exists() else {}
    judged = json.loads(JUDGED.read_text("utf-8")) if JUDGED.exists() else {}
    if options.mutant:
        order = [m for m in order if options.mutant in m.key]
    elif options.survivors:
        again = ("survived",) if options.seconds else ("survived", "later")
        order = [m for m in order if fates.get(m.key, {}).get("fate") in again
                 and not judged.get(m.key, "").startswith("equivalent")]  # fmt: skip
    else:
        done = {k for k, found in fates.items() if found["fate"] != "undecided"}
        order = [m for m in order[: options.mutants] if m.key not in done]
    if options.minutes > 0 and order:
        loaded()
        wide = options.survivors and not options.seconds
        trials = Trials(
            options.among or test_files(wide=wide),
            options.seconds or NARROW,
        )
        if not options.mutant:
            check_the_tool(trials, wide=wide)
        for mutant in order:
            if time.monotonic() > until:
                break
            begun = os.times()
            found = trials.fate(mutant, wide=wide or bool(options.among))
            ended = os.times()
            took = ended.elapsed - begun.elapsed
            print(f"{len(fates)} {took:.1f} s {mutant.line}: {mutant.key} {found}", flush=True)
            before = fates.get(mutant.key, {"fate": "new"})
            if options.mutant:
                print((PLACE / "output").read_text("utf-8", "replace")[-2500:])
                if (before["fate"], found["fate"]) != ("survived", "killed"):
                    continue
            noticed = before["fate"] == "survived" and found["fate"] == "killed"
            if "first" in before or (noticed and not options.as_it_was):
                found["first"] = "survived"
            fates[mutant.key] = found
            FATES.write_text(json.dumps(fates, indent=1, ensure_ascii=False), "utf-8")
    if options.record:
        record(options.seed, fates, everything)
    print(Counter(found["fate"] for found in fates.values()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
