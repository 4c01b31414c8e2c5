"""Measures that this package adds: declared as abovechance declares its own."""

from abovechance import measure
from abovechance.arrays import Floats
from abovechance.measures import Family, Form, Law
from abovechance.predictions import View


@measure(
    title="Spherical score",
    form=Form.LOSSES,
    family=Family.QUADRATIC,
    reads=View.PROBABILITY,
    range=(0.0, 1.0),
    best=1.0,
    law=Law.MEAN,
    source="Good (1971)",
    outcomes=frozenset({"binary"}),
    directed=True,
    aliases=("good_score",),
)
def spherical(outcome: Floats, probability: Floats) -> Floats:
    r"""Probability of what happened, over the length of all probabilities of a case.

    .. math:: \frac{1}{n} \sum_i \frac{p_i(y_i)}{\sqrt{p_i^2 + (1 - p_i)^2}}

    A proper score like Brier's, and like the log score in that it is larger for better
    predictions. Always predicting one half scores :math:`1/\sqrt 2`.

    Examples
    --------
    >>> spherical([0, 1], [0.5, 1.0])
    0.854
    """
    given = outcome * probability + (1.0 - outcome) * (1.0 - probability)
    return given / (probability**2 + (1.0 - probability) ** 2) ** 0.5
