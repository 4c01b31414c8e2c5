"""From a command's files and column options to predictions, of one model or of several."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from abovechance.cli.terminal import progress
from abovechance.errors import NotApplicable
from abovechance.format import plural
from abovechance.limits import memory
from abovechance.settings import Declared, keywords, settings_of

MANY_ROWS = 2 * 10**7
SHARE_OF_MEMORY = 4  # a file may take one part of so many before it is read in pieces
PREDICTIONS = ("probability", "probabilities", "score", "label", "value")
TAKEN = (*PREDICTIONS, "outcome", "positive", "threshold", "id_", "missing", "origin")
IN_MEMORY = ("by", "dialect")  # options of cases that are all at hand, beside settings
ANYWHERE = ("workers", "store")  # settings that change no result


def predictions_in(file: str, columns: dict[str, Any], by: str | None) -> tuple[Any, Any]:
    """The predictions in a file, and the subgroup of each case when one is asked for."""
    from abovechance.io import read, read_table

    options = dict(columns)
    table = read_table(file, sheet=options.pop("sheet"))
    if by is not None:
        table.require([by])
    predictions = read(
        table,
        pos_label=options.pop("positive"),
        id=options.pop("id_"),
        sample_weight=options.pop("weight"),
        **options,
    )
    if by is None:
        return predictions, None
    column = table.text(by)
    return predictions, column if predictions.kept is None else column[predictions.kept]


def models_in(
    files: Sequence[str],
    columns: dict[str, Any],
    models: list[str] | None,
    kind: str | None,
    by: str | None,
) -> tuple[dict[str, Any], Any]:
    """Predictions by model: columns of one file, or one file each; the subgroup of each case."""
    if len(files) == 1:
        if not models:
            if by is None:
                raise click.UsageError(
                    "name the models' columns with --models a,b,…; for a row per item and model, "
                    "name --id, --model and --value."
                )
            return _one_model(files[0], columns, by)
        return _columns(files[0], columns, models, kind, by)
    if kind is not None:
        raise click.UsageError("--as is for columns of one file; name them with --probability, …")
    if by is not None:
        raise click.UsageError("--by needs all models in one file.")
    names = models or _stems(files)
    if len(names) != len(files):
        raise click.UsageError(
            f"--models must name the {len(files)} files; got {len(names)} names."
        )
    from abovechance.io import read_table

    sheet = columns["sheet"]
    found = (_predictions(read_table(file, sheet=sheet), columns) for file in files)
    return dict(zip(names, found, strict=True)), None


def items_in(
    files: Sequence[str],
    columns: dict[str, Any],
    model: str | None,
    models: list[str] | None,
    *,
    higher_is_better: bool,
) -> tuple[dict[str, Any], str]:
    """What each model got for each item: a row for both, or a row per item, a column per model.

    And which columns were taken for what.
    """
    import numpy as np

    from abovechance.io import read_table

    if len(files) != 1:
        raise click.UsageError("items of all models must stand in one file.")
    value = columns["value"]
    if model is None and (not columns["id_"] or not models or value):
        raise click.UsageError("--as item needs --id for the item and --models for its columns.")
    if model is not None and (not columns["id_"] or not value or len(value) != 1):
        raise click.UsageError("--model needs --id for the item and --value for what it got.")
    table = read_table(files[0], sheet=columns["sheet"])
    wanted = {"id": columns["id_"], **({} if model is None else {"model": model})}
    if columns["groups"]:
        wanted["groups"] = columns["groups"]
    scored = list(models or ()) if model is None else list(value)
    table.require([*wanted.values(), *scored])
    found: dict[str, Any] = {
        role: np.tile(table.text(name), len(scored)) for role, name in wanted.items()
    }
    found["value"] = np.concatenate([_scores(table, name) for name in scored])
    if model is None:
        found["model"] = np.repeat(np.array(scored, dtype=object), table.rows)
    missing = np.isnan(found["value"])
    for role in wanted:
        missing = missing | np.array([v is None for v in found[role]])
    if missing.any() and columns["missing"] == "drop":
        found = {role: column[~missing] for role, column in found.items()}
    elif missing.any():
        row = int(np.flatnonzero(missing)[0]) % table.rows + 1
        raise click.UsageError(f"a value is missing at row {row}; drop such rows: --missing drop.")
    name = scored[0] if model is not None else None
    roles = [f"{'item' if role == 'id' else role} = {name}" for role, name in wanted.items()]
    roles.append(f"value = {'each of ' if len(scored) > 1 else ''}{', '.join(scored)}")
    read = f"{', '.join(roles)}; {plural(table.rows, 'row')} of {Path(files[0]).name}"
    about = {"models": models, "name": name, "higher_is_better": higher_is_better}
    return {**found, **about}, read


def _scores(table: Any, name: str) -> Any:
    """Numbers; true and false as 1 and 0."""
    import numpy as np

    labels = table.labels(name)
    if labels.dtype.kind == "b":
        return labels.astype(np.float64)
    if labels.dtype.kind == "O" and all(v is None or isinstance(v, bool) for v in labels):
        return np.array([np.nan if v is None else float(v) for v in labels])
    return table.number(name)


def _one_model(file: str, columns: dict[str, Any], by: str) -> tuple[dict[str, Any], Any]:
    predictions, subgroup = predictions_in(file, columns, by)
    return {"model": predictions}, subgroup


def _columns(
    file: str, columns: dict[str, Any], models: list[str], kind: str | None, by: str | None
) -> tuple[dict[str, Any], Any]:
    from abovechance.io import read_table

    twice = [name for i, name in enumerate(models) if name in models[:i]]
    if twice:
        raise click.UsageError(f"--models must name every model once; {twice[0]!r} stands twice.")
    named = [r for r in ("probability", "score", "label", "value", "risk") if columns.get(r)]
    if named:
        raise click.UsageError(f"--models names the columns; leave --{named[0]} out, or use --as.")
    table = read_table(file, sheet=columns["sheet"])
    if by is not None:
        table.require([by])
    found = {m: _predictions(table, {**columns, **_role(table, columns, m, kind)}) for m in models}
    kept = [p.kept for p in found.values()]
    if all(k is None for k in kept):
        return found, None if by is None else table.text(by)
    return _on_complete_rows(table, found, kept, by)


def _on_complete_rows(
    table: Any, found: dict[str, Any], kept: list[Any], by: str | None
) -> tuple[dict[str, Any], Any]:
    """Rows that miss a value for one model are dropped for all."""
    import numpy as np

    whole = np.ones(table.rows, dtype=np.bool_)
    for mask in kept:
        whole &= True if mask is None else mask
    taken = {name: p.take(whole if p.kept is None else whole[p.kept]) for name, p in found.items()}
    return taken, None if by is None else table.text(by)[whole]


def _predictions(table: Any, columns: dict[str, Any]) -> Any:
    from abovechance.io import read

    chosen = {role: column for role, column in columns.items() if role != "sheet"}
    return read(
        table,
        pos_label=chosen.pop("positive"),
        id=chosen.pop("id_"),
        sample_weight=chosen.pop("weight"),
        **chosen,
    )


def _role(table: Any, columns: dict[str, Any], model: str, kind: str | None) -> dict[str, Any]:
    """The option that a model's column stands for."""
    if kind is not None:
        role = kind.replace("-", "_")
        table.require([model])
        return {role: [model] if role == "value" else model}
    if columns["time"] or columns["event"]:
        return {"risk": model}
    prefixed = [name for name in table.names if name.startswith(f"{model}_")]
    if model not in table.names and prefixed:
        return {"probabilities": {name.removeprefix(f"{model}_"): name for name in prefixed}}
    table.require([model])
    outcome = columns["outcome"]
    if outcome and columns["positive"] is None and _measured(table, outcome):
        return {"value": [model]}
    return {"probability": model}


def _measured(table: Any, name: str) -> bool:
    """Whether an outcome is a number rather than a class: some values are not whole."""
    import numpy as np

    labels = table.labels(name)
    if labels.dtype.kind not in "fiu":
        return False
    known = labels[np.isfinite(labels.astype(float))]
    return bool((known != np.rint(known)).any() or len(np.unique(known)) > 20)


def _stems(files: Sequence[str]) -> list[str]:
    """What to call the models: the files' names, with folders where those are alike."""
    short = [Path(file).name.split(".")[0] for file in files]
    return short if len(set(short)) == len(short) else list(files)


def streamed(
    file: str, columns: dict[str, Any], given: dict[str, Any], *, stream: bool | None
) -> Any:
    """The assessment of a file read in pieces; None if it is to be read all at once.

    `given` are the other options of the command. Without --stream a file is read in pieces when
    it is large and nothing is asked that needs all cases at once.
    """
    if stream is False:
        return None
    if stream:
        _refuse_others(columns, given)
    from abovechance.inference.streaming import assess_stream, stream_roles
    from abovechance.io.arrow_files import open_stream
    from abovechance.io.roles import Roles

    found = open_stream(file)
    if stream is None and (found is None or not is_large(found.rows, found.bytes)):
        return None
    if found is None:
        raise NotApplicable("only Parquet files are read in pieces; leave --stream out.")
    try:
        _refuse_others(columns, given)
        values = columns["value"] or []
        stated = Roles(
            outcome=(columns["outcome"],) if columns["outcome"] else (),
            probability=columns["probability"],
            probabilities=tuple(columns["probabilities"] or ()),
            score=columns["score"],
            label=columns["label"],
            value=tuple(values),
        )
        categorical = columns["positive"] is not None
        stream_roles(found, stated, columns["origin"], categorical=categorical)
    except NotApplicable:
        if stream is None:
            return None
        raise
    others = {*IN_MEMORY, *(one.keyword for one in _not_streamed())}
    kept = {name: value for name, value in given.items() if name not in others}
    with progress("reading") as tell:
        return assess_stream(
            file,
            outcome=columns["outcome"],
            probability=columns["probability"],
            probabilities=columns["probabilities"],
            score=columns["score"],
            label=columns["label"],
            value=values[0] if values else None,
            pos_label=columns["positive"],
            threshold=columns["threshold"],
            origin=columns["origin"],
            missing=columns["missing"],
            **kept,
            progress=tell,
        )


def is_large(rows: int, size: int) -> bool:
    """Whether a file of so many rows and bytes had better not be read at once."""
    known = memory()
    return rows > MANY_ROWS or (known is not None and size > known / SHARE_OF_MEMORY)


def _refuse_others(columns: dict[str, Any], given: dict[str, Any]) -> None:
    """Refuse what needs all cases at once."""
    others = [name for name, value in columns.items() if value and name not in TAKEN]
    others += [name for name in IN_MEMORY if given[name] is not None]
    options = [f"--{name.rstrip('_').replace('_', '-')}" for name in others]
    for one in _not_streamed():
        if one.name not in ANYWHERE and given[one.keyword] != one.default_of("assess"):
            options.append(one.option)
    if options:
        raise NotApplicable(f"{options[0]} needs all cases at once and does not go with --stream.")


def _not_streamed() -> list[Declared]:
    """Settings of cases in memory that a stream does not take."""
    known = keywords("assess_stream")
    return [one for one in settings_of("assess") if one.keyword not in known]
