"""Run every check on this machine, and say on what machine that was."""

import platform
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from abovechance import __version__
from abovechance.qualification.checks_made import Check, SelfTest
from abovechance.qualification.reference_values import reference_checks
from abovechance.qualification.simulated_rates import draw_checks, rate_checks, worker_check

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
    >>> from abovechance.qualification.simulated_rates import draw_checks
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
