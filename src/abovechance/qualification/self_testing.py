"""Every check run on this machine: what was found beside what should be, as a result and a page."""

import hashlib
import json
import math
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from math import sqrt
from typing import Any

import numpy as np
from markupsafe import Markup

import abovechance
from abovechance import __version__
from abovechance.arrays import Array
from abovechance.format import number, thousands
from abovechance.inference import assess
from abovechance.io.export import jsonable
from abovechance.predictions import Binary
from abovechance.reports.reporting import Report
from abovechance.reports.story import Document, Remark, Tile
from abovechance.resampling import random_bits
from abovechance.tabular import Block, Cell, Note, Table, tabulate

# ----------------------------------------------------------------------------------------------
# One comparison of what was found with what should be, and all of them together.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Check:
    """What should be, what was found, how far apart they may be, and who says so."""

    group: str
    name: str
    expected: float | str
    found: float | str
    tolerance: float
    source: str
    passed: bool
    said: str = ""

    @property
    def deviation(self) -> float:
        """How far apart, in units of what is allowed; nan where that means nothing."""
        if isinstance(self.expected, str) or isinstance(self.found, str) or not self.tolerance:
            return math.nan
        return abs(self.found - self.expected) / self.tolerance


@dataclass(frozen=True, kw_only=True)
class SelfTest:
    """All checks of one run, when and on what they were made."""

    date: str
    seconds: float
    machine: dict[str, str]
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def verdict(self) -> str:
        """The outcome in a line."""
        failed = sum(not check.passed for check in self.checks)
        many = f"{thousands(len(self.checks))} checks"
        return f"Passed: all {many}" if not failed else f"Failed: {failed} of {many}"

    def groups(self) -> list[tuple[str, Sequence[Check]]]:
        """The checks under their headings, in order."""
        found: dict[str, list[Check]] = {}
        for check in self.checks:
            found.setdefault(check.group, []).append(check)
        return list(found.items())

    def to_dict(self) -> dict[str, Any]:
        """Everything, fit for JSON."""
        facts = jsonable(
            {
                "abovechance": __version__,
                "kind": "selftest",
                "passed": self.passed,
                "date": self.date,
                "seconds": self.seconds,
                "machine": self.machine,
                "checks": [asdict(check) for check in self.checks],
            }
        )
        assert isinstance(facts, dict)
        return facts

    def to_json(self) -> str:
        """Everything as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


# ----------------------------------------------------------------------------------------------
# Run every check on this machine, and say on what machine that was.
# ----------------------------------------------------------------------------------------------


LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow", "narwhals", "matplotlib")


def selftest(*, workers: bool = True, tell: Callable[[int, int], None] | None = None) -> SelfTest:
    """Compute the shipped references, rates and draws again, on this machine.

    Parameters
    ----------
    workers
        Whether to see also that two processes give what one gives.
    tell
        Called with how many simulated samples are done of how many.

    Returns
    -------
    SelfTest
        Every check, with the date and what it ran on.

    Examples
    --------
    >>> from abovechance.qualification.self_testing import draw_checks
    >>> all(check.passed for check in draw_checks())
    True
    """
    date, begun = datetime.now(UTC), time.monotonic()
    checks: list[Check] = [*reference_checks(), *rate_checks(tell), *draw_checks()]
    if workers:
        checks.append(worker_check())
    return SelfTest(
        date=date.isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - begun, 1),
        machine=machine(),
        checks=tuple(checks),
    )


def machine() -> dict[str, str]:
    """What the numbers depend on: versions, linear algebra, processor."""
    found = {
        "abovechance": __version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": platform.platform(),
        "processor": _processor(),
        "vector instructions": _vectors(),
        "linear algebra": _linear_algebra(),
        "byte order": sys.byteorder,
    }
    return found | {name: said for name in LIBRARIES if (said := _version(name))}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    """The make of the processor where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            named = [
                line.partition(":")[2].strip() for line in file if line.startswith("model name")
            ]
    except OSError:
        named = []
    return named[0] if named else platform.processor() or platform.machine()


def _vectors() -> str:
    """The instructions beyond its baseline that numpy uses here."""
    import numpy as np

    # typed for the text that is printed by default, which this is not
    configuration: Any = np.show_config(mode="dicts")
    return ", ".join(configuration.get("SIMD Extensions", {}).get("found", ())) or "baseline"


def _linear_algebra() -> str:
    import numpy  # noqa: F401  # loads the library that is asked for
    from threadpoolctl import threadpool_info

    found = [
        f"{one['internal_api']} {one.get('version') or ''} for {one.get('architecture') or 'any'}, "
        f"threads: {one['num_threads']}"
        for one in threadpool_info()
        if one.get("user_api") == "blas"
    ]
    return "; ".join(dict.fromkeys(found)) or "none that tells"


# ----------------------------------------------------------------------------------------------
# Numbers that were published or computed by others.
# ----------------------------------------------------------------------------------------------


ABSOLUTE = 1e-14  # below this a deviation is rounding, whatever the value


def reference_checks() -> Iterator[Check]:
    """Every shipped value beside what this installation gives for it."""
    held = json.loads((files("abovechance.qualification") / "references.json").read_text("utf-8"))
    for row in held["values"]:
        expected = math.nan if row["expected"] is None else float(row["expected"])
        tolerance = max(ABSOLUTE, row["relative"] * abs(expected))
        try:
            found, said = _called(row, held["samples"]), ""
        except Exception as error:  # a call that fails is a value that is not there
            found, said = math.nan, f"{type(error).__name__}: {error}"
        same = math.isnan(found) and math.isnan(expected) and not said
        yield Check(
            group=row["group"],
            name=row["name"],
            expected=expected,
            found=found,
            tolerance=tolerance,
            source=row["source"],
            passed=same or abs(found - expected) <= tolerance,
            said=said,
        )


def _called(row: dict[str, Any], samples: dict[str, Any]) -> float:
    """What a public name gives for the arguments of a row."""
    options = {name: _argument(value, samples) for name, value in row.get("options", {}).items()}
    arguments = [_argument(value, samples) for value in row["arguments"]]
    if "measure" in row:
        found = abovechance.measures.find(row["measure"])(*arguments, **options)
    else:
        found = abovechance
        for name in row["call"].split("."):
            found = getattr(found, name)
        found = found(*arguments, **options)
    for name in row.get("get", "").split(".") if row.get("get") else ():
        found = getattr(found, name)
        found = found() if callable(found) else found
    return float(found)


def _argument(value: Any, samples: dict[str, Any]) -> Any:
    """A plain value, a column of a sample, or predictions made of its columns."""
    if not isinstance(value, dict):
        return value
    if "column" in value:
        return samples[value["sample"]][value["column"]]
    held = samples[value["sample"]]
    made = {name: held[column] for name, column in value["columns"].items()}
    return getattr(abovechance, value["as"])(**made)


# ----------------------------------------------------------------------------------------------
# Rates of simulated answers, and draws to the bit.
# ----------------------------------------------------------------------------------------------


REPLICATIONS = 400
N = 60
DRAWS = 199
LEVEL = 0.05
TRUST = 1e-4
"""Chance that a share of a right installation lies outside its band, if samples were drawn anew."""
EFFECT = 1.0
BITS = {
    "permutations": "3be86b21b69c45d8",
    "sign flips": "b5d30d7a00163dab",
    "bootstrap": "d76ca1891569b786",
}
"""What the first draws of a seed are on every machine, as the first digits of their SHA-256."""


def rate_checks(tell: Callable[[int, int], None] | None = None) -> Iterator[Check]:
    """Type I error of two tests and coverage of two intervals, by the verb itself."""
    from scipy.special import ndtr

    area = float(ndtr(EFFECT / sqrt(2.0)))
    right = float(ndtr(EFFECT / 2.0))
    rejected, covered = {"auc": 0, "brier": 0}, {"auc": 0, "accuracy": 0}
    for turn in range(REPLICATIONS):
        nothing = assess(sample(turn, 0.0), list(rejected), draws=DRAWS, rng=turn)
        for name in rejected:
            p = nothing[name].p_value
            rejected[name] += p is not None and p <= LEVEL
        something = assess(
            sample(REPLICATIONS + turn, EFFECT), list(covered), draws=DRAWS, rng=turn
        )
        for name, truth in (("auc", area), ("accuracy", right)):
            limits = something[name].interval
            covered[name] += limits is not None and truth in limits
        if tell is not None:
            tell(turn + 1, REPLICATIONS)
    for name, count in rejected.items():
        yield rate(
            "Type I error", f"test of {name} where there is no signal", count, LEVEL, above=True
        )
    for name, count in covered.items():
        said = f"95% interval of {name}, true value {area if name == 'auc' else right:.4f}"
        yield rate("Coverage", said, count, 1.0 - LEVEL, above=False)


def sample(seed: int, effect: float) -> Binary:
    """Probabilities of two classes whose scores are normal, so far apart."""
    rng = np.random.default_rng([20260101, seed])
    outcome = np.arange(N) % 2
    score = rng.normal(size=N) + effect * (outcome - 0.5)
    # what the score says of the class, so that 0.5 is where the classes meet
    return Binary(outcome, probability=1.0 / (1.0 + np.exp(-score * max(effect, 1.0))))


def rate(group: str, name: str, count: int, nominal: float, *, above: bool) -> Check:
    """A share of replications beside its nominal value; only the bad side is bounded."""
    from scipy.stats import binom

    least, most = binom.ppf([TRUST, 1.0 - TRUST], REPLICATIONS, nominal) / REPLICATIONS
    found = count / REPLICATIONS
    band = most - nominal if above else nominal - least
    return Check(
        group=group,
        name=name,
        expected=nominal,
        found=found,
        tolerance=float(band),
        source=f"{REPLICATIONS} simulated samples of {N} cases",
        passed=bool(found <= most if above else found >= least),
    )


def draw_checks() -> Iterator[Check]:
    """Whether the first draws of a seed are those of every other machine."""
    for name, expected in BITS.items():
        found = fingerprint(first_draws(name))
        yield Check(
            group="Determinism",
            name=f"first {name} of seed 7",
            expected=expected,
            found=found,
            tolerance=0.0,
            source="made with the release; SHA-256, first 16 digits",
            passed=found == expected,
        )


def first_draws(name: str) -> Array:
    """Draws of one kind, as whole numbers."""
    keys = random_bits.keys(np.random.default_rng(7), 50)
    if name == "permutations":
        return random_bits.subset_masks(keys, 100, 37)
    if name == "sign flips":
        return random_bits.flip_masks(keys, 100)
    return random_bits.bounded(keys, 0, 100, 61)


def fingerprint(numbers: Array) -> str:
    """The first digits of a digest of whole numbers, whatever the byte order."""
    return hashlib.sha256(numbers.astype("<u8").tobytes()).hexdigest()[:16]


def worker_check() -> Check:
    """Whether two processes give what one gives, to the last bit."""
    predictions = sample(1, EFFECT)
    one, two = (
        assess(predictions, ["brier", "auc"], draws=DRAWS, rng=1, workers=many).to_json()
        for many in (1, 2)
    )
    return Check(
        group="Determinism",
        name="the same numbers with one worker and with two",
        expected=hashlib.sha256(one.encode()).hexdigest()[:16],
        found=hashlib.sha256(two.encode()).hexdigest()[:16],
        tolerance=0.0,
        source="this machine",
        passed=one == two,
    )


# ----------------------------------------------------------------------------------------------
# A self-test as tables for a screen and as one page for the file of a study.
# ----------------------------------------------------------------------------------------------


PASS, FAIL = "pass", "FAIL"


def blocks(found: SelfTest) -> list[Block]:
    """The outcome, a line for every group, every check that failed, and the machine."""
    shown: list[Block] = [
        Note(f"{found.verdict}, in {found.seconds:.0f} s, {found.date}."),
        groups_table(found),
    ]
    failed = [check for check in found.checks if not check.passed]
    if failed:
        shown.append(checks_table(failed, "Failed"))
    return [*shown, machine_table(found)]


def page(found: SelfTest, command: str = "") -> Report:
    """The whole self-test as a page, every value in it."""
    failed = [check for check in found.checks if not check.passed]
    of_groups = [checks_table(checks, name) for name, checks in found.groups()]
    return Report(
        Document(
            title="Does this installation give the numbers it should?",
            kicker="Self-test",
            subtitle=f"{found.date} · {found.seconds:.0f} s",
            verdict=found.verdict,
            headline=Markup(
                "Values of other programs and of exact arithmetic, error rates and coverage in "
                "small simulations, and the first draws of a seed were computed again on this "
                "machine and compared, each within the tolerance that stands beside it."
            ),
            tiles=(
                Tile("Checks", f"{thousands(len(found.checks))}"),
                Tile("Failed", f"{thousands(len(failed))}"),
                Tile("abovechance", found.machine["abovechance"]),
            ),
            remarks=tuple(Remark("", f"{one.name}: {one.said}") for one in failed if one.said),
            tables=(groups_table(found), machine_table(found), *of_groups),
            command=command,
            versions=tuple(found.machine.items()),
            json=found.to_json().replace("</", "<\\/"),
        )
    )


def groups_table(found: SelfTest) -> Table:
    """One line for every kind of check."""
    return tabulate(
        found.groups(),
        ("what", "name", lambda group: group[0]),
        ("checks", "number", lambda group: str(len(group[1]))),
        ("passed", "number", lambda group: str(sum(one.passed for one in group[1]))),
        ("largest deviation", "number", lambda group: _largest(group[1])),
        ("", "text", lambda group: PASS if all(one.passed for one in group[1]) else FAIL),
        title="Checks",
        caption="Deviations are in parts of what is allowed: 1 would just pass.",
    )


def checks_table(checks: Sequence[Check], title: str) -> Table:
    """Every check with what was expected, what was found, and who says so."""
    return tabulate(
        checks,
        ("check", "name", lambda one: one.name),
        ("expected", "number", lambda one: _value(one.expected)),
        ("found", "number", lambda one: _value(one.found)),
        ("tolerance", "number", lambda one: f"{one.tolerance:.1e}" if one.tolerance else "none"),
        ("source", "text", lambda one: one.source),
        ("", "text", lambda one: PASS if one.passed else FAIL),
        title=title,
        folded=len(checks) > 10,
    )


def machine_table(found: SelfTest) -> Table:
    """What it ran on."""
    return tabulate(
        found.machine.items(),
        ("", "name", lambda pair: pair[0]),
        ("", "text", lambda pair: pair[1]),
        title="This machine",
    )


def _largest(checks: Sequence[Check]) -> str:
    known = [one.deviation for one in checks if not math.isnan(one.deviation)]
    return f"{max(known):.2g}" if known else ""


def _value(value: float | str) -> Cell | str:
    if isinstance(value, str):
        return value
    return Cell(number(value) if math.isnan(value) else f"{value:.12g}", value)
