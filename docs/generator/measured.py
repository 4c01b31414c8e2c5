"""What was measured of intervals and tests: rows of the committed tables, by method and by measure.

The tables name what they simulated in words; `RULES` says which declared method and measure is
meant. A test holds every row of every table to exactly one rule, so that no new row is lost.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLES = Path(__file__).parents[2] / "tests/statistical/tables"
PAGES = {
    "coverage": "coverage",
    "shares": "coverage",
    "comparison_coverage": "comparisons",
    "type_one": "type-one",
    "comparison_type_one": "comparisons",
    "calibration_coverage": "calibration",
    "calibration_dependence": "calibration",
}
COVERAGE, LEVEL = "covers", "rejects"


@dataclass(frozen=True)
class Row:
    """One setting: what was simulated, how often it covered, or rejected what is true."""

    table: str
    label: str
    measure: str
    setting: str
    says: str
    rate: str
    replications: str


@dataclass(frozen=True)
class Rule:
    """Rows whose label begins so are of these methods (kind-name) and, if named, these measures."""

    tables: tuple[str, ...]
    label: str
    methods: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()

    def fits(self, row: Row) -> bool:
        return row.table in self.tables and re.fullmatch(self.label, row.label) is not None


SIZES = ("coverage", "shares", "comparison_coverage")
LEVELS = ("type_one", "comparison_type_one")
CALIBRATED = ("calibration_coverage", "calibration_dependence")
CALIBRATION_LINE = ("interval-recalibration",)

RULES = (
    # intervals; of these tables the measure is a column
    Rule(SIZES, r"Wilson( at the effective n( over \d+ clusters)?)?", ("interval-wilson",)),
    Rule(SIZES, "MOVER with Wilson", ("interval-mover",)),
    Rule(
        SIZES,
        r"Newcombe and logit (DeLong|Obuchowski over \d+ clusters)",
        ("interval-newcombe_delong",),
    ),
    Rule(
        SIZES,
        r"studentised bootstrap( of \d+ clusters)?, \d+ draws",
        ("interval-studentised_bootstrap",),
    ),
    Rule(SIZES, r"jackknife( over \d+ clusters)?, Student's t", ("interval-left_out",)),
    Rule(
        SIZES,
        "Dirichlet posterior, (Jeffreys|one case over all cells)",
        ("interval-dirichlet",),
    ),
    Rule(SIZES, "infinitesimal jackknife, logit scale", ("interval-jackknife",)),
    Rule(SIZES, r"t over \d+ clusters", ("interval-cluster_mean",)),
    Rule(SIZES, "Tango", ("interval-tango", "comparison-mcnemar")),
    Rule(SIZES, "MOVER with Tango", ("interval-mover_tango", "comparison-stratified_flip")),
    Rule(
        SIZES,
        r"MOVER of Newcombe and logit (DeLong|Obuchowski over \d+ clusters)",
        ("interval-mover_of_areas",),
    ),
    Rule(SIZES, r"MOVER of both intervals \(.*\)", ("interval-mover_of_both",)),
    Rule(SIZES, "paired jackknife, Student's t", ("interval-paired_left_out",)),
    Rule(SIZES, "paired infinitesimal jackknife", ("interval-paired_jackknife",)),
    # tests against chance
    Rule(LEVELS, "Fisher", ("test-fisher",), ("accuracy",)),
    Rule(LEVELS, "exact binomial", ("test-binomial",)),
    Rule(LEVELS, "McNemar against.*", ("test-mcnemar", "gain-share_skill")),
    Rule(LEVELS, "Mann–Whitney (exact|normal)", ("test-mann_whitney",), ("auc",)),
    Rule(LEVELS, "permutation, Brier", ("test-permutation",), ("brier",)),
    Rule(LEVELS, "permutation, log score", ("test-permutation",), ("log_score",)),
    Rule(LEVELS, "permutation, accuracy", ("test-permutation",), ("accuracy",)),
    Rule(LEVELS, "permutation, mean squared error", ("test-permutation",), ("mse",)),
    Rule(LEVELS, "permutation, Spearman", ("test-permutation",), ("spearman",)),
    Rule(LEVELS, "permutation, concordance", ("test-permutation",), ("c_index",)),
    Rule(LEVELS, "permutation (of|within) clusters, AUC", ("test-permutation",), ("auc",)),
    Rule(LEVELS, "skill, studentised", ("gain-skill",)),
    Rule(LEVELS, "studentised permutation, .*", ("test-studentised_permutation",)),
    # comparisons
    Rule(LEVELS, "McNemar", ("test-mcnemar", "comparison-mcnemar"), ("accuracy",)),
    Rule(LEVELS, "McNemar within the class", ("comparison-mcnemar_within",), ("sensitivity",)),
    Rule(
        LEVELS,
        "stratified sign flip, balanced accuracy",
        ("test-sign_flip", "comparison-stratified_flip"),
        ("balanced_accuracy",),
    ),
    Rule(
        LEVELS,
        "sign flip( of clusters)?, (?!clusters ignored).*",
        ("test-sign_flip", "comparison-mean_difference"),
    ),
    Rule(
        LEVELS,
        "studentised bootstrap of means",
        ("test-studentised_bootstrap", "comparison-mean_difference"),
    ),
    Rule(LEVELS, "DeLong(, t|, Hand–Till)?", ("test-delong", "comparison-delong"), ("auc",)),
    Rule(LEVELS, "Obuchowski", ("test-obuchowski",), ("auc",)),
    Rule(
        LEVELS,
        "paired jackknife, concordance",
        ("test-paired_jackknife", "comparison-paired_jackknife"),
        ("c_index",),
    ),
    Rule(LEVELS, "studentised exchange, F1", ("test-exchange", "comparison-exchange"), ("f1",)),
    Rule(LEVELS, "studentised exchange, MCC", ("test-exchange", "comparison-exchange"), ("mcc",)),
    Rule(LEVELS, "studentised exchange, PPV", ("test-exchange", "comparison-exchange"), ("ppv",)),
    Rule(
        LEVELS,
        "studentised exchange, average precision",
        ("test-exchange", "comparison-exchange"),
        ("average_precision",),
    ),
    Rule(
        LEVELS,
        "studentised exchange, Pearson",
        ("test-exchange", "comparison-exchange"),
        ("pearson",),
    ),
    Rule(
        LEVELS,
        "studentised exchange of clusters, F1",
        ("test-exchange", "comparison-exchange"),
        ("f1",),
    ),
    Rule(LEVELS, "DeLong, unpaired", ("comparison-delong_unpaired",), ("auc",)),
    Rule(LEVELS, "Fisher, unpaired", ("test-fisher_counts", "comparison-two_shares")),
    Rule(LEVELS, "Welch t, unpaired", ("test-welch", "comparison-welch")),
    Rule(LEVELS, "corrected resampled t", ("test-corrected_t", "comparison-corrected_t")),
    Rule(LEVELS, "t-test over folds, not corrected", ("test-naive_t", "comparison-naive_t")),
    # several models at once
    Rule(
        LEVELS,
        "(DeLong|Obuchowski|infinitesimal jackknife) F, .*|DeLong χ², .*",
        ("omnibus-all_equal", "omnibus-areas_of_all"),
    ),
    Rule(LEVELS, "Cochran's Q, .*", ("omnibus-cochran",)),
    Rule(LEVELS, "permutation of clusters among models, .*", ("omnibus-permuted_totals",)),
    Rule(LEVELS, "largest t of all pairs, .*", ("omnibus-largest_difference",)),
    Rule(LEVELS, "losses permuted among .*", ("omnibus-permuted_totals",)),
    # what the defaults avoid
    Rule(LEVELS, "Mann–Whitney(, clusters ignored)?|sign flip, clusters ignored"),
    Rule(LEVELS, "DeLong, normal|plain exchange, PPV|Obuchowski χ², .*"),
    # calibration, utility
    Rule(CALIBRATED, "slope", CALIBRATION_LINE, ("calibration_slope",)),
    Rule(CALIBRATED, "intercept", CALIBRATION_LINE, ("calibration_intercept",)),
    Rule(CALIBRATED, "in the large", CALIBRATION_LINE, ("calibration_in_the_large",)),
    Rule(
        CALIBRATED,
        "observed/expected",
        ("interval-observed_expected",),
        ("observed_expected_ratio",),
    ),
    Rule(CALIBRATED, r"net benefit at \S+", ("interval-two_shares",), ("net_benefit",)),
    Rule(CALIBRATED, r"gain at \S+", ("gain-net_gain",)),
    Rule(CALIBRATED, r"difference of net benefits at \S+", ("comparison-resampled",)),
    Rule(CALIBRATED, "likelihood ratio, line", ("test-likelihood_ratio",)),
    Rule(
        CALIBRATED,
        "likelihood ratio, in the large",
        ("test-likelihood_ratio",),
        ("calibration_in_the_large",),
    ),
    Rule(CALIBRATED, "Hosmer–Lemeshow, G df", ("test-hosmer_lemeshow",), ("hosmer_lemeshow",)),
    Rule(CALIBRATED, "Spiegelhalter", ("test-spiegelhalter",), ("spiegelhalter_z",)),
    Rule(CALIBRATED, "simulated, ece", ("test-calibration",), ("ece",)),
    Rule(CALIBRATED, "simulated, ici", ("test-calibration",), ("ici",)),
    Rule(
        CALIBRATED,
        "slope of numbers",
        ("interval-linear_calibration",),
        ("linear_calibration_slope",),
    ),
    Rule(
        CALIBRATED,
        "intercept of numbers",
        ("interval-linear_calibration",),
        ("linear_calibration_intercept",),
    ),
    Rule(
        CALIBRATED,
        "observed expected at",
        ("interval-observed_expected_at",),
        ("observed_expected_at",),
    ),
    Rule(CALIBRATED, "calibration slope at", (), ("calibration_slope_at",)),
    # bands of curves, thresholds, and what is refused because of this
    Rule(CALIBRATED, "band, .*|chosen threshold, .*|percentile bootstrap of .*"),
)


@cache
def rows() -> tuple[Row, ...]:
    """Every row of the tables."""
    return tuple(row for table in PAGES for row in _read(table))


def rule_of(row: Row) -> Rule:
    """The rule that says what a row is of."""
    (found,) = [rule for rule in RULES if rule.fits(row)]
    return found


def of_method(kind: str, name: str) -> list[Row]:
    return [row for row in rows() if f"{kind}-{name}" in rule_of(row).methods and _honest(row)]


def of_measure(name: str) -> list[Row]:
    return [
        row
        for row in rows()
        if (row.measure == name or name in rule_of(row).measures) and _honest(row)
    ]


def table(found: list[Row]) -> str:
    """The rows as a table of a page, with a link to where they come from."""
    from .measures import table as listed

    if not found:
        return "Not simulated.\n"
    heads = ("simulated", "setting", "what", "rate", "samples")
    cells = [
        (_escaped(row.label), _escaped(row.setting), row.says, row.rate, row.replications)
        for row in found
    ]
    sources = sorted({PAGES[row.table] for row in found})
    links = ", ".join(f":doc:`/evidence/{source}`" for source in sources)
    return (
        "How often 95 % intervals covered the true value (0.95 is right) and tests at level 0.05 "
        "rejected what is true (0.05 at most is right; exact tests of few cases stay below). "
        f"From {links}.\n\n" + listed(heads, cells)
    )


def _honest(row: Row) -> bool:
    """Whether the method was used as it is meant to be."""
    return "ignored" not in row.setting and "ignored" not in row.label


def _read(table: str) -> list[Row]:
    text = (TABLES / f"{table}.md").read_text("utf-8")
    stated = re.search(r"--replications (\d+)", text)
    found, heads = [], []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("#"):
            heads = []
        elif line.startswith("|") and not heads:
            heads = cells
        elif line.startswith("|") and not line.startswith("|---"):
            known = dict(zip(heads, cells, strict=True))
            label = known.get("interval") or known.get("test") or known.get("what")
            if label:
                found.append(_row(table, label, known, stated[1] if stated else ""))
    return found


def _row(table: str, label: str, known: dict[str, str], stated: str) -> Row:
    rate = next(
        known[head]
        for head in ("coverage", "mean coverage", "rejection rate", "rate")
        if head in known
    )
    if known.get("least"):
        rate = f"{rate} (least {known['least']})"
    exact = table == "shares"
    test = "rejection rate" in known or (table in CALIBRATED and float(known["rate"]) < 0.5)
    return Row(
        table=table,
        label=label,
        measure=known.get("measure", ""),
        setting=known.get("setting") or f"n = {known['cases']}",
        says=LEVEL if test else COVERAGE,
        rate=rate,
        replications="exact" if exact else known.get("replications", stated),
    )


def _escaped(text: str) -> str:
    return re.sub(r"([*_`|\\])", r"\\\1", text)
