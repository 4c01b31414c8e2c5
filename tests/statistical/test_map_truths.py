"""Group maps claim no more than they state, where the truth is known."""

from pathlib import Path

import pytest

from statistical import map_truths
from statistical.map_truths import LEVEL, METHODS, Rate

TABLES = Path(__file__).parent / "tables"


def rows(name: str, heading: str) -> list[list[str]]:
    """The rows of a table of a page, as text."""
    part = (TABLES / name).read_text("utf-8").partition(f"{heading}\n")[2]
    found = [line for line in part.partition("\n#")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[2:]]


def held(rates: list[Rate]) -> None:
    for rate in rates:
        assert rate.rate <= rate.bar, rate


def test_a_small_simulation_without_signal_claims_little() -> None:
    quick = [(title, {**options, "tfce": False}) for title, options in METHODS]
    held(map_truths.without_signal(6, 30, 20, seed=11, methods=quick))


def test_the_table_of_false_claims_stays_below_its_bars_with_enough_null_maps() -> None:
    found = rows("map_truths.md", "## False claims at level 0.05 where there is no signal")
    assert len(found) >= 20
    for setting, claim, rate, bar, _ in found:
        if "20 null maps" not in setting or "included" in setting:
            assert float(rate) <= float(bar), (setting, claim)


def test_the_table_of_discoveries_keeps_false_ones_rare() -> None:
    found = rows("map_truths.md", "## Discoveries where a ball of centres carries a signal")
    for setting, rule, false_share, any_false, share, many in found:
        bar = LEVEL + 3 * (LEVEL * (1 - LEVEL) / int(many)) ** 0.5
        assert float(any_false if rule == "maximum" else false_share) <= bar, (setting, rule)
        assert float(share) > 0.1 or rule == "by"


def test_the_table_of_shares_holds_the_level_at_a_centre_and_where_nobody_else_carries() -> None:
    title = "## False claims of a majority where half of the population carries the signal"
    found = rows("map_truths.md", title)
    assert len(found) == 12
    for setting, claim, rate, bar, _ in found:
        if "all centres" not in setting or "largest" not in claim:
            assert float(rate) <= float(bar), (setting, claim)


def test_two_group_statistics_find_more_true_centres_than_accuracies() -> None:
    found = rows("map_power.md", "Accuracies leave out one run at a time.")
    assert len(found) == 12
    by = {(row[0], row[1].partition(".")[0], row[2]): float(row[3]) for row in found}
    for pattern in ("uniform", "mixed"):
        for learner in ("lda", "svm"):
            for rule in ("maximum", "bh"):
                more, less = by[pattern, "srivastava_du", rule], by[pattern, learner, rule]
                assert more > less, (pattern, learner, rule)


@pytest.mark.slow
@pytest.mark.parametrize("subjects", [12, 20])
def test_no_method_claims_more_than_its_level(subjects: int) -> None:
    held(map_truths.without_signal(subjects, 100, 300, seed=12))


@pytest.mark.slow
@pytest.mark.parametrize("subjects", [12, 20])
def test_discoveries_are_seldom_false(subjects: int) -> None:
    for found in map_truths.with_signal(subjects, 100, 200, seed=13):
        false = found.any_false if found.rule == "maximum" else found.false_share
        assert false <= found.bar, found


@pytest.mark.slow
def test_a_majority_is_seldom_claimed_where_half_carry_the_signal() -> None:
    held(map_truths.prevalence_level(12, 300, everywhere=False, seed=14))
    held(map_truths.prevalence_level(12, 300, everywhere=True, seed=14)[::2])
