"""Run the tests with other Pythons, dependencies and processors: `./run matrix [SETTING ...]`.

Every setting has an environment of its own below .matrix/, made when first needed: each Python that
this machine has with the locked requirements, the lowest versions that pyproject.toml states, the
newest there are, none of numba. Others differ in what the processor and its linear algebra may do.
A chosen set of tests is run in each, all of them with --all; --record writes the table that the
documentation shows. Exit code 1 when a test failed anywhere.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
PLACE = ROOT / ".matrix"
RUNS = Path(__file__).with_name("runs.json")
PAGE = Path(__file__).with_name("table.md")
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = ("plot", "cluster", "neuro", "app", "excel", "stats")
SHOWN = ("numpy", "scipy", "scikit-learn", "pyarrow", "narwhals", "numba")
# What leans on libraries and on the processor, in a minute; the rest is left to --all.
QUICK = [
    *("tests/test_outside_references.py", "tests/test_tabular.py", "tests/predictions"),
    *(f"tests/io/test_{name}.py" for name in ("arrow_files", "reading", "text_files", "workbooks")),
    *(f"tests/numerics/test_{name}.py" for name in ("exact", "ranks", "counts")),
    *("tests/resampling/test_draws.py", "tests/learning/test_from_sklearn.py"),
    *("tests/plots/test_svg.py", "tests/measures/test_extremes.py"),
]
# What holds of the project's files, not of an installation.
NOT_OF_IT = ("tests/test_repository.py", "tests/test_run.py", "tests/matrix", "tests/release")


@dataclass(frozen=True)
class Setting:
    """One row of the table: a Python, how requirements are chosen, what is taken away."""

    name: str
    title: str
    python: str
    resolution: str = "locked"
    without: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> Path:
        """Where it is installed; settings that differ in variables share it."""
        return PLACE / "-".join((self.python, self.resolution, *(f"no-{w}" for w in self.without)))

    @property
    def interpreter(self) -> str:
        return str(self.environment / "bin" / "python")


@cache
def pythons() -> dict[str, str]:
    """The supported Pythons of this machine by version: on the path, or kept by pyenv."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found: dict[str, str] = {}
    for version in SUPPORTED:
        on_path = shutil.which(f"python{version}")
        candidates = [*sorted(map(str, kept.glob(f"{version}.*/bin/python{version}"))), on_path]
        for candidate in filter(None, candidates):
            asked = [
                candidate,
                "-c",
                "import ensurepip, platform; print(platform.python_version())",
            ]
            done = subprocess.run(asked, capture_output=True, text=True)
            if done.returncode == 0 and done.stdout.startswith(f"{version}."):
                found[version] = candidate
    return found


def settings() -> list[Setting]:
    """Every setting that this machine can be asked for."""
    have = list(pythons())
    oldest, newest = have[0], have[-1]
    one, two = ({f"{lib}_NUM_THREADS": n for lib in ("OPENBLAS", "OMP")} for n in "12")
    return [
        *(Setting(f"python{v}", f"Python {v}, locked requirements", v) for v in have),
        Setting("lowest", "lowest stated versions", oldest, "lowest"),
        Setting("newest", "newest versions", newest, "newest"),
        Setting("no-numba", "without numba", oldest, without=("numba",)),
        Setting("no-avx512", "numpy without AVX-512", oldest, variables={"AVX512": "off"}),
        Setting("one-thread", "linear algebra on one thread", oldest, variables=one),
        Setting("two-threads", "linear algebra on two threads", oldest, variables=two),
    ]


# ----------------------------------------------------------------------------------------------
# Environments.
# ----------------------------------------------------------------------------------------------


def stamp_of(setting: Setting) -> str:
    """What an installation depends on."""
    lock = ROOT / "requirements-test.lock"
    parts = [ROOT / "pyproject.toml", *([lock] if setting.resolution == "locked" else [])]
    return "\n".join(part.read_text("utf-8") for part in parts)


def install(setting: Setting) -> None:
    """The environment of a setting, unless it stands as it would be made."""
    stamp = setting.environment / "installed"
    if stamp.exists() and stamp.read_text("utf-8") == stamp_of(setting):
        return
    print(f"{setting.name}: installing into .matrix/{setting.environment.name}", flush=True)
    setting.environment.parent.mkdir(exist_ok=True)
    base = pythons()[setting.python]
    subprocess.run(
        [base, "-m", "venv", "--clear", "--without-pip", setting.environment], check=True
    )
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    project = ["--requirements", "pyproject.toml", *extras, "--group", "test"]
    which = {
        "locked": ["--require-hashes", "--requirements", "requirements-test.lock"],
        "lowest": ["--resolution", "lowest-direct", *project],
        "newest": ["--upgrade", *project],
    }[setting.resolution]
    uv(setting, "install", "--no-build", "--compile-bytecode", *which)
    if setting.without:
        uv(setting, "uninstall", *setting.without)
    uv(setting, "install", "--no-deps", "--editable", ".")
    stamp.write_text(stamp_of(setting), "utf-8")


def uv(setting: Setting, *words: str) -> None:
    """What the installer is asked to do in the environment of a setting."""
    command = [sys.executable, "-m", "uv", "pip", words[0], "--quiet"]
    subprocess.run([*command, "--python", setting.interpreter, *words[1:]], cwd=ROOT, check=True)


def variables(setting: Setting) -> dict[str, str] | None:
    """What the tests of a setting find in their environment; None where it means nothing here."""
    threads = {f"{lib}_NUM_THREADS": "1" for lib in ("OPENBLAS", "OMP", "NUMBA")}
    stated = dict(setting.variables)
    if stated.pop("AVX512", None):
        ask = (
            "from numpy._core._multiarray_umath import __cpu_features__ as has, __cpu_dispatch__ as"
            " used; print(*(n for n in used if has.get(n) and n.startswith(('AVX512', 'X86_V4'))))"
        )
        done = subprocess.run([setting.interpreter, "-c", ask], capture_output=True, text=True)
        if not done.stdout.strip():
            return None
        stated["NPY_DISABLE_CPU_FEATURES"] = done.stdout.strip()
    return {**threads, **stated}


def versions(setting: Setting) -> dict[str, str]:
    """Versions of Python and of the libraries shown, as the environment has them."""
    ask = (
        "import json, platform; from importlib.metadata import PackageNotFoundError, version\n"
        "def of(name):\n    try: return version(name)\n    except PackageNotFoundError: return ''\n"
        f"found = {{n: of(n) for n in {SHOWN}}}\n"
        "print(json.dumps({'Python': platform.python_version(), **found}))"
    )
    done = subprocess.run([setting.interpreter, "-c", ask], capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


# ----------------------------------------------------------------------------------------------
# Tests, counted.
# ----------------------------------------------------------------------------------------------


def tested(setting: Setting, tests: list[str], which: str) -> dict[str, Any] | None:
    """The tests in one setting, counted; None where the setting means nothing on this machine."""
    install(setting)
    with_these = variables(setting)
    if with_these is None:
        print(f"{setting.name}: this machine has nothing to take away", flush=True)
        return None
    counted = setting.environment / f"{setting.name}.xml"
    counted.unlink(missing_ok=True)
    chosen = [f"--ignore={path}" for path in NOT_OF_IT] if which == "all" else tests
    command = [setting.interpreter, "-m", "pytest", "--quiet", "-m", "not slow", "--tb=short"]
    # an old matplotlib beside today's version of what it needs
    command += ["-o", "filterwarnings=error\nignore::DeprecationWarning:matplotlib"]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [*command, f"--junitxml={counted}", *chosen],
        cwd=ROOT,
        env={**os.environ, **with_these},
        capture_output=True,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    (setting.environment / f"{setting.name}.log").write_text(done.stdout + done.stderr, "utf-8")
    if not counted.exists():
        raise SystemExit(
            f"{setting.name}: pytest ended with {done.returncode}: {done.stdout[-2000:]}"
        )
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    outcome = counts(counted)
    print(
        f"{setting.name}: {outcome['passed']:,} passed, {outcome['failed']:,} failed, "
        f"{outcome['skipped']:,} skipped in {time.monotonic() - begun:.0f} s "
        f"({seconds:.0f} s of CPU)",
        flush=True,
    )
    for name in failures(counted):
        print(f"    {name}", flush=True)
    return {
        "setting": setting.name,
        "title": setting.title,
        "tests": which,
        **outcome,
        "versions": versions(setting),
    }


def counts(file: Path) -> dict[str, int]:
    """How many tests passed, failed and were skipped, by pytest's own account."""
    suites = list(ElementTree.parse(file).getroot().iter("testsuite"))
    tests, errors, failed, skipped = (
        sum(int(suite.get(key, 0)) for suite in suites)
        for key in ("tests", "errors", "failures", "skipped")
    )
    fell = errors + failed
    return {"passed": tests - fell - skipped, "failed": fell, "skipped": skipped}


def failures(file: Path) -> Iterator[str]:
    """Names of the tests that failed."""
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            yield f"{case.get('classname')}::{case.get('name')}"


def page(runs: list[dict[str, Any]]) -> str:
    """The table: a setting a row, with the versions it had."""
    lines = [f"| setting | tests | passed | failed | skipped | Python | {' | '.join(SHOWN)} |"]
    lines += ["|---|---|---:|---:|---:|---|" + "---|" * len(SHOWN)]
    for run in runs:
        has = run["versions"]
        cells = [run["title"], run["tests"]]
        cells += [f"{run[key]:,}" for key in ("passed", "failed", "skipped")]
        cells += [has["Python"], *(has[name] or "none" for name in SHOWN)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def record(run: dict[str, Any]) -> None:
    """Put a run in the place of the last one of its setting, and write the table anew."""
    runs = json.loads(RUNS.read_text("utf-8")) if RUNS.exists() else []
    at = {one["setting"]: place for place, one in enumerate(runs)}
    if run["setting"] in at:
        runs[at[run["setting"]]] = run
    else:
        runs.append(run)
    RUNS.write_text("[\n" + ",\n".join(json.dumps(one) for one in runs) + "\n]\n", "utf-8")
    PAGE.write_text(page(runs), "utf-8")


def main() -> int:
    known = {setting.name: setting for setting in settings()}
    parser = argparse.ArgumentParser(prog="./run matrix", description=__doc__)
    parser.add_argument("setting", metavar="SETTING", nargs="*", help=f"of {', '.join(known)}")
    parser.add_argument("--all", action="store_true", help="every test that is not slow")
    parser.add_argument("--tests", nargs="+", metavar="TEST", help="these instead of the usual set")
    parser.add_argument("--record", action="store_true", help="write the outcome into the table")
    options = parser.parse_args()
    if unknown := [name for name in options.setting if name not in known]:
        parser.error(f"SETTING must be one of {', '.join(known)}; got {unknown[0]}.")
    if missing := [version for version in SUPPORTED if version not in pythons()]:
        print(
            f"not on this machine ({platform.machine()}): Python {', '.join(missing)}", flush=True
        )
    failed = 0
    for name in options.setting or known:
        which = "all" if options.all else "some" if options.tests else "chosen"
        run = tested(known[name], options.tests or QUICK, which)
        failed += run["failed"] if run else 0
        if options.record and run:
            record(run)
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
