"""One comparison of what was found with what should be, and all of them together."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from abovechance import __version__
from abovechance.io.export import jsonable


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
        many = f"{len(self.checks):,} checks"
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
