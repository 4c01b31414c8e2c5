"""Methods that this package adds: here a test against chance for areas under the ROC curve."""

from typing import Any

from abovechance import methods, significance
from abovechance.inference.results import Test
from abovechance.measures import Law, Measure
from abovechance.predictions import Binary

BRUNNER = """@article{brunner2000,
  author = {Brunner, Edgar and Munzel, Ullrich},
  title = {The nonparametric Behrens-Fisher problem: \
asymptotic theory and a small-sample approximation},
  journal = {Biometrical Journal},
  volume = {42},
  number = {1},
  pages = {17--25},
  year = {2000},
}"""


@methods.test(
    title="Brunner–Munzel",
    words="Brunner and Munzel's test",
    hypothesis="a positive case is as likely to have the lower as the higher score of a pair",
    source=BRUNNER,
    laws=[Law.PAIRS],
    smallest=10,
)
def brunner_munzel(measure: Measure, predictions: Binary, settings: Any) -> float | Test:
    """The area under the ROC curve is a half, however differently the two classes are spread.

    Mann and Whitney's test takes the scores of both classes for equally distributed under chance.
    This one asks for the area alone, at the price of an approximation (Student's t).
    Where the scores of the classes do not overlap there is no spread to go by; the answer is then
    that of Mann and Whitney, under its own name.

    Examples
    --------
    >>> from abovechance.measures import auc
    >>> from abovechance.predictions import Binary
    >>> y, score = [0] * 6 + [1] * 6, [1, 2, 3, 4, 5, 6, 3, 5, 7, 8, 9, 10]
    >>> brunner_munzel(auc, Binary(y, score=score), None)
    0.0107
    """
    from scipy.stats import brunnermunzel

    positive, score = predictions.positive, predictions.ranking
    above, below = score[positive], score[~positive]
    if above.min() > below.max() or above.max() < below.min():
        return significance.mann_whitney(predictions)
    return float(brunnermunzel(below, above, alternative="less").pvalue)
