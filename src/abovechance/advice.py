"""Advice: what a reader of a result should know, beside the numbers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Advice:
    """One numbered remark: a stable code, a short text, and the source it rests on."""

    code: str
    text: str
    source: str = ""

    def __str__(self) -> str:
        return f"[{self.code}] {self.text}" + (f" ({self.source})" if self.source else "")
