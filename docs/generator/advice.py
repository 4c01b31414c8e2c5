"""Every advice code with its text, read from the source."""

import ast
import re
from functools import cache
from pathlib import Path

import abovechance

TOPICS = {
    "0": "One model",
    "1": "Comparing models",
    "2": "Curves and posteriors",
    "3": "Thresholds",
    "4": "Files read in pieces",
    "5": "Detecting a signal",
    "6": "Refitting under permutation",
    "7": "Reading files",
    "8": "Power and sample size",
    "9": "Goals",
}

INTRODUCTION = """# Advice codes

Beside the numbers a result carries advice: what its reader should know. Each piece has a stable
code, so that a paper or a script can refer to it. In Python it is `result.advice`, in JSON
`"advice"`, on the terminal the lines that begin with `[AC…]`. The texts below are read from the
source; "…" stands for what depends on the data.

"""


Scope = dict[str, list[ast.expr]]
"""What the variables of a function can hold."""


@cache
def codes() -> dict[str, tuple[list[str], str]]:
    """Code → (the texts it can have, the source it cites)."""
    sources = [
        path.read_text("utf-8") for path in sorted(Path(abovechance.__file__).parent.rglob("*.py"))
    ]
    trees = {text: ast.parse(text) for text in sources}
    reader = _Reader(list(trees.values()))
    found: dict[str, tuple[list[str], str]] = {}
    for text, tree in trees.items():
        if not re.search(r'"AC\d{3}"', text):
            continue
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.Module):
                for code, said, source in reader.advice_in(function):
                    texts, cited = found.get(code, ([], ""))
                    texts = texts + [one for one in said if one and one not in texts]
                    found[code] = (texts, source or cited)
    return dict(sorted(found.items()))


def page() -> str:
    parts = [INTRODUCTION]
    known = codes()
    for digit, topic in TOPICS.items():
        parts.append(f"## {topic}\n")
        for code, (texts, source) in known.items():
            if code[2] == digit:
                said = " *or* ".join(_plain(text) for text in texts)
                cited = f" *{source}*" if source else ""
                parts.append(f"({code.lower()})=\n**{code}**\n: {said}{cited}\n")
    return "\n".join(parts)


class _Reader:
    """Follows an expression to what it can say, through variables, branches and functions."""

    def __init__(self, trees: list[ast.Module]) -> None:
        self.constants: Scope = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        for tree in trees:
            for node in tree.body:
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    self.constants.setdefault(node.targets[0].id, []).append(node.value)
                elif isinstance(node, ast.FunctionDef):
                    self.functions[node.name] = node

    def advice_in(self, function: ast.FunctionDef | ast.Module) -> list[tuple[str, list[str], str]]:
        scope, found = self._scope(function), []
        for node in _own(function):
            if isinstance(node, ast.Call) and len(node.args) > 1 and _codes(node.args[0]):
                said = self.texts(node.args[1], scope)
                cited = self.texts(node.args[2], scope) if len(node.args) > 2 else []
                for code in _codes(node.args[0]):
                    found.append((code, said, cited[0] if cited else ""))
        return found

    def texts(self, node: ast.expr, scope: Scope, depth: int = 0) -> list[str]:
        """What an expression can say; "…" for the parts that depend on the data."""
        if depth > 12:  # no chain of the source is as long; one that calls itself ends here
            return []
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else []
        if isinstance(node, ast.JoinedStr):
            return ["".join(_part(part) for part in node.values)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = (
                self.texts(side, scope, depth + 1) or ["…"] for side in (node.left, node.right)
            )
            return [a + b for a in left for b in right]
        if isinstance(node, ast.Name):
            held = scope.get(node.id) or self.constants.get(node.id, [])
            return [text for value in held for text in self.texts(value, scope, depth + 1)]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            function = self.functions.get(node.func.id)
            if function is not None:
                inner = self._scope(function)
                returned = [n.value for n in _own(function) if isinstance(n, ast.Return)]
                return [t for v in returned if v for t in self.texts(v, inner, depth + 1)]
            return [t for a in node.args for t in self.texts(a, scope, depth + 1)]
        if isinstance(node, ast.IfExp):
            return [t for v in (node.body, node.orelse) for t in self.texts(v, scope, depth + 1)]
        if isinstance(node, ast.GeneratorExp):
            parts = [node.elt, *(g.iter for g in node.generators)]
            return [t for v in parts for t in self.texts(v, scope, depth + 1)]
        return []

    def _scope(self, function: ast.FunctionDef | ast.Module) -> Scope:
        scope: Scope = {}
        for node in _own(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                scope.setdefault(node.targets[0].id, []).append(node.value)
        return scope


@cache
def _own(function: ast.FunctionDef | ast.Module) -> list[ast.AST]:
    """The nodes of a function without those of functions within it."""
    nested = {
        inner
        for statement in function.body
        for outer in ast.walk(statement)
        if isinstance(outer, ast.FunctionDef)
        for inner in ast.walk(outer)
    }
    return [node for node in ast.walk(function) if node not in nested]


def _codes(node: ast.expr) -> list[str]:
    branches = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]
    values = [str(b.value) for b in branches if isinstance(b, ast.Constant)]
    return [value for value in values if re.fullmatch(r"AC\d{3}", value)]


def _part(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "…"


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return re.sub(r"([*_`\[\]<>{}|$\\])", r"\\\1", " ".join(re.sub("…+", "…", text).split()))
