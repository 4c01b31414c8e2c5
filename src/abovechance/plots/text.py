"""Labels come from files: what they say is shown, what they would do is not done."""

import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def shown(text: object) -> str:
    """Text with control characters and direction overrides made visible.

    Letters of scripts written from right to left stay as they are; only the invisible characters
    that would turn other text around, or that no font has, are replaced.

    >>> shown("model \\u202egpj"), shown("line\\nbreak"), shown("מודל")
    ('model \ufffdgpj', 'line break', 'מודל')
    """
    return "".join(_visible(c) for c in str(text))


def _visible(character: str) -> str:
    if character in "\t\n\r\v\f\x85\u2028\u2029":
        return " "
    kind = unicodedata.category(character)
    if kind in ("Cc", "Cs", "Cn", "Co") or (kind == "Cf" and character not in JOINERS):
        return REPLACEMENT
    return character


JOINERS = "\u200c\u200d\u00ad"  # within words of some scripts, and within emoji
