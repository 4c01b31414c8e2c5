"""Docstrings in numpydoc's sections, and what many of them would repeat, declared once.

A public function need not say what `confidence_level` means or what an `Interval` holds:
`completed` adds the entries of parameters and of what comes back that are declared here, so that
`help()` shows every docstring in full. What a docstring says itself stands. Functions are completed
by the gate, predictions and results as their classes are made, pages of measures as they are
written.
"""

import inspect
import textwrap
from collections.abc import Iterable, Iterator, Mapping

WIDTH = 96
ORDER = (
    "Parameters",
    "Attributes",
    "Returns",
    "Raises",
    "See Also",
    "Notes",
    "References",
    "Examples",
)

PARAMETERS = {
    "x, n": "Number of cases that count (right ones, for instance), and of all cases.",
    "confidence_level": "In what share of samples such an interval covers the true value; 0.95 "
    "unless stated.",
    "rng": "Seed of the draws: a number, a numpy Generator, or None for a fresh seed each time.",
    "workers": "Number of processes to share the draws between, or an executor such as `Dask`; "
    '"auto" shares them between all processors where more than a few seconds of work are left. '
    "The results are the same.",
    "store": "File that keeps finished draws, so that a run that was stopped goes on; none when "
    "not given.",
    "feature_names": "What to call the features; the columns of a dataframe when not given.",
    # of measures
    "smoother": 'How the curve is fitted: "loess" as R does, "direct" without its interpolation, '
    'or "lowess".',
    "span": "Share of the cases that each local fit reads; chosen from their number when not "
    "given.",
    "bins": "Number of bins.",
    "binning": '"width": bins of equal width; "count": bins of equally many cases.',
    "closed": 'Which end belongs to a bin: "left", so that a value on a border falls into the bin '
    'above, or "right".',
    "output_weights": "Weights of the outputs; all alike when not given.",
    "t": "The time at which predictions are judged; the last predicted time when not given.",
    # of predictions
    "id": "Name of each case, by which models are paired; none when not given.",
    "fold, repeat": "Cross-validation fold, and repeat of the cross-validation, in which a case "
    "was tested.",
    "groups": "The cluster of each case, such as its hospital; cases are independent when not "
    "given.",
    "sample_weight": "Sampling weight of each case; all count alike when not given.",
    "counts": "Number of cases that each row stands for; one when not given.",
    "order": "When each case was observed, as numbers or dates, where neighbours may be alike.",
    "origin": '"test" (independent test set), "cv" or "repeated_cv"; seen from `fold` when not '
    "stated.",
    "missing": '"refuse", or "drop" cases with a missing value and say how many.',
}
"""What parameters mean wherever a docstring does not say otherwise, in the order of signatures."""

ATTRIBUTES = {
    "advice": "What a reader should know beside the numbers.",
    "described": "Which columns were taken for what, when they were read from a file.",
    "seed": "Seed of all samples and draws; give it again as `rng=` for the same numbers.",
    "effect_scale": 'What the effect is, as "AUC"; None where the design does not say.',
    "prevalence": "Share of positive cases, from 0 to 1; None where the design does not say.",
    "threshold": "The probability above which cases were called positive; None where the design "
    "does not say.",
}
"""What fields of results hold."""

RETURNS = {
    "Interval": "Its limits `low` and `high`, its `level`, and its `method` in words.",
    "Test": "The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in "
    "words.",
    "Curve": "Points `x` and `y` with limits `low` and `high`; `columns` holds what else is known "
    "of them.",
    "Posterior": "With `mean`, `median`, `interval()`, `prob_above(x)`, `pdf(x)` and the like.",
}
"""What comes back, by its type."""

RAISES = {"x, n": ("DataError", "If x is negative or greater than n, or n is not positive.")}
"""What is refused of parameters."""


def parted(doc: str) -> tuple[str, dict[str, str]]:
    """A docstring as the text before its first section, and its sections by name."""
    before: list[str] = []
    sections: dict[str, list[str]] = {}
    into = before
    lines = doc.splitlines()
    for at, line in enumerate(lines):
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if line and set(below) == {"-"} and len(below) == len(line):
            into = sections.setdefault(line, [])
        elif not (sections and line and set(line) == {"-"}):
            into.append(line)
    return "\n".join(before).strip(), {k: "\n".join(v).strip("\n") for k, v in sections.items()}


def joined(before: str, sections: Mapping[str, str]) -> str:
    """A docstring from the text before its sections, and its sections in numpydoc's order."""
    known = sorted(sections, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    return "\n\n".join([before, *(heading(name, sections[name]) for name in known)])


def heading(name: str, section: str) -> str:
    """A section under its name."""
    return f"{name}\n{'-' * len(name)}\n{section}"


def entry(name: str, text: str, width: int = WIDTH) -> str:
    """A name with what is said of it."""
    lines = textwrap.wrap(text, width, break_on_hyphens=False)
    return "\n".join([name, *(f"    {line}" for line in lines)])


def blocks(section: str) -> list[str]:
    """The entries of a section, each with its text."""
    found: list[str] = []
    for line in section.splitlines():
        if found and (not line or line[0].isspace()):
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return found


def names_of(block: str) -> list[str]:
    """The names that an entry is about.

    >>> names_of("x, n\\n    Number of cases.")
    ['x', 'n']
    """
    return [name.strip() for name in block.split("\n")[0].split(":")[0].split(",")]


def entries(section: str) -> Iterator[tuple[str, str]]:
    """The names of a section, each with its text in one line."""
    for block in blocks(section):
        text = " ".join(line.strip() for line in block.split("\n")[1:])
        yield from ((name, text) for name in names_of(block))


def completed(
    doc: str | None,
    parameters: Iterable[str] = (),
    returned: str = "",
    *,
    attributes: Iterable[str] = (),
) -> str | None:
    """A docstring with the entries that are declared here and that it does not have.

    >>> print(completed("A name of a file.", ["path", "rng"]))
    A name of a file.
    <BLANKLINE>
    Parameters
    ----------
    rng
        Seed of the draws: a number, a numpy Generator, or None for a fresh seed each time.
    """
    if doc is None:
        return None
    before, sections = parted(inspect.cleandoc(doc))
    fields = "Attributes" in sections  # a class that explains none of its fields is left as it is
    added = [
        *_add(sections, "Parameters", list(parameters), PARAMETERS),
        *(_add(sections, "Attributes", list(attributes), ATTRIBUTES) if fields else ()),
    ]
    refused = [RAISES[name] for name in added if name in RAISES]
    if refused and "Raises" not in sections:
        sections["Raises"] = "\n".join(entry(*one) for one in refused)
        added.append("Raises")
    if returned in RETURNS and "Returns" not in sections:
        sections["Returns"] = entry(returned, RETURNS[returned])
        added.append("Returns")
    return joined(before, sections) if added else doc


def _add(
    sections: dict[str, str], name: str, taken: list[str], declared: Mapping[str, str]
) -> list[str]:
    """Add the entries that a section does not have, in the order of a signature or of fields."""
    known = blocks(sections.get(name, ""))
    stated = {one for block in known for one in names_of(block)}
    wanted = set(taken)
    added = [
        label
        for label in declared
        if (own := set(label.split(", "))) <= wanted and own.isdisjoint(stated)
    ]
    if added:
        known += [entry(label, declared[label]) for label in added]
        place = {one: at for at, one in enumerate(taken)}
        known.sort(key=lambda block: min(place.get(one, len(taken)) for one in names_of(block)))
        sections[name] = "\n".join(known)
    return added
