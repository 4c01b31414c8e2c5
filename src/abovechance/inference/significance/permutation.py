"""One measure against chance by permutation: all draws, every arrangement, or until it is known."""

from dataclasses import replace
from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.method import Kind, answer, checked
from abovechance.inference.results import Sequel, Test
from abovechance.inference.significance.association import (
    DRAWS,
    Draws,
    Labels,
    Orders,
    association,
    hypothesis_of,
    refuse,
)
from abovechance.inference.significance.null import scheme_for
from abovechance.measures import Measure, find
from abovechance.predictions import Binary, Predictions
from abovechance.resampling import Resampling, Sequential, exceedances, in_order, seed_of


def permutation(
    predictions: Predictions,
    measure: Measure | str,
    *,
    draws: int | None = None,
    rng: Any = None,
    workers: int = 1,
    store: Any = None,
    stop: str | None = None,
    level: float = 0.05,
    risk: float = 1e-3,
) -> Test:
    """Test a measure against chance by permuting outcomes among the cases.

    All arrangements are enumerated when there are no more of them than draws. With groups, whole
    clusters are permuted if outcomes are constant within them, else cases within clusters.
    Sampling weights once stay with their predictions and once move with the outcomes, and the
    larger p-value is given; weights that depend on the outcome are refused. Beside a Monte Carlo p
    of a measure that is a monotone function of a sum over the positives stands its saddlepoint
    approximation, as a check.

    Parameters
    ----------
    predictions
        Predictions of any kind.
    measure
        A measure or its name.
    draws
        Number of permutations; 9999 when not given, fewer where each takes long.
    rng
        Seed of the draws: a number, a numpy Generator, or None for a fresh seed each time.
    workers
        Number of processes to share the draws between, or an executor such as `Dask`; the results
        are the same.
    store
        File that keeps finished draws, so that a run that was stopped goes on; none when not given.
    stop
        "gandy": stop as soon as p is known to lie above or below `level`, being wrong with
        probability at most `risk`; for one decision, not for p-values that will be adjusted.
        All draws are made when not given.
    level
        The level that p is compared with when stopping; 0.05 unless stated.
    risk
        Probability of stopping with a wrong decision, at most; 0.001 unless stated.

    Returns
    -------
    Test
        The `statistic`, its `p_value`, the `hypothesis` that was tested and the `method` in words.

    Raises
    ------
    NotApplicable
        If the measure is undefined here, or weights depend on the outcome; for predictions pooled
        over folds and cases in time order.

    See Also
    --------
    fisher, mann_whitney : exact tests of labels and of ranks.
    abovechance.permutation_test : refits the model under permuted outcomes.

    References
    ----------
    Fisher (1935), section 21; stopping: Gandy (2009).

    Examples
    --------
    >>> from abovechance import examples
    >>> permutation(examples.breast_cancer("p_texture"), "brier", rng=1).p_value
    0.0001
    """
    chosen = find(measure) if isinstance(measure, str) else measure
    chosen = chosen.for_outcome(predictions.kind)
    predictions = checked("permutation", predictions, Kind.TEST)
    how = Resampling(seed=seed_of(rng), workers=workers, store=store)
    if stop is not None:
        rule = Sequential(level=level, risk=risk, steps=draws or DRAWS)
        return _sequential(predictions, chosen, stop, rule, how)
    found = association(predictions, [chosen], Draws(draws, how), shortcuts=False)
    if chosen.label not in found:
        raise NotApplicable(f"{chosen.title} is undefined here, so it cannot be tested.")
    return found[chosen.label]


def _sequential(
    predictions: Predictions, measure: Measure, stop: str, rule: Sequential, how: Resampling
) -> Test:
    if stop != "gandy":
        raise NotApplicable(f"stop must be 'gandy' or None; got {stop!r}.")
    refuse(predictions)
    if predictions.cases.sample_weight is not None:
        raise NotApplicable(
            "with sampling weights two permutations are compared, so none stops early; leave "
            "stop= out."
        )
    observed = measure.of(predictions)
    if np.isnan(observed) or measure.higher_is_better is None:
        raise NotApplicable(f"{measure.title} is undefined here, so it cannot be tested.")
    scheme, words = scheme_for(predictions)
    side: Any = "greater" if measure.higher_is_better else "less"
    work: Any
    if isinstance(predictions, Binary):
        work = Labels(predictions, (measure,), scheme)
    else:
        work = Orders(predictions, (measure,), scheme)
    blocks = in_order(work, replace(how, draws=rule.steps), block=128)
    values = (block[measure.label] for block in blocks if isinstance(block, dict))
    where = rule.run(exceedances(observed, null, alternative=side) for null in values)
    return answer(
        "permutation",
        statistic=observed,
        p_value=where.p_value,
        alternative="greater",
        hypothesis=hypothesis_of(predictions),
        draws=where.steps,
        stopped=Sequel(
            steps=where.steps,
            estimate=where.estimate,
            decision=where.decision,
            interval=where.interval(),
            level=where.level,
            risk=where.risk,
        ),
        sequential=True,
        **({"scheme": words} if words else {}),
    )
