"""Titles and lists within sentences."""

import re
from collections.abc import Sequence

MOST = 6  # names in a list before the rest is counted
NAMES = {"Brier", "Cohen", "Matthews", "Tjur", "Youden", "Somers", "Pearson", "Spearman", "Kendall",
         "Nagelkerke", "Cox", "McFadden", "Uno", "Harrell", "Kolmogorov", "Jaccard", "Hosmer",
         "Spiegelhalter", "Hotelling", "Srivastava", "Fisher", "Mann", "Goeman",
         "Simes", "Cai"}  # fmt: skip
COUNTED = re.compile(
    r"\b(score|area|correlation|rate|value|ratio|index|loss|error|distance|slope|intercept|part|"
    r"coefficient|statistic|mean|concordance|cost|test)\b",
    re.IGNORECASE,
)


def lower(title: str) -> str:
    """A title within a sentence: names and abbreviations keep their capitals.

    >>> lower("Balanced accuracy"), lower("F1"), lower("Tjur's R²"), lower("Brier score")
    ('balanced accuracy', 'F1', "Tjur's R²", 'Brier score')
    >>> lower("Sensitivity, mean over classes"), lower("Brier score, summed over classes")
    ('mean sensitivity over classes', 'Brier score (summed over classes)')
    """
    main, comma, about = title.partition(", ")
    if comma and about.startswith("mean over "):
        return f"mean {lower(main)} {about.removeprefix('mean ')}"
    if comma:
        return f"{lower(main)} ({about})"
    first = title.split(" ")[0].split("-")[0].split("–")[0]
    keeps = not first[:1].isupper() or first != first.capitalize() or re.search(r"\d|^.$", first)
    named = re.sub("[’']s?$", "", first) in NAMES
    return title if keeps or named else title[:1].lower() + title[1:]


def the(title: str) -> str:
    """A title within a sentence, with an article where one would say it.

    >>> the("Log score"), the("Accuracy"), the("Tjur's R²"), the("F1, mean over classes")
    ('the log score', 'accuracy', "Tjur's R²", 'the mean F1 over classes')
    """
    main = lower(title).partition(" (")[0]
    counted = COUNTED.search(main) and not re.search("[’']s ", main)
    return f"the {lower(title)}" if counted else lower(title)


def capital(sentence: str) -> str:
    """A sentence with a capital at its beginning, unless it begins with a name from the data.

    >>> capital("the area"), capital("p_value(x) is")
    ('The area', 'p_value(x) is')
    """
    word = sentence.split(" ")[0].rstrip(",;:")
    return sentence[:1].upper() + sentence[1:] if word.isalpha() else sentence


def listed(items: Sequence[str], most: int | None = None) -> str:
    """Items in a row, as one says them; those beyond `most` are counted.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(list("abcd"), 3)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    if most is not None and len(items) > most:
        return f"{', '.join(items[: most - 1])} and {len(items) - most + 1} more"
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
