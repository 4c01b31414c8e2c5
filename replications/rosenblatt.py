"""Figures of Rosenblatt, Gilron & Mukamel (2016), "Better-than-chance classification"."""

from math import sqrt

from abovechance.studies import Design, Mixture, Scale, Shift
from replications.rosenblatt_values import POWERS
from replications.study import Expected, Key, Study

SOURCE = (
    "Rosenblatt, Gilron & Mukamel (2016), Better-than-chance classification for signal detection"
)
USUAL = (0.0, 0.25, 0.5)
KNOWN = {"Oracle": "oracle"}  # not in the paper of 2016: the bound no test passes
RULE = (
    "p = k/B without +1, rejected at p ≤ 0.05, with 300 permutations: as in the code, not the text"
)
SCALED_BY_FOLD = frozenset({"lda.CV.2", "svm.CV.3", "svm.CV.4"})
SCALED = (
    "z-scored statistics as in the code: an absolute value in every fold, which no one should use; "
    "where a fold has one class only they are undefined and reject nothing"
)


def table_one(folds: int = 8, balanced: bool = True) -> dict[str, str]:
    """Table 1: population tests, and accuracies by cross-validation and by resubstitution."""
    how = f"cv{folds}" + ("" if balanced else ".unbalanced")
    return {
        "Hotelling": "hotelling",
        "Hotelling.shrink": "hotelling_shrink",
        "sd": "srivastava_du",
        "lda.CV.1": f"lda.{how}",
        "lda.CV.2": f"lda.{how}.legacy_z",
        "lda.noCV.1": "lda.resub",
        "lda.noCV.2": "lda.resub.legacy_z",
        "svm.CV.1": f"svm.c10.{how}",
        "svm.CV.2": f"svm.c0.1.{how}",
        "svm.CV.3": f"svm.c10.{how}.legacy_z",
        "svm.CV.4": f"svm.c0.1.{how}.legacy_z",
        "svm.noCV.1": "svm.c10.resub",
        "svm.noCV.2": "svm.c0.1.resub",
        "svm.noCV.3": "svm.c10.resub.legacy_z",
        "svm.noCV.4": "svm.c0.1.resub.legacy_z",
    }


def _first(names: str, folds: int = 8) -> dict[str, str]:
    every = table_one(folds)
    return {name: every[name] for name in names.split()}


BOOTSTRAP = {
    **_first(
        "Hotelling Hotelling.shrink sd lda.CV.1 lda.CV.2 lda.noCV.1 lda.noCV.2 svm.CV.1 svm.CV.2"
    ),
    "svm.Boot.1": "svm.c10.b632.B10",
    "svm.Boot.2": "svm.c10.bloo.B10",
    "svm.Boot.3": "svm.c10.b632.B50",
    "svm.Boot.4": "svm.c10.bloo.B50",
    "lda.Boot.1": "lda.b632.B10",
    "lda.Boot.2": "lda.bloo.B10",
}
HIGH_DIMENSION = {
    **_first("Hotelling Hotelling.shrink sd lda.CV.1 svm.CV.1 svm.CV.2", folds=4),
    "lda.highdim.1": "dlda.cv4",
    "lda.highdim.2": "hdrda.cv4",
    "lda.highdim.3": "sdlda.cv4",
    "lda.highdim.4": "sdlda.b632.B50",
    "svm.highdim.1": "l2svm.c10.cv4",
    "svm.highdim.2": "l2svm.c10.b632.B50",
    "svm.highdim.1 (C = 0.1)": "l2svm.c0.1.cv4",  # as in the file of the authors' code
}


def _figure(
    number: str,
    title: str,
    design: Design,
    tests: dict[str, str],
    *departures: str,
    n: tuple[int, ...] = (40,),
    effects: tuple[float, ...] = USUAL,
    replications: int = 100,
    runs: int = 4000,
) -> Study:
    expected: dict[Key, Expected] = {
        (name, n[0], effect): Expected(power, runs)
        for name, powers in POWERS.get(number, {}).items()
        for effect, power in zip(effects, powers, strict=True)
    }
    return Study(
        name=f"rosenblatt-fig{number}",
        title=title,
        source=f"{SOURCE}, Figure {number}",
        design=design,
        n=n,
        effects=effects,
        tests={**tests, **KNOWN} if isinstance(design, Shift | Scale) else tests,
        draws=300,
        rule="paper",
        replications=replications,
        expected=expected,
        departures=(RULE, *departures),
        artefacts=SCALED_BY_FOLD,
    )


HDRDA = "lda.highdim.2 is plain LDA: the code calls the regularised method without regularising"
COST = (
    "svm.highdim.* has cost 10, as the paper's Table 3 prints; the authors' code has 0.1, with "
    "which svm.highdim.1 rejects more often at effect 0.5 than the figure shows: the row with "
    "C = 0.1, and 0.850 in 1000 other replications. Costs of 1 and 10 were tried after that was "
    "seen, and both meet svm.highdim.1; svm.highdim.2 has the same power at 0.1 and at 10"
)
CONVERGED = (
    "svm.highdim.* are trained until they converge, which is not why they differ from the code: "
    "on 900 data sets of effect 0.5 LIBLINEAR's algorithm with cost 0.1 rejected 82.8 %, 83.0 % "
    "and 83.1 % at tolerances of 0.1, 0.01 and 0.0001"
)
LARGE = "the paper's Fig. 10a has 4 folds, not 8 as its text says"

ROSENBLATT = (
    _figure("2", "Bootstrap", Shift(), BOOTSTRAP, SCALED, replications=50, runs=2000),
    _figure(
        "3",
        "High-dimensional classifiers, 4 folds",
        Shift(),
        HIGH_DIMENSION,
        HDRDA,
        COST,
        CONVERGED,
        replications=30,
        runs=2000,
    ),
    _figure("4", "Mixture", Mixture(), table_one(), SCALED),
    _figure("5a", "Shift, unbalanced 8 folds", Shift(), table_one(balanced=False), SCALED),
    _figure("5b", "Shift, balanced 8 folds", Shift(), table_one(), SCALED),
    _figure("6a", "Shift, balanced 2 folds", Shift(), table_one(2), SCALED),
    _figure("6b", "Shift, balanced 20 folds", Shift(), table_one(20), SCALED),
    _figure("7a", "Shift, unbalanced 2 folds", Shift(), table_one(2, balanced=False), SCALED),
    _figure("7b", "Shift, unbalanced 20 folds", Shift(), table_one(20, balanced=False), SCALED),
    _figure("8a", "Scale", Scale(), table_one(), SCALED, effects=(1.0, 1.1, 1.2)),
    _figure("8b", "Shift in heavy tails, t with 3 df", Shift(tails=3.0), table_one(), SCALED),
    _figure(
        "9",
        "Size at n = 40 and n = 400",
        Shift(),
        table_one(),
        SCALED,
        "8 folds at both sizes; the paper's panel of n = 400 is the null of Figure 10a, with 4",
        n=(40, 400),
        effects=(0.0,),
        replications=20,
    ),
    _figure(
        "10a",
        "Local shift in large samples, 4 folds",
        Shift(),
        table_one(4),
        LARGE,
        SCALED,
        n=(400,),
        effects=tuple(effect / sqrt(10) for effect in USUAL),
        replications=10,
    ),
    _figure(
        "10b",
        "Shift in AR(1) noise, unbalanced 8 folds",
        Shift(noise="ar1", rho=0.8, decimals=2),
        table_one(balanced=False),
        "the covariance is rounded to two decimals and the folds are unbalanced, as in the code",
        SCALED,
    ),
)
