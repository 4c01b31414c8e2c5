"""Accuracy detects less than AUC, Brier and log score where predictions carry a signal."""

import numpy as np
import pytest

from statistical import power_claim


@pytest.mark.parametrize(
    ("n", "exact"), list(zip(power_claim.SIZES, power_claim.EXACT_ACCURACY, strict=True))
)
def test_power_of_accuracy_is_the_exact_one_and_the_lowest(n: int, exact: float) -> None:
    replications = 600
    found = power_claim.simulate(n, replications, draws=199)
    error = np.sqrt(exact * (1 - exact) / replications)
    assert abs(found["accuracy"] - exact) < 3.9 * error
    for other in ("auc", "brier", "log_score"):
        assert found[other] > found["accuracy"] + 0.05, found
