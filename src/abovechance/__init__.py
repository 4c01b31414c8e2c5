"""Is this predictive model really any good, and how sure are we?

    import abovechance as ac
    print(ac.assess(y, p))

Verbs
    assess, assess_stream                   every measure of predictions, or of a file of any size
    compare, thresholds                     two models or more; where to cut
    compare_items                           models from one row per item and model
    permutation_test, detect                does a learner beat chance; do classes differ
    validate, learning_curve                how good on new cases; would more cases help
    select, stability                       which features; which of them again and again
    reliability                             can the cross-validation be believed
    searchlight, decode_over_time           where in a brain, or when, classes differ
    group_maps                              where several subjects carry a signal
    power, sample_size                      how many cases it takes
    plot, report                            pictures and pages of any result
    read                                    predictions from files and dataframes
    from_estimator, from_cv                 predictions of scikit-learn estimators
    from_cross_validate                     predictions behind its cross_validate
Predictions
    Binary, Multiclass, Numeric, Survival   outcomes beside what was predicted
Collections
    measures, measure                       every measure, callable; how to declare one
    intervals, significance                 the methods behind the verbs, each by its name
    posterior, curves                       what is known after the data; curves with bands
    maps                                    maps of subjects, read and simulated
    studies, plots, examples, errors        designs, displays, data sets, what is refused
    testing                                 a stated goal as an assertion of a test suite
Where work is done
    Serial, Processes, Dask, Store          for workers= and store=
Types
    Assessment, Comparison                  what assess and compare return
    AboveChanceError                        anything that is refused

Nothing heavy is loaded before it is used.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from abovechance import errors, examples, maps, measures, plots, studies, testing
    from abovechance.errors import AboveChanceError
    from abovechance.inference import (
        Assessment,
        Comparison,
        assess,
        compare,
        curves,
        detect,
        intervals,
        permutation_test,
        posterior,
        significance,
    )
    from abovechance.inference import method as methods
    from abovechance.inference.cv_reliability import reliability
    from abovechance.inference.forward_selection import select
    from abovechance.inference.items import compare_items
    from abovechance.inference.learning_curves import learning_curve
    from abovechance.inference.stability_selection import stability
    from abovechance.inference.streaming import assess_stream
    from abovechance.inference.thresholds import thresholds
    from abovechance.inference.validation import validate
    from abovechance.io import read
    from abovechance.learning import from_cross_validate, from_cv, from_estimator
    from abovechance.maps import decode_over_time, group_maps, searchlight
    from abovechance.measures.measure import measure
    from abovechance.plots import plot
    from abovechance.predictions import Binary, Multiclass, Numeric, Survival
    from abovechance.reports import report
    from abovechance.resampling import Dask, Processes, Serial, Store
    from abovechance.studies import power, sample_size

_HOMES = {
    "AboveChanceError": "abovechance.errors",
    "Assessment": "abovechance.inference",
    "Binary": "abovechance.predictions",
    "Comparison": "abovechance.inference",
    "Dask": "abovechance.resampling",
    "Multiclass": "abovechance.predictions",
    "Numeric": "abovechance.predictions",
    "Processes": "abovechance.resampling",
    "Serial": "abovechance.resampling",
    "Store": "abovechance.resampling",
    "Survival": "abovechance.predictions",
    "assess": "abovechance.inference",
    "assess_stream": "abovechance.inference.streaming",
    "compare": "abovechance.inference",
    "compare_items": "abovechance.inference.items",
    "decode_over_time": "abovechance.maps",
    "detect": "abovechance.inference",
    "from_cross_validate": "abovechance.learning",
    "from_cv": "abovechance.learning",
    "from_estimator": "abovechance.learning",
    "learning_curve": "abovechance.inference.learning_curves",
    "group_maps": "abovechance.maps",
    "measure": "abovechance.measures.measure",
    "permutation_test": "abovechance.inference",
    "plot": "abovechance.plots",
    "power": "abovechance.studies",
    "read": "abovechance.io",
    "reliability": "abovechance.inference.cv_reliability",
    "sample_size": "abovechance.studies",
    "select": "abovechance.inference.forward_selection",
    "stability": "abovechance.inference.stability_selection",
    "report": "abovechance.reports",
    "searchlight": "abovechance.maps",
    "thresholds": "abovechance.inference.thresholds",
    "validate": "abovechance.inference.validation",
}
_MODULES = {
    "curves": "abovechance.inference.curves",
    "errors": "abovechance.errors",
    "examples": "abovechance.examples",
    "intervals": "abovechance.inference.intervals",
    "maps": "abovechance.maps",
    "measures": "abovechance.measures",
    "methods": "abovechance.inference.method",
    "plots": "abovechance.plots",
    "posterior": "abovechance.inference.posterior",
    "significance": "abovechance.inference.significance",
    "studies": "abovechance.studies",
    "testing": "abovechance.testing",
}

__all__ = [
    "AboveChanceError",
    "Assessment",
    "Binary",
    "Comparison",
    "Dask",
    "Multiclass",
    "Numeric",
    "Processes",
    "Serial",
    "Store",
    "Survival",
    "assess",
    "assess_stream",
    "compare",
    "compare_items",
    "curves",
    "decode_over_time",
    "detect",
    "errors",
    "examples",
    "from_cross_validate",
    "from_cv",
    "from_estimator",
    "group_maps",
    "intervals",
    "learning_curve",
    "maps",
    "measure",
    "measures",
    "methods",
    "permutation_test",
    "plot",
    "plots",
    "posterior",
    "power",
    "read",
    "reliability",
    "report",
    "sample_size",
    "searchlight",
    "select",
    "significance",
    "stability",
    "studies",
    "testing",
    "thresholds",
    "validate",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module
    from types import FunctionType

    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        if isinstance(value, FunctionType):
            value = import_module("abovechance.gate").gated(value, __name__)
    elif name in _MODULES:
        value = import_module(_MODULES[name])
    else:
        import sys

        # with name and obj Python itself adds: Did you mean 'assess'?
        said = f"module 'abovechance' has no attribute {name!r}"
        raise AttributeError(said, name=name, obj=sys.modules[__name__])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
