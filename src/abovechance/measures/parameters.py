"""Parameters of measures: of the kind the formula takes, and how they are shown."""

import inspect
from collections.abc import Callable
from numbers import Integral, Real
from types import NoneType
from typing import Any, get_args

from abovechance.errors import NotApplicable

KINDS: dict[Any, tuple[type, str]] = {
    bool: (bool, "True or False"),
    float: (Real, "a number"),
    int: (Integral, "a whole number"),
    str: (str, "a word"),
    NoneType: (NoneType, "None"),
}


def must_fit(owner: str, formula: Callable[..., Any], values: dict[str, Any]) -> None:
    """Refuse a parameter of another kind than its formula takes.

    >>> must_fit("f_beta", lambda tp, *, beta: tp, {"beta": "two"})  # not annotated: anything fits
    """
    signature = inspect.signature(formula)
    for name, value in values.items():
        annotation = signature.parameters[name].annotation
        expected = get_args(annotation) or (annotation,)
        if any(kind not in KINDS for kind in expected):
            continue
        if not any(isinstance(value, KINDS[kind][0]) for kind in expected):
            words = " or ".join(KINDS[kind][1] for kind in expected)
            raise NotApplicable(f"{name} of {owner} must be {words}; got {value!r}.")


def shown(value: Any) -> str:
    """A parameter in a measure's label.

    >>> shown(2.0), shown("linear"), shown(False)
    ('2', 'linear', 'False')
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    return f"{value:g}" if number else str(value)


def separate(text: str) -> list[str]:
    """Names separated by commas; commas inside brackets belong to a name.

    >>> separate("auc, expected_cost(1, 5)")
    ['auc', 'expected_cost(1, 5)']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
