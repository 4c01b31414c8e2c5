"""All that a power depends on, in words: the test and its sides, the design, its effect."""

from dataclasses import dataclass

from abovechance.studies.questions import QUESTIONS
from abovechance.studies.samples import Design, Groups, Pair, Predicted, UserTest, name_of
from abovechance.studies.verbs import method_for

AGAINST_CHANCE = {
    "auc": "Mann–Whitney test of the AUC",
    "brier": "Permutation test of the Brier score",
    "log_score": "Permutation test of the log score",
    "fisher": "Fisher's exact test",
    "binomial": "Binomial test of accuracy",
    "wilcoxon": "Wilcoxon test of the AUC",
    "skill.accuracy": "McNemar's test of accuracy against always the larger class",
    "skill.brier": "Test of skill by the Brier score",
    "skill.log_score": "Test of skill by the log score",
    "permutation.brier": "Permutation test of the Brier score",
    "permutation.log_score": "Permutation test of the log score",
}
OF_TWO_MODELS = {
    "accuracy": "McNemar's test of accuracy",
    "auc": "DeLong's test of the AUC",
    "brier": "Paired test of the Brier score",
    "log_score": "Paired test of the log score",
    "delong": "DeLong's test of the AUC by the normal law",
    "sign_flip.brier": "Sign-flip test of the Brier score",
    "sign_flip.log_score": "Sign-flip test of the log score",
}
SIDES = {"greater": "one-sided", "two-sided": "two-sided"}


def title_of(test: str | UserTest, label: str, kind: type) -> str | None:
    """A test in words; None for statistics of two groups and tests of one's own."""
    if not isinstance(test, str) or kind is Groups:
        return None
    if "=" in test:
        words = method_for(test, kind).worded()
        return f"{words[0].upper()}{words[1:]}, of {_measure(label.partition('=')[0])}"
    if kind is Pair:
        return OF_TWO_MODELS.get(test) or f"Paired test of {_measure(label)}"
    if test == "fisher" and label != test:
        return f"{AGAINST_CHANCE[test]} of {_measure(label)}"
    return AGAINST_CHANCE.get(test) or f"Permutation test of {_measure(label)}"


def _measure(label: str) -> str:
    from abovechance.measures import find

    title = find(label).title
    plain = title[:1].isupper() and title[1:2].islower() and "'" not in title.split()[0]
    return title[0].lower() + title[1:] if plain else title


def alternative_of(test: str | UserTest, kind: type) -> str | None:
    """Which side a test looks at: "greater" against chance, "two-sided" between models."""
    if not isinstance(test, str) or kind is Groups:
        return None
    return "greater" if kind is Predicted else "two-sided"


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the powers of a design depend on besides sizes; `effect_scale` says what effects are."""

    effect_scale: str | None = None
    prevalence: float | None = None
    threshold: float | None = None


def facts_of(design: Design) -> Facts:
    """What a design says of itself; one's own may say it by attributes of the same names."""
    return Facts(
        effect_scale=getattr(design, "effect_scale", None),
        prevalence=getattr(design, "prevalence", None),
        threshold=getattr(design, "threshold", None),
    )


def setting_of(design: Design, effect: float) -> str:
    """The design at an effect, in words.

    >>> from abovechance.studies import Binormal
    >>> setting_of(Binormal(0.1), 0.7)
    'a calibrated model with an AUC of 0.7, 10% of the cases positive'
    """
    words = getattr(design, "words", None)
    return str(words(effect)) if callable(words) else f"{name_of(design)} with effect {effect:g}"


def sides(alternatives: set[str | None]) -> str:
    """How many sides tests have, in a word before "tests"; nothing where that is not known.

    >>> sides({"greater"}), sides({"greater", None})
    ('one-sided ', '')
    """
    (one,) = alternatives if len(alternatives) == 1 else (None,)
    return "" if one is None else f"{SIDES[one]} "


def kind_in_words(words: str) -> type | None:
    """The kind of sample that a question in words is about."""
    return next((kind for kind, said in QUESTIONS.items() if said == words), None)
