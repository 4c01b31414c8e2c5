"""Is one model really better than another? Paired answers with the size of the difference."""

from typing import TYPE_CHECKING

from abovechance.lazy import lazily

if TYPE_CHECKING:
    from abovechance.inference.comparison.comparing import compare
    from abovechance.inference.comparison.folds import five_by_two
    from abovechance.inference.comparison.items import compare_items
    from abovechance.inference.comparison.letters import compact_letters
    from abovechance.inference.comparison.results import (
        Comparison,
        Difference,
        Margin,
        Omnibus,
        Place,
        Posterior,
    )

_HOMES = {
    "Comparison": "results",
    "Difference": "results",
    "Margin": "results",
    "Omnibus": "results",
    "Place": "results",
    "Posterior": "results",
    "compact_letters": "letters",
    "compare": "comparing",
    "compare_items": "items",
    "five_by_two": "folds",
}

__all__ = [
    "Comparison",
    "Difference",
    "Margin",
    "Omnibus",
    "Place",
    "Posterior",
    "compact_letters",
    "compare",
    "compare_items",
    "five_by_two",
]

__getattr__ = lazily(__name__, _HOMES)
