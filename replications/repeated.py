"""Studies of Dinga et al. that repeat a verb on parts of a table: what one is, and its page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from abovechance.errors import AboveChanceError, FileError
from replications.dinga import SOURCE

MEASURES = {"accuracy": "accuracy", "AUC": "auc", "Brier": "brier", "log": "log_score"}


@dataclass(frozen=True, eq=False)
class Cases:
    """A table ready to be studied: features with their names, whether a case is positive."""

    X: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Repetition:
    """One figure of the paper on one table.

    `file` is looked for in the folder of `--data`; a table that scikit-learn brings along has none.
    `run` takes the cases, measures and settings; `claims` says what came of the paper's sentences.
    """

    name: str
    title: str
    load: Callable[[Path | None, int], Cases]
    run: Callable[..., Any]
    claims: Callable[[Any], tuple[str, ...]]
    replications: int
    file: str = ""
    departures: tuple[str, ...] = ()
    kind: str = ""  # of the picture
    source: str = SOURCE
    tests: Mapping[str, str] = field(default_factory=lambda: dict(MEASURES))

    @property
    def options(self) -> str:
        """What the command needs besides."""
        return " --data DIR" if self.file else ""


@dataclass(frozen=True, eq=False)
class Repeated:
    """What came of a study: the verb's result, and the paper's sentences held against it."""

    study: Repetition
    result: Any
    findings: tuple[str, ...]


def repeat(
    study: Repetition,
    *,
    data: str | Path | None = None,
    replications: int | None = None,
    statistics: Sequence[str] | None = None,
    rng: int = 0,
    **where: Any,
) -> Repeated:
    """Run a study again; `where` are workers, store and progress of the verb.

    >>> from replications.catalogue import REPEATED
    >>> study = REPEATED["dinga-stability-breast-cancer"]
    >>> done = repeat(study, replications=2, statistics=["Brier"])
    >>> [row.selector for row in done.result.selectors]
    ['brier']
    """
    folder = None if data is None else Path(data)
    if study.file and folder is None:
        raise AboveChanceError(f"{study.name} needs --data DIR, a folder with {study.file}.")
    if study.file and folder is not None and not (folder / study.file).is_file():
        raise FileError(f"{study.name} needs {study.file} in {str(folder)!r}.")
    cases = study.load(folder, rng)
    chosen = [study.tests[name] for name in (statistics or study.tests)]
    count = study.replications if replications is None else replications
    result = study.run(cases, chosen, draws=count, rng=rng, **where)
    return Repeated(study, result, study.claims(result))


def balanced(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows of a sample with as many cases of each class as the rarer one has."""
    classes = [np.flatnonzero(y == k) for k in np.unique(y)]
    few = min(len(rows) for rows in classes)
    return np.sort(np.concatenate([rng.permutation(rows)[:few] for rows in classes]))


def page(done: Repeated) -> str:
    """The study in Markdown, with the command that makes it."""
    study, result = done.study, done.result
    count = getattr(result, "pairs", None) or result.repetitions
    return "\n".join(
        [
            f"# {study.name}",
            "",
            f"{study.title}. {study.source}.",
            "",
            f"Made by `abovechance reproduce {study.name} --replications {count} "
            f"--seed {result.seed}{study.options}`.",
            "",
            *(f"- {text}" for text in done.findings),
            "",
            "Departures from the paper's text, or from its code:",
            "",
            *(f"- {text}." for text in study.departures),
            "",
            f"![{study.title}]({study.name}.svg)",
            "",
            result.to_markdown(),
        ]
    )
