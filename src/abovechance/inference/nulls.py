"""Nulls by permuting outcomes: which orders are drawn, all of them or until enough is known."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from abovechance.arrays import Array, Floats
from abovechance.errors import DataError, NotApplicable
from abovechance.inference.results import Sequel
from abovechance.resampling import (
    Permutations,
    Resampling,
    Sequential,
    WholeBlocks,
    WithinBlocks,
    exceedances,
    in_order,
    replicate_blocks,
)

PERMUTE = ("labels", "within", "blocks")


def scheme_of(y: Array, permute: str, blocks: Any) -> Any:
    """Orders of outcomes; a scheme that leaves nothing to permute is refused with the remedy."""
    if permute not in PERMUTE:
        raise NotApplicable(f"permute must be one of {', '.join(PERMUTE)}; got {permute!r}.")
    if permute == "labels":
        if blocks is not None:
            raise NotApplicable("blocks= goes with permute='within' or permute='blocks'.")
        if len(np.unique(y)) < 2:
            raise NotApplicable("permuting needs outcomes that differ; all are the same.")
        return Permutations(len(y))
    if blocks is None:
        raise NotApplicable(f"permute={permute!r} needs blocks=, one value per case.")
    units = np.asarray(blocks)
    if units.shape != y.shape:
        raise DataError(f"blocks must hold one value for each of the {len(y)} cases.")
    constant = all(len(np.unique(y[units == b])) == 1 for b in np.unique(units))
    if permute == "within":
        if constant:
            raise NotApplicable(
                "outcomes are constant within every block, so permuting within them changes "
                "nothing; permute whole blocks instead (permute='blocks')."
            )
        return WithinBlocks(units)
    if not constant:
        raise NotApplicable(
            "permuting whole blocks needs outcomes that are constant within every block; "
            "permute within blocks instead (permute='within')."
        )
    return WholeBlocks(units)


def null_values(
    work: Any,
    how: Resampling,
    block: int,
    *,
    first: tuple[str, float, Any],
    stop: str | None = None,
    level: float = 0.05,
    risk: float = 1e-3,
) -> tuple[dict[str, Floats], Sequel | None]:
    """Null values of every statistic by name, and how a sequential test ended.

    `first` is the statistic that a sequential test watches: name, observed value, alternative.
    """
    if stop is None:
        found = replicate_blocks(work, how, block=block)
        assert isinstance(found, dict)
        return found, None
    if stop != "gandy":
        raise NotApplicable(f"stop must be 'gandy' or None; got {stop!r}.")
    name, observed, alternative = first
    kept: list[dict[str, Array]] = []

    def indicators() -> Iterator[Array]:
        for part in in_order(work, how, block=block):
            assert isinstance(part, dict)
            kept.append(part)
            yield exceedances(observed, part[name], alternative=alternative)

    answer = Sequential(level=level, risk=risk, steps=how.draws).run(indicators())
    null = {key: np.concatenate([part[key] for part in kept])[: answer.steps] for key in kept[0]}
    sequel = Sequel(
        steps=answer.steps,
        estimate=answer.estimate,
        decision=answer.decision,
        interval=answer.interval(),
        level=answer.level,
        risk=answer.risk,
    )
    return null, sequel
