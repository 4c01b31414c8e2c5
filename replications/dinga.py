"""Studies of Dinga et al., "Beyond accuracy": power against chance and against another model.

The paper has no table of numbers; the values beside ours come from an independent simulation of
what its code does.
"""

from dataclasses import replace

from abovechance.studies import CorrelatedModels, GaussianPredictions, Trained, TrainedOnLess
from replications.claims import least_power, shortfall
from replications.study import Expected, Key, Study

SOURCE = "Dinga, Penninx, Veltman, Schmaal & Marquand (2019), Beyond accuracy"
TESTS = {
    "accuracy": "binomial",
    "AUC": "wilcoxon",
    "Brier": "permutation.brier",
    "log": "permutation.log_score",
}
PAIRED = {
    "accuracy": "accuracy",
    "AUC": "delong",
    "Brier": "sign_flip.brier",
    "log": "sign_flip.log_score",
}
INDEPENDENT = "an independent simulation of the paper's code (the paper has no numbers)"
KERNEL = "the kernel is Gaussian, as in the paper's code; its text says linear"
AS_PRINTED = "the kernel is linear, as the paper's text says; its code had a Gaussian one"
CAPTION = "a Gaussian process classifier, as in the paper's code; its caption says SVM"
FEATURES = "50 signal and 50 noise features, not the 3 and 3 of the study against chance"
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)

SIZES = (20, 80, 140, 200)
# Accuracy, AUC, Brier score, log score at each size; 1000 replications.
AGAINST_CHANCE = {
    0.0: (
        (0.028, 0.037, 0.050, 0.048),
        (0.056, 0.063, 0.060, 0.058),
        (0.041, 0.055, 0.059, 0.062),
        (0.032, 0.043, 0.042, 0.044),
    ),
    0.5: (
        (0.107, 0.245, 0.272, 0.272),
        (0.548, 0.686, 0.695, 0.701),
        (0.723, 0.879, 0.892, 0.893),
        (0.844, 0.963, 0.967, 0.972),
    ),
    1.0: (
        (0.376, 0.647, 0.677, 0.683),
        (0.970, 0.998, 0.998, 0.999),
        (0.999, 1.0, 1.0, 1.0),
        (1.0, 1.0, 1.0, 1.0),
    ),
}

PAIR_SIZES = (20, 120, 220, 320, 420)
# By cases per class; 300 replications, and 200 when the models are equally good.
COMPARED = {
    (20, 0.05): (0.000, 0.120, 0.277, 0.320),
    (120, 0.05): (0.117, 0.917, 0.950, 0.950),
    (220, 0.05): (0.250, 0.990, 0.990, 0.990),
    (320, 0.05): (0.423, 1.0, 1.0, 1.0),
    (420, 0.05): (0.503, 1.0, 1.0, 1.0),
    (20, 0.0): (0.0, 0.02, 0.05, 0.05),
    (220, 0.0): (0.035, 0.04, 0.045, 0.04),
}


def _simulated() -> dict[Key, Expected]:
    return {
        (test, n, effect): Expected(power, 1000)
        for effect, rows in AGAINST_CHANCE.items()
        for n, row in zip(SIZES, rows, strict=True)
        for test, power in zip(TESTS, row, strict=True)
    }


def _compared() -> dict[Key, Expected]:
    return {
        (test, n, effect): Expected(power, 300 if effect else 200)
        for (n, effect), row in COMPARED.items()
        for test, power in zip(TESTS, row, strict=True)
    }


TRAINED = Study(
    name="dinga-compare-trained",
    title="Power against an alternative model, trained on a share of the rows (the effect)",
    source=SOURCE,
    design=TrainedOnLess(),
    n=(100,),
    effects=SHARES,
    tests=PAIRED,
    draws=999,
    rule="standard",
    replications=100,
    departures=(CAPTION, FEATURES),
    size="n per class",
    claims=least_power,
)
SVM = Study(
    name="dinga-power-svm",
    title="Power against chance, a support vector machine on simulated features",
    source=SOURCE,
    design=Trained(),
    n=(40, 80, 120, 160),
    effects=(0.0, 0.3),
    tests=TESTS,
    draws=499,
    rule="standard",
    replications=100,
    departures=(
        KERNEL,
        "n is the code's parameter: 2n rows to learn from and 2n to test; its last value is "
        "160, not 140",
        "probabilities by Platt's method with three folds, in scikit-learn instead of kernlab",
    ),
    size="n per class",
    claims=shortfall,
)
DINGA = (
    Study(
        name="dinga-power-simulated",
        title="Power against chance, simulated predictions δ standard deviations apart",
        source=SOURCE,
        design=GaussianPredictions(),
        n=SIZES,
        effects=(0.0, 0.5, 1.0),
        tests=TESTS,
        draws=499,
        rule="standard",
        replications=500,
        expected=_simulated(),
        reference=INDEPENDENT,
        departures=(
            "the paper's text says 1 standard deviation; its code, and its figure, have 0.5: "
            "where the other tests have 80 % power accuracy has about 60 % only there",
            "permutations are a fixed number here, not a sequential test of at most 5000 steps; "
            "p = (1 + k)/(B + 1), never 0",
        ),
        claims=shortfall,
    ),
    Study(
        name="dinga-compare",
        title="Power against an alternative model, simulated predictions",
        source=SOURCE,
        design=CorrelatedModels(per_class=True),
        n=PAIR_SIZES,
        effects=(0.0, 0.05),
        tests=PAIRED,
        draws=999,
        rule="standard",
        replications=500,
        expected=_compared(),
        reference=INDEPENDENT,
        departures=(
            "an area is never turned round; the paper's DeLong test chose the direction of each "
            "curve by itself",
        ),
        size="n per class",
        claims=least_power,
    ),
    SVM,
    replace(
        SVM,
        name="dinga-power-svm-linear",
        title="Power against chance, a linear support vector machine on simulated features",
        design=Trained(kernel="linear"),
        departures=(AS_PRINTED, *SVM.departures[1:]),
    ),
    TRAINED,
    replace(
        TRAINED,
        name="dinga-compare-trained-null",
        title="The same with the models' predictions exchanged at random, so that none is better",
        design=TrainedOnLess(exchanged=True),
        claims=None,
    ),
)
