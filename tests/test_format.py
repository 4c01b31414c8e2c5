"""Numbers of printed tables: as many digits as the interval beside them lets matter."""

import ast
from pathlib import Path

import abovechance
from abovechance.format import between, number, signed
from abovechance.inference.results import Interval
from abovechance.tabular import numeric

WIDE = Interval(-0.249, 0.240, 0.95, "any")
NARROW = Interval(-2e-9, 8e-9, 0.95, "any")


def test_what_is_as_good_as_0_beside_its_interval_reads_0() -> None:
    assert number(3.109e-09, beside=WIDE) == "0.000"
    assert number(-3.109e-09, beside=WIDE) == "0.000"
    assert signed(4e-08, beside=WIDE) == "0.000"
    assert numeric(3.109e-09, beside={"low": -0.249, "high": 0.24}).text == "0.000"


def test_what_the_interval_tells_from_0_keeps_its_digits() -> None:
    assert number(3.109e-09, beside=NARROW) == "3.1e-09"
    assert signed(0.0004114, beside=Interval(-0.011, 0.012, 0.95, "any")) == "+0.00041"
    assert number(0.0004114) == "0.00041"
    assert numeric(3e-09, beside={"low": -2e-9, "high": 8e-9}).text == "3e-09"


def test_a_limit_near_0_keeps_its_sign() -> None:
    assert between(-0.056, 0.0009249) == "−0.056 to 0.00092"
    assert between(-4e-08, 0.5) == "−4e-08 to 0.500"
    assert between(0.0, 0.5) == "0.000 to 0.500"
    assert between(-0.0002978, 0.0001852) == "−0.0003 to 0.00019"


def test_thousands_stand_apart_in_one_way() -> None:
    """One answer must not say "100,000 rows" and "100\u202f000 cases"."""
    found = []
    for file in Path(abovechance.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            spec = node.format_spec if isinstance(node, ast.FormattedValue) else None
            texts = [v.value for v in getattr(spec, "values", []) if isinstance(v, ast.Constant)]
            if any("," in text for text in texts) and file.name not in ("format.py", "chart.py"):
                found.append((file.name, node.lineno))
    assert not found, "write thousands(count) from format.py"
