"""Change formulas in small ways, one at a time, and see whether a test notices.

    ./run python tests/mutation/run_mutation.py --minutes 20 --record

Mutants (`changes.py`) are drawn in an order of chance from numerics, measures and inference. The
tests of each are the cheapest of those that call the changed function, as a run that watches calls
saw it once; `--survivors` puts what survived them before every test of their files. Mutants are
written into a copy of the tree below .mutation/, whose bytecode is checked by content; where
compiled loops are changed nothing compiled before is used. Before anything is counted the copy must
pass unchanged and planted faults must be noticed. What was found is kept, and the next run goes on
from there.
`--mutant WORDS` shows the fate of those whose description has these words, with what was said;
`--record` writes the table that the documentation shows.
"""

import argparse
import compileall
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
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
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
TESTS = (
    "tests/numerics", "tests/measures", "tests/inference", "tests/test_outside_references.py",
    "tests/test_catalogue.py",
)  # fmt: skip
# CPU seconds of the tests of a function that are tried first, of those tried before it is called a
# survivor, and of a file that are watched; a mutant that takes many times as long runs in circles
NARROW, WIDE, WATCHED, PATIENCE = 6.0, 60.0, 4.0, 8.0
MEMORY = 12 * 2**30
WALL = 1500.0
# Faults that any test of their function must notice, and a change that none may.
PLANTED = {
    "measures/probability.py": ("return (outcome - probability) ** 2", "return outcome * 1.01"),
    "inference/proportions.py": (
        "middle, total = 2.0 * x + z**2",
        "middle, total = 2.1 * x + z**2",
    ),
    "numerics/ranks.py": ("return ratio((positives * below)", "return ratio((positives + below)"),
    "numerics/kernels/pair_loops.py": ("return ", "return 2 * "),
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


def compiles(module: str) -> bool:
    """Whether a module has loops that are compiled to machine code."""
    text = (PACKAGE / module).read_text("utf-8")
    return bool(
        re.search(r"^\s*@(kernels\.)?(compiled|compiled_sums|inlined)\b", text, re.MULTILINE)
    )


# ----------------------------------------------------------------------------------------------
# Tests in a process of their own.
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


def forked(work: Callable[[], None], *, seconds: float, output: Path) -> int | None:
    """How a process ends that does some work: its code, or None when time was up on the clock."""
    child = os.fork()
    if not child:
        code = 99
        try:
            os.setsid()
            said = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(said, 1)
            os.dup2(said, 2)
            spent = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime) + 1
            limit = spent + int(seconds)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.signal(signal.SIGXCPU, signal.SIG_DFL)
            work()
            code = 0
        except SystemExit as left:
            code = int(left.code or 0)
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    begun = time.monotonic()
    while time.monotonic() < begun + WALL:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


class Watching:
    """Notes which functions of the package each test calls, and what it costs."""

    def __init__(self, kept: Path) -> None:
        self.kept, self.calls = kept, set[Any]()
        self.tests: dict[str, Any] = {}
        self.begun, self.passed = 0.0, True
        self.collected, self.every = 0.0, list[Any]()

    def pytest_configure(self, config: Any) -> None:
        self.begun = time.process_time()

    def pytest_collection_finish(self, session: Any) -> None:
        self.collected, self.every = time.process_time() - self.begun, session.items
        sys.settrace(self._called)

    def _called(self, frame: Any, event: str, argument: Any) -> None:
        self.calls.add(frame.f_code)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.calls, self.passed, self.since = set(), True, time.process_time()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.passed = self.passed and report.passed

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        took, home = time.process_time() - self.since, str(PACKAGE) + "/"
        found = {
            f"{code.co_filename.removeprefix(home)}:{code.co_qualname.replace('.<locals>', '')}"
            for code in tuple(self.calls)
            if code.co_filename.startswith(home)
        }
        self.tests[nodeid] = [round(took, 4), self.passed, sorted(found)]

    def pytest_runtest_teardown(self, item: Any) -> None:
        if time.process_time() - self.begun > WATCHED:
            item.session.shouldstop = "the rest is not watched"

    def pytest_sessionfinish(self) -> None:
        sys.settrace(None)
        every = sorted({name for _, _, names in self.tests.values() for name in names})
        number = {name: place for place, name in enumerate(every)}
        tests = {k: [s, p, [number[n] for n in f]] for k, (s, p, f) in self.tests.items()}
        rest = [item.nodeid for item in self.every if item.nodeid not in tests]
        kept = {"collected": round(self.collected, 3), "functions": every, "tests": tests,
                "rest": rest}  # fmt: skip
        self.kept.write_text(json.dumps(kept), "utf-8")


class Chosen:
    """Runs chosen tests alone, in the order given, and notes the first that fails."""

    def __init__(self, tests: list[str], kept: Path) -> None:
        self.place = {name: at for at, name in enumerate(tests)}
        self.kept, self.failed, self.ran = kept, "", 0

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        out = [item for item in items if item.nodeid not in self.place]
        items[:] = [item for item in items if item.nodeid in self.place]
        # in order within their files, so that what a file sets up is set up once
        first: dict[str, int] = {}
        for item in items:
            at, file = self.place[item.nodeid], item.nodeid.partition("::")[0]
            first[file] = min(first.get(file, at), at)
        items.sort(key=lambda i: (first[i.nodeid.partition("::")[0]], self.place[i.nodeid]))
        if out:
            config.hook.pytest_deselected(items=out)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.ran += report.when == "call"
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (collecting)"

    def pytest_sessionfinish(self) -> None:
        self.kept.write_text(json.dumps({"failed": self.failed, "ran": self.ran}), "utf-8")


def pytest_in_copy(words: list[str], plugin: Any, compiled_in: Path) -> None:
    """Run tests in the copy; not to be called but in a process of its own."""
    import numba
    import pytest

    held = [name for name in sys.modules if name.partition(".")[0] == "abovechance"]
    assert held == [], "what is loaded cannot be changed"
    os.chdir(TREE)
    sys.dont_write_bytecode = True
    os.environ.update(
        PYTHONDONTWRITEBYTECODE="1",
        PYTHONPATH=str(TREE / "src"),
        NUMBA_CACHE_DIR=str(compiled_in),
    )
    numba.config.CACHE_DIR = str(compiled_in)
    sys.path[:0] = [str(TREE / "src")]
    code = pytest.main(
        ["-q", "-x", "--no-header", "-m", "not slow", "-p", "no:xdist", *words], plugins=[plugin]
    )
    import abovechance

    assert Path(abovechance.__file__).is_relative_to(TREE), abovechance.__file__
    raise SystemExit(int(code))


# ----------------------------------------------------------------------------------------------
# Which tests call what.
# ----------------------------------------------------------------------------------------------


def test_files() -> list[str]:
    """Files with tests that can notice a change: of the three folders, and over all of them."""
    return [
        path.relative_to(TREE).as_posix()
        for place in TESTS
        for path in (sorted((TREE / place).rglob("test_*.py")) or [TREE / place])
    ]


def likely(module: str) -> list[str]:
    """Those that bear the name of a module, and its own examples."""
    stem = Path(module).stem
    own = [f for f in test_files() if re.match(rf"test_{stem}(_\w+)?\.py", Path(f).name)]
    return [*own, f"src/abovechance/{module}"]


def watch(files: list[str]) -> bool:
    """Watch those test files that were not watched yet; whether there were any."""
    CALLS.mkdir(parents=True, exist_ok=True)
    new = False
    for file in files:
        kept = CALLS / (file.replace("/", "--") + ".json")
        if kept.exists():
            continue
        new = True
        plugin = Watching(kept)
        words = [file, "--maxfail=1000"]
        code = forked(
            lambda w=words, p=plugin: pytest_in_copy(w, p, PLACE / "numba"),  # type: ignore[misc]
            seconds=600, output=PLACE / "watched",
        )  # fmt: skip
        if code not in (0, 2, 5) or not kept.exists():
            print(f"{file} ends with {code}: " + (PLACE / "watched").read_text()[-600:], flush=True)
            if not kept.exists():
                kept.write_text('{"collected": 0, "functions": [], "tests": {}, "rest": []}')
        else:
            print("watched", file, flush=True)
    return new


@dataclass
class Watched:
    """What is known of all tests: their cost, their file's, what they call."""

    seconds: dict[str, float]
    collected: dict[str, float]
    callers: dict[str, list[str]]  # tests by function
    of_file: dict[str, list[str]]

    @classmethod
    def read(cls) -> "Watched":
        seconds, collected, of_file = dict[str, float](), dict[str, float](), dict[str, list[str]]()
        callers: dict[str, list[str]] = defaultdict(list)
        for path in sorted(CALLS.glob("*.json")):
            held = json.loads(path.read_text("utf-8"))
            there = {f: (TREE / f).exists() for f in map(file_of, held["tests"])}
            passed = {k: v for k, v in held["tests"].items() if v[1] and there[file_of(k)]}
            files = Counter(map(file_of, (*passed, *held["rest"])))
            collected |= dict.fromkeys(files, max(held["collected"], 0.5))
            for test in (*passed, *held["rest"]):
                of_file.setdefault(file_of(test), []).append(test)
            seconds |= dict.fromkeys(held["rest"], 1.0)  # not watched; it costs about that
            for name, (took, _, called) in passed.items():
                seconds[name] = took
                for number in called:
                    callers[held["functions"][number]].append(name)
        return cls(seconds, collected, callers, of_file)

    @cached_property
    def _sources(self) -> dict[str, str]:
        """Text of test files; one that was watched before may be gone."""
        return {f: (TREE / f).read_text("utf-8") for f in self.of_file if (TREE / f).exists()}

    def calling(self, mutant: Mutant) -> list[str]:
        """The tests that call the function of a mutant; outside of functions any of its module, of
        a compiled loop those that call what names its module."""
        tests = self.callers.get(f"{mutant.module}:{mutant.inside}", [])
        if tests:
            return tests
        stem = Path(mutant.module).stem
        if compiles(mutant.module):
            named = {m for m in modules(PACKAGE) if stem in (PACKAGE / m).read_text("utf-8")}
            direct = [t for f, text in self._sources.items() if stem in text
                      for t in self.of_file[f]]  # fmt: skip
        else:
            named, direct = {mutant.module}, []
        among = {
            t for name, ts in self.callers.items() if name.partition(":")[0] in named for t in ts
        }
        return list(dict.fromkeys([*direct, *sorted(among)]))

    def narrow(self, mutant: Mutant) -> list[str]:
        """Of these the cheapest, until a budget is spent."""
        tests = self.calling(mutant)
        among = Counter(map(file_of, tests))

        def cost(test: str) -> float:
            return self.seconds[test] + self.collected[file_of(test)] / among[file_of(test)]

        return self._within(sorted(tests, key=cost), NARROW)

    def wide(self, mutant: Mutant) -> list[str]:
        """All that call it, then everything else in their files."""
        tests = self.calling(mutant)
        files = dict.fromkeys(map(file_of, tests))
        others = [t for f in files for t in self.of_file[f]]
        ordered = [*sorted(tests, key=self.seconds.__getitem__),
                   *sorted(others, key=self.seconds.__getitem__)]  # fmt: skip
        return self._within(dict.fromkeys(ordered), WIDE)

    def _within(self, tests: Iterable[str], budget: float) -> list[str]:
        spent, files, found = 0.0, set[str](), list[str]()
        for test in tests:
            file = file_of(test)
            spent += self.seconds[test] + (file not in files) * self.collected[file]
            if found and spent > budget:
                break
            files.add(file)
            found.append(test)
        return found

    def cost(self, tests: list[str]) -> float:
        """CPU seconds, with what collecting takes."""
        files = set(map(file_of, tests))
        return sum(self.seconds[t] for t in tests) + sum(self.collected[f] for f in files)


def file_of(test: str) -> str:
    return test.partition("::")[0]


# ----------------------------------------------------------------------------------------------
# Trials.
# ----------------------------------------------------------------------------------------------


def tried(module: str, source: bytes, tests: list[str], allowed: float) -> dict[str, Any]:
    """What chosen tests say of a module with this source: killed, survived or undecided."""
    path = PACKAGE / module
    original, dates = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    loops = compiles(module)
    kept = PLACE / "trial.json"
    kept.unlink(missing_ok=True)
    fresh = tempfile.mkdtemp(prefix="numba-", dir=PLACE) if loops else ""
    plugin = Chosen(tests, kept)
    files = list(dict.fromkeys(map(file_of, tests)))
    try:
        path.write_bytes(source)
        code = forked(
            lambda: pytest_in_copy(files, plugin, Path(fresh or PLACE / "numba")),
            seconds=30 + PATIENCE * allowed + 150 * loops, output=PLACE / "output",
        )  # fmt: skip
    finally:
        path.write_bytes(original)
        os.utime(path, ns=dates)  # what was compiled of the original stays valid
        if fresh:
            shutil.rmtree(fresh)
    seen = json.loads(kept.read_text("utf-8")) if kept.exists() else {"failed": "", "ran": 0}
    if code is None:
        return {"fate": "undecided", "by": "the clock"}
    if code < 0:
        return {"fate": "killed", "by": f"signal {-code} ({signal.Signals(-code).name})"}
    if code in (1, 2) and seen["failed"]:
        return {"fate": "killed", "by": seen["failed"]}
    if code in (0, 5):
        return {"fate": "survived", "by": f"{seen['ran']} tests"}
    said = (PLACE / "output").read_text("utf-8", "replace")
    return {"fate": "killed", "by": f"pytest ended with {code}: {said.strip()[-160:]}"}


def fate(mutant: Mutant, watched: Watched, *, wide: bool) -> dict[str, Any]:
    """Whether the tests notice a mutant: those that call it, or else all tests of their files."""
    source = mutant.applied((PACKAGE / mutant.module).read_bytes())
    tests = watched.wide(mutant) if wide else watched.narrow(mutant)
    if not tests:
        return {"fate": "survived", "by": "no test calls it", "wide": wide}
    found = tried(mutant.module, source, tests, watched.cost(tests))
    return {**found, "wide": wide}


def check_the_tool(watched: Watched) -> None:
    """Planted faults are noticed, and the same places unchanged but for a remark are not.

    Once for each state of this file.
    """
    state, stamp = Path(__file__).read_text("utf-8"), PLACE / "checked"
    if stamp.exists() and stamp.read_text("utf-8") == state:
        return
    for module, (before, after) in PLANTED.items():
        source = (PACKAGE / module).read_text("utf-8")
        at = source.index(before)
        inside = [
            m for m in mutants_of(module, source.encode()) if m.start >= len(source[:at].encode())
        ]
        tests = watched.narrow(inside[0])
        neutral = source + "# unchanged but for this\n"
        for text, wanted in ((neutral, "survived"), (source.replace(before, after), "killed")):
            found = tried(module, text.encode(), tests, watched.cost(tests))
            if found["fate"] != wanted or not tests:
                said = (PLACE / "output").read_text("utf-8", "replace")[-3000:]
                raise SystemExit(f"{module}: a change that must be {wanted} is {found}\n{said}")
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
    folders = {m.key: m.folder for m in order}
    counts = {folder: Counter[str]() for folder in FOLDERS}
    survivors = []
    for key, found in fates.items():
        if key not in folders or found["fate"] == "undecided":
            continue
        survived = found["fate"] == "survived"
        same = survived and judged.get(key, "").startswith("equivalent")
        counts[folders[key]]["equivalent" if same else found["fate"]] += 1
        if survived:
            survivors.append({"mutant": key, "by": found["by"], "judged": judged.get(key, "")})
    held = {
        "seed": seed,
        "counts": counts,
        "survivors": sorted(survivors, key=lambda s: s["mutant"]),
    }
    RUNS.write_text(json.dumps(held, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(page(held), "utf-8")


def page(held: dict[str, Any]) -> str:
    """Counts by folder, then each survivor."""
    lines = ["| folder | mutants | noticed | not noticed | equivalent | noticed of the different |"]
    lines += ["|---|---:|---:|---:|---:|---:|"]
    total: Counter[str] = Counter()
    for folder, counts in [*held["counts"].items(), ("all", total)]:
        killed, survived, same = (counts.get(k, 0) for k in ("killed", "survived", "equivalent"))
        share = killed / max(killed + survived, 1)
        numbers = f"{killed + survived + same} | {killed} | {survived} | {same}"
        lines.append(f"| {folder} | {numbers} | {share:.1%} |")
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
    parser.add_argument(
        "--survivors", action="store_true", help="try survivors again, by all tests that could"
    )
    parser.add_argument("--record", action="store_true", help="write the table")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    PLACE.mkdir(exist_ok=True)
    copy_tree()
    loaded()
    order = drawn(PACKAGE, options.seed)
    fates = json.loads(FATES.read_text("utf-8")) if FATES.exists() else {}
    if options.mutant:
        watched = Watched.read()
        for mutant in order:
            if options.mutant in mutant.key:
                print(f"{mutant.line}: {mutant.key}\n{fate(mutant, watched, wide=False)}")
                print((PLACE / "output").read_text("utf-8", "replace")[-2500:])
        return 0
    watch([file for module in PLANTED for file in likely(module)])
    if options.survivors:
        watch(test_files())
        order = [m for m in order if fates.get(m.key, {}).get("fate") == "survived"]
    else:
        done = [m for m in order if fates.get(m.key, {}).get("fate") in ("killed", "survived")]
        order = [m for m in order[: options.mutants] if m not in set(done)]
    watched = Watched.read()
    check_the_tool(watched)
    for mutant in order:
        if time.monotonic() > until:
            break
        if watch([file for file in likely(mutant.module) if file not in watched.of_file]):
            watched = Watched.read()
        fates[mutant.key] = fate(mutant, watched, wide=options.survivors)
        print(len(fates), mutant.line, mutant.key, fates[mutant.key], flush=True)
        FATES.write_text(json.dumps(fates, indent=1, ensure_ascii=False), "utf-8")
    if options.record:
        record(options.seed, fates, drawn(PACKAGE, options.seed))
    print(Counter(found["fate"] for found in fates.values()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
