"""Numbers as a reader wants them in a chart, a table or a sentence."""

import math
from typing import Any


def number(value: Any, digits: int = 3) -> str:
    """A number with three digits after the point where that says enough.

    >>> number(0.95512), number(12345.678), number(-0.00004), number("Infinity"), number(None)
    ('0.955', '12346', '−0.00004', '∞', '–')
    """
    value = as_float(value)
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size == 0.0 or 10.0**-digits <= size < 1000:
        text = f"{value:.{digits}f}"
    elif size < 10.0**-digits:
        text = f"{value:.1g}" if size < 1e-5 else f"{value:.5f}".rstrip("0")
    else:
        text = f"{value:.0f}" if size < 1e7 else f"{value:.4g}"
    return text.replace("-", "−")


def as_float(value: Any) -> float:
    """A number of the JSON contract: null is NaN, infinities are words.

    >>> as_float("-Infinity"), as_float(None)
    (-inf, nan)
    """
    return math.nan if value is None else float(value)


def signed(value: Any, digits: int = 3) -> str:
    """A difference, with its sign.

    >>> signed(0.075), signed(-0.2)
    ('+0.075', '−0.200')
    """
    text = number(value, digits)
    return f"+{text}" if as_float(value) > 0 and text != "–" else text


def between(low: Any, high: Any, digits: int = 3) -> str:
    """Two limits.

    >>> between(0.848, 0.902)
    '0.848 to 0.902'
    """
    return f"{number(low, digits)} to {number(high, digits)}"


def p_value(p: Any) -> str:
    """A p-value for a table, never 0: the smallest are told apart by their exact values only.

    >>> p_value(0.0499), p_value(0.0002), p_value(0.00002), p_value(None)
    ('0.050', '0.0002', '<0.0001', '–')
    """
    p = as_float(p)
    if math.isnan(p):
        return "–"
    if p >= 0.0995:
        return f"{p:.2f}"
    if p >= 0.001:
        return f"{p:.3f}"
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def probability(value: Any) -> str:
    """A probability that is neither 0 nor 1 however near it comes.

    >>> probability(0.99999), probability(0.25)
    ('>0.999', '0.250')
    """
    exact = as_float(value)
    if exact > 0.9995:
        return ">0.999"
    return "<0.001" if exact < 0.0005 else number(value)


def p_phrase(p: Any) -> str:
    """A p-value in a sentence.

    >>> p_phrase(0.0499), p_phrase(0.00002)
    ('p = 0.050', 'p < 0.001')
    """
    return "p < 0.001" if as_float(p) < 0.001 else f"p = {p_value(p)}"


def percent(level: Any) -> str:
    """A level as a percentage.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * as_float(level):.4g}%"


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "case"), plural(285, "case")
    ('1 case', '285 cases')
    """
    return f"{thousands(count)} {noun}{'s' * (count != 1)}"


def thousands(count: Any) -> str:
    """A whole number, its thousands apart.

    >>> thousands(1234567)
    '1\\u202f234\\u202f567'
    """
    return f"{int(count):,}".replace(",", "\u202f") if int(count) >= 10_000 else str(int(count))
