"""Sentences that can be read on a page, pasted into a manuscript, or set by LaTeX.

A sentence is a string in which labels from the data and citations are marked by characters that
no label can hold (`shown` replaces them), so that each rendering treats them as it must.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup, escape

from abovechance.format import shown, turns

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
OPEN, CLOSE, CITE = "\ue000", "\ue001", "\ue002"
MARKED = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}|{CITE}([^{CITE}]*){CITE}")


def label(text: object) -> str:
    """A name from the data, for use within a sentence."""
    return f"{OPEN}{shown(text)}{CLOSE}"


def cite(*keys: str) -> str:
    """A citation, for use within a sentence."""
    return f"{CITE}{','.join(keys)}{CITE}" if keys else ""


def cited_in(sentence: str) -> list[str]:
    """The keys that a sentence cites.

    >>> cited_in(f"By one{cite('a')} or both{cite('a', 'b')}.")
    ['a', 'a', 'b']
    """
    return [key for match in MARKED.finditer(sentence) if match[2] for key in match[2].split(",")]


def as_text(sentence: str, authors: Mapping[str, str]) -> str:
    """The sentence as plain text; `authors` say how each key is cited.

    >>> as_text(f"Intervals of {label('p <x>')}{cite('w')}.", {"w": "Wilson 1927"})
    'Intervals of p <x> (Wilson 1927).'
    """
    return _rendered(sentence, str, str, lambda keys: f" ({_named(keys, authors)})")


def as_html(sentence: str, authors: Mapping[str, str]) -> Markup:
    """The sentence as HTML, labels kept from turning their surroundings around.

    >>> as_html(f"Of {label('<x>')}{cite('w')}.", {"w": "Wilson 1927"})
    Markup('Of &lt;x&gt; (Wilson 1927).')
    >>> as_html(f"Of {label('מודל')}.", {})
    Markup('Of <bdi>מודל</bdi>.')
    """
    return Markup(
        _rendered(
            sentence,
            lambda text: str(escape(P.sub("p\u00a0\\1\u00a0\\2", text))),
            lambda text: f"<bdi>{escape(text)}</bdi>" if turns(text) else str(escape(text)),
            lambda keys: f" ({escape(_named(keys, authors))})",
        )
    )


def as_latex(sentence: str) -> str:
    r"""The sentence for LaTeX: special characters escaped, p-values and signs as mathematics.

    >>> print(as_latex(f"{label('a_b')}: 95% of −0.12, p < 0.001{cite('w')}."))
    a\_b: 95\% of $-$0.12, $p < 0.001$~\citep{w}.
    """
    return _rendered(sentence, _mathematics, escaped, lambda keys: f"~\\citep{{{keys}}}")


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is.

    >>> escaped("50% of {x}_1 & \\\\ß")
    '50\\\\% of \\\\{x\\\\}\\\\_1 \\\\& \\\\textbackslash{}ß'
    """
    return "".join(LATEX.get(c, c) for c in text)


LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
P = re.compile(r"\bp ([<=]) ([\d.]+(?:e-\d+)?)")
SIGNS = {"−": "$-$", "∞": r"$\infty$", "²": r"\textsuperscript{2}", "\u202f": r"\,", "–": "--"}


def _mathematics(text: str) -> str:
    parts, last = [], 0
    for match in P.finditer(text):
        parts.append(_signs(escaped(text[last : match.start()])))
        parts.append(f"$p {match[1]} {match[2]}$")
        last = match.end()
    return "".join([*parts, _signs(escaped(text[last:]))])


def _signs(text: str) -> str:
    return "".join(SIGNS.get(c, c) for c in text)


def _named(keys: str, authors: Mapping[str, str]) -> str:
    return "; ".join(authors.get(key, key) for key in keys.split(","))


def _rendered(
    sentence: str,
    plain: Callable[[str], str],
    name: Callable[[str], str],
    citation: Callable[[str], str],
) -> str:
    parts, last = [], 0
    for match in MARKED.finditer(sentence):
        parts.append(plain(shown(sentence[last : match.start()])))
        parts.append(name(match[1]) if match[1] is not None else citation(match[2]))
        last = match.end()
    return "".join([*parts, plain(shown(sentence[last:]))])


def lower(title: str) -> str:
    """A title within a sentence: names and abbreviations keep their capitals.

    >>> lower("Balanced accuracy"), lower("D²"), lower("Tjur's R²"), lower("Brier score")
    ('balanced accuracy', 'D²', "Tjur's R²", 'Brier score')
    >>> lower("Fowlkes–Mallows index"), lower("Cross-entropy")
    ('Fowlkes–Mallows index', 'cross-entropy')
    >>> lower("Sensitivity, mean over classes"), lower("Brier score, summed over classes")
    ('mean sensitivity over classes', 'Brier score (summed over classes)')
    """
    main, comma, about = title.partition(", ")
    if comma and about.startswith("mean over "):
        return f"mean {lower(main)} {about.removeprefix('mean ')}"
    if comma:
        return f"{lower(main)} ({about})"
    first, *joined = re.split("[-–]", title.split(" ")[0])
    keeps = not (first[:1].isupper() and first[1:].islower()) or re.search(r"\d", first)
    named = re.sub("[’']s?$", "", first) in NAMES or any(one[:1].isupper() for one in joined)
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
    return "".join(items) if len(items) < 2 else f"{', '.join(items[:-1])} and {items[-1]}"
