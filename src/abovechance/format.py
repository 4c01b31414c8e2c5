"""Numbers, p-values and labels as text: one way for tables, sentences and pictures."""

import math
import unicodedata
from collections.abc import Mapping
from typing import Any

LEAST_SHOWN = 1e-300  # p-values in full precision are not told apart below this
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})  # classes of characters, of Unicode's algorithm
JOINERS = "\u200c\u200d\u00ad"  # within words of some scripts, and within emoji


def as_float(value: Any) -> float:
    """A number of the JSON contract: null is NaN, infinities are words.

    >>> as_float("-Infinity"), as_float(None)
    (-inf, nan)
    """
    return math.nan if value is None else float(value)


def number(value: Any, digits: int = 3, *, beside: Any = None) -> str:
    """A number with three digits after the point where that says enough.

    Beside an interval that is far wider, what is as good as 0 reads 0.

    >>> number(0.95512), number(12345.678), number(-0.00004), number("Infinity"), number(None)
    ('0.955', '12346', '−0.00004', '∞', '–')
    >>> number(0.00002, beside={"low": -0.1, "high": 0.1})
    '0.000'
    """
    value = as_float(value)
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    width = _width(beside)
    if width >= 0.01 and abs(value) < max(1e-5, width / 1000):
        value = 0.0
    size = abs(value)
    if size == 0.0 or 10.0**-digits <= size < 1000:
        text = f"{value:.{digits}f}"
    elif size < 1e-5:
        text = f"{value:.2g}"
    elif size < 1:
        text = f"{value:.{1 - math.floor(math.log10(size))}f}".rstrip("0")
    else:
        text = f"{value:.0f}" if size < 1e7 else f"{value:.4g}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def signed(value: Any, digits: int = 3, *, beside: Any = None) -> str:
    """A difference, with its sign.

    >>> signed(0.075), signed(-0.2), signed(0.0)
    ('+0.075', '−0.200', '0.000')
    """
    text = number(value, digits, beside=beside)
    plain = as_float(value) > 0 and text.strip("0.") != ""
    return f"+{text}" if plain else text


def between(low: Any, high: Any, digits: int = 3) -> str:
    """Two limits.

    >>> between(0.848, 0.902)
    '0.848 to 0.902'
    """
    return f"{number(low, digits)} to {number(high, digits)}"


def p_value(p: Any) -> str:
    """A p-value for a table, never 0; the smallest are told apart by their exact values only.

    >>> p_value(0.0499), p_value(0.0002), p_value(0.00002), p_value(None)
    ('0.050', '0.0002', '<0.0001', '–')
    """
    p = as_float(p)
    if math.isnan(p):
        return "–"
    if p >= 0.001:
        return f"{p:.3f}"
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def p_phrase(p: Any) -> str:
    """A p-value in a sentence.

    >>> p_phrase(0.0499), p_phrase(0.00002)
    ('p = 0.050', 'p < 0.001')
    """
    return "p < 0.001" if as_float(p) < 0.001 else f"p = {p_value(p)}"


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


def probability(value: Any) -> str:
    """A probability that is neither 0 nor 1 however near it comes.

    >>> probability(0.99999), probability(0.25)
    ('>0.999', '0.250')
    """
    exact = as_float(value)
    if exact > 0.9995:
        return ">0.999"
    return "<0.001" if exact < 0.0005 else number(value)


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


def magnitude(count: float) -> str:
    """A count of any size in three digits; what is too many to be counted is countless.

    >>> magnitude(184756), magnitude(10**400), magnitude(math.inf)
    ('1.85e+05', '1e+400', 'countless')
    """
    if count == math.inf:
        return "countless"
    if count < 1e300:
        return f"{count:.3g}"
    exponent, rest = divmod(math.log10(count), 1.0)  # a float holds no such count
    return f"{10.0**rest:.3g}e+{exponent:.0f}"


def shown(text: object) -> str:
    """A label from a file: what it says is shown, what it would do is not done.

    Control characters and direction overrides are made visible; letters of scripts written from
    right to left stay as they are.

    >>> shown("model \\u202egpj"), shown("line\\nbreak"), shown("מודל"), shown("a\\x1b[31mb")
    ('model \ufffdgpj', 'line break', 'מודל', 'a\ufffd[31mb')
    """
    said = str(text)
    return said if said.isprintable() else "".join(map(_visible, said))


def turns(text: str) -> bool:
    """Whether some of it is written from right to left, so that what stands beside it could move.

    >>> turns("1–4, Würzburg, ≥ 5"), turns("מודל"), turns("٣")
    (False, True, True)
    """
    return any(unicodedata.bidirectional(c) in RIGHT_TO_LEFT for c in text)


def _visible(character: str) -> str:
    if character in "\t\n\r\v\f\x85\u2028\u2029":
        return " "
    kind = unicodedata.category(character)
    if kind in ("Cc", "Cs", "Cn", "Co") or (kind == "Cf" and character not in JOINERS):
        return REPLACEMENT
    return character


def _width(interval: Any) -> float:
    """How wide an interval is: one of a result, or of its JSON; 0 where there is none."""
    if not interval:
        return 0.0
    if isinstance(interval, Mapping):
        return as_float(interval.get("high")) - as_float(interval.get("low"))
    return float(interval.high - interval.low)
