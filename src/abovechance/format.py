"""Numbers and p-values as text: how they stand in tables and sentences."""

from typing import Any

# ----------------------------------------------------------------------------------------------
# P-values in sentences: to so many digits, and never 0.
# ----------------------------------------------------------------------------------------------

LEAST_SHOWN = 1e-300


def p_text(p: float, digits: int = 3) -> str:
    """A p-value to so many significant digits; the smallest as a bound.

    >>> p_text(0.00123456), p_text(1e-301)
    ('0.00123', '< 1e-300')
    """
    return f"< {LEAST_SHOWN:.0e}" if p <= LEAST_SHOWN else f"{p:.{digits}g}"


def p_equation(p: float, digits: int = 3) -> str:
    """The same after the letter p.

    >>> p_equation(0.04), p_equation(0.0)
    ('p = 0.04', 'p < 1e-300')
    """
    text = p_text(p, digits)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


# ----------------------------------------------------------------------------------------------
# Numbers, limits and p-values in tables of text.
# ----------------------------------------------------------------------------------------------


def number(value: float | None, interval: Any = None) -> str:
    """A number for a table: three digits after the point where that says enough.

    Beside an interval that is far wider, what is as good as 0 reads 0.

    >>> number(0.95512), number(12345.678), number(None), number(float("inf"))
    ('0.955', '1.235e+04', '–', '∞')
    """
    if value is None or value != value:
        return "–"
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    value = rid_of_rounding(value, interval)
    size = abs(value)
    if 0.0 < size < 0.001 and interval is not None and interval.high - interval.low >= 0.01:
        return f"{value:.5f}".rstrip("0")
    if size == 0 or 0.001 <= size < 1000:
        return f"{value:.3f}"
    return f"{value:.4g}"


def rid_of_rounding(value: float, interval: Any) -> float:
    """0 for a value that is as good as 0 beside its interval."""
    width = 0.0 if interval is None else interval.high - interval.low
    return 0.0 if width >= 0.01 and abs(value) < max(1e-5, width / 1000) else value


def signed(value: float | None, interval: Any = None) -> str:
    """A difference for a table, its sign always shown.

    >>> signed(0.0421), signed(-0.5), signed(0.0)
    ('+0.042', '-0.500', '0.000')
    """
    text = number(value, interval)
    return f"+{text}" if value is not None and value > 0 and text != "0.000" else text


def limits(interval: Any) -> str:
    """Both limits of an interval for a table."""
    if interval is None:
        return ""
    return " to ".join(
        _limit(end, interval.high - interval.low) for end in (interval.low, interval.high)
    )


def _limit(value: float, width: float) -> str:
    """A limit of a wide interval that is nearly 0, with its sign and few digits; others in full."""
    if width < 0.01 or not 0.0 < abs(value) < 0.001:
        return number(value)
    return f"{value:.5f}".rstrip("0") if abs(value) >= 1e-5 else f"{value:.0e}"


def p_value(p: float | None) -> str:
    """A p-value for a table, never 0; empty where there is none.

    >>> p_value(0.00002), p_value(0.0499), p_value(2.3e-308), p_value(None)
    ('2e-05', '0.050', '< 1e-300', '')
    """
    if p is None:
        return ""
    if p != p:
        return "–"
    return f"{p:.3f}" if p >= 0.001 else p_text(p, 1)
