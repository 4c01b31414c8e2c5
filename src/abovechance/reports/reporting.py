"""The one function that reports anything: the story of a result as one page."""

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abovechance import __version__
from abovechance.errors import DataError, NotApplicable
from abovechance.inference import prose
from abovechance.inference.contract import CheckedFacts, contract, is_result, models_of
from abovechance.io.export import write_text
from abovechance.plots.chart import Chart
from abovechance.plots.map_pictures import Drawing, brain_drawings
from abovechance.plots.plotting import chart_of
from abovechance.predictions import Predictions
from abovechance.reports import citations
from abovechance.reports.story import Document, Paragraph, Remark, story_of

MOST_TESTS = 6


@dataclass(frozen=True, eq=False)
class Report:
    """A report: shown in a notebook, saved as one HTML file."""

    document: Document

    @property
    def html(self) -> str:
        """The whole page."""
        from abovechance.reports.html import page

        return page(self.document)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all."""
        write_text(path, self.html)

    def _repr_html_(self) -> str:
        from abovechance.reports.html import fragment

        return fragment(self.document)

    def __repr__(self) -> str:
        return f"Report({self.document.title!r}: {self.document.verdict})"


def report(
    result: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    predictions: Any = None,
    title: str | None = None,
    command: str = "",
    cases: bool = True,
) -> Report:
    """Report a result as one HTML file that loads nothing and can be sent to a co-author.

    Parameters
    ----------
    result
        What `assess`, `compare`, `detect`, `power`, `thresholds`, `curves`, `posterior` and the
        named tests return, posteriors by name, or the dictionary of any of them (a saved JSON).
    path
        Where to write the file; nothing is written when not given.
    predictions
        What was assessed, by model name for several: adds the pictures that need cases.
    title
        A heading of one's own; that of the result when not given.
    command
        The command that made the result, shown under "To reproduce"; none when not given.
    cases
        Whether pictures may show single cases; False keeps what was predicted for anybody out of
        the file, before it is mailed.

    Returns
    -------
    Report
        The page; it shows its beginning in a notebook.

    Raises
    ------
    DataError
        If it is no result of this package, or the predictions are none.

    See Also
    --------
    plot : a single picture.

    Examples
    --------
    >>> from abovechance import assess, examples
    >>> predictions = examples.breast_cancer("p_texture")
    >>> report(assess(predictions, ["auc"], rng=1), predictions=predictions)
    Report('How good are these predictions?': Better than chance)
    """
    facts = contract(result)
    if not is_result(facts):
        raise DataError(
            "a result of abovechance is needed, such as assess, compare or curves.roc return; got "
            f"{type(result).__name__}."
        )
    document = compose(
        facts,
        _by_model(predictions, facts),
        title=title,
        command=command,
        pictures=_pictures(result),
        drawings=brain_drawings(result),
        cases=cases,
    )
    found = Report(document)
    if path is not None:
        found.save(path)
    return found


def _pictures(result: Any) -> list[Chart]:
    """What only the result itself can be drawn from: densities, and values under permutation."""
    values = list(result.values()) if isinstance(result, Mapping) else [result]
    if values and all(hasattr(one, "pdf") for one in values):
        return [chart_of(result)]
    if hasattr(result, "tests") and hasattr(result, "null"):
        return [chart for row in result.tests[:MOST_TESTS] for chart in _permuted(result, row)]
    return []


def _permuted(result: Any, row: Any) -> list[Chart]:
    """The picture of one test; none where the test or all its permutations are undefined."""
    try:
        return [chart_of(result, getattr(row, "statistic", None) or row.measure)]
    except NotApplicable:
        return []


def _by_model(predictions: Any, facts: Mapping[str, Any]) -> dict[str, Predictions]:
    if predictions is None:
        return {}
    if isinstance(predictions, Predictions):
        models = models_of(facts)
        return {models[0] if len(models) == 1 else "": predictions}
    if isinstance(predictions, Mapping):
        found = {str(name): one for name, one in predictions.items()}
        if all(isinstance(one, Predictions) for one in found.values()):
            return found
    raise DataError(
        "predictions must be what was assessed, or a dictionary of them by model; "
        f"got {type(predictions).__name__}."
    )


def compose(
    facts: Mapping[str, Any],
    predictions: Mapping[str, Predictions],
    *,
    title: str | None = None,
    command: str = "",
    pictures: Sequence[Chart] = (),
    drawings: Sequence[Drawing] = (),
    cases: bool = True,
) -> Document:
    """The blocks of a report; `pictures` come before those that follow from the facts."""
    authors = {key: source.cited for key, source in citations.bibliography().items()}
    told = story_of(CheckedFacts({**facts, "without_cases": not cases}), predictions)
    said = {"Methods": told.methods, "Results": told.results}
    return Document(
        title=title or told.title,
        kicker=told.kicker,
        subtitle=told.subtitle,
        read=tuple(str(facts.get("described") or "").splitlines()),
        verdict=told.verdict,
        headline=prose.as_html(told.headline, authors),
        tiles=told.tiles,
        remarks=tuple(_remarks(facts)),
        charts=(*pictures, *told.charts),
        drawings=tuple(drawings),
        tables=tuple(table for table in told.tables if table is not None and table.rows),
        paragraphs=tuple(
            _paragraph(heading, text, authors) for heading, text in said.items() if text
        ),
        checklist=told.checklist,
        command=command,
        versions=versions(facts),
        sources=tuple(citations.used(facts, told.measures, *said.values())),
        json=json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")),
    )


def _remarks(facts: Mapping[str, Any]) -> Iterator[Remark]:
    """Advice; of a replication also what came of it and where it departs from the paper."""
    rows = (*(facts.get("estimates") or ()), *(facts.get("differences") or ()))
    measures = {str(row["measure"]) for row in rows}
    for advice in facts.get("advice") or ():
        text, source = str(advice.get("text", "")), str(advice.get("source") or "")
        if text.split(" ")[0].rstrip(",:") not in measures:
            text = prose.capital(text)
        yield Remark(str(advice.get("code", "")), text, source)
    for text in facts.get("findings") or ():
        yield Remark("", str(text))
    for text in facts.get("remarks") or ():
        yield Remark("", f"Departure from the paper: {text}.")


def versions(facts: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What made the numbers, and what made this page."""
    import numpy
    import scipy

    made = str(facts.get("abovechance") or __version__)
    found = [("abovechance", made)]
    if made != __version__:
        found.append(("report by abovechance", __version__))
    return (
        *found,
        ("Python", platform.python_version()),
        ("NumPy", numpy.__version__),
        ("SciPy", scipy.__version__),
    )


def _paragraph(title: str, sentence: str, authors: Mapping[str, str]) -> Paragraph:
    return Paragraph(
        title,
        prose.as_html(sentence, authors),
        prose.as_text(sentence, authors),
        prose.as_latex(sentence),
    )
