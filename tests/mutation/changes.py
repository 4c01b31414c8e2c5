"""Small changes of a module's source: one operator, comparison, number, term or condition each.

What cannot change a result is left alone: documentation, messages, annotations, tolerances below
1e-5, keywords that only concern speed or memory, and modules that hold nothing but words.
"""

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("numerics", "measures", "inference")
WORDS = ("printing.py", "prose.py", "sentences.py", "items.py")  # text, held by pages and screens
TOLERANCE = 1e-5

OPERATORS: dict[type, tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Pow: ("**", "*"), ast.Mod: ("%", "*"),
    ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
}  # fmt: skip
# a boundary moved, and the opposite
COMPARISONS: dict[type, tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")), ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")), ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)), ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)), ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)), ast.NotIn: ("not in", ("in",)),
}  # fmt: skip
TERMS = (ast.Add, ast.Sub, ast.Mult)  # of which the second can be dropped
CALLS = {
    "minimum": "maximum", "maximum": "minimum", "min": "max", "max": "min", "any": "all",
    "all": "any", "floor": "ceil", "ceil": "floor", "argmin": "argmax", "argmax": "argmin",
    "fmin": "fmax", "fmax": "fmin",
}  # fmt: skip
DROPPED = ("abs", "sqrt", "exp", "log", "log1p", "expm1", "square")
STRINGS = {"left": "right", "right": "left", "two-sided": "greater", "greater": "less"}
SPEED_AND_FORM = {
    "frozen", "kw_only", "slots", "repr", "maxsize", "stacklevel", "strict", "check_finite",
    "overwrite_a", "overwrite_b", "assume_unique", "copy", "order", "progress", "optimize",
}  # fmt: skip
NOT_FORMULAS = {"__repr__", "__str__", "_repr_html_", "_repr_markdown_"}


@dataclass(frozen=True)
class Mutant:
    """One place of one module, and what stands there instead."""

    module: str  # below the package, e.g. measures/rank.py
    inside: str  # the function, as its code object says it; "" outside of functions
    line: int
    start: int  # bytes of the source that are replaced
    stop: int
    before: str
    after: str
    number: int = 0  # among equal changes in the same function

    @property
    def key(self) -> str:
        """What stays the same when other lines of the module move."""
        what = f"{self.module}:{self.inside}: `{self.before}` → `{self.after}`"
        return what + f" ({self.number + 1}.)" * (self.number > 0)

    @property
    def folder(self) -> str:
        return self.module.partition("/")[0]

    def applied(self, source: bytes) -> bytes:
        """The source with the change."""
        return source[: self.start] + self.after.encode() + source[self.stop :]


class _Finder(ast.NodeVisitor):
    """Every place of a module where something can be changed."""

    def __init__(self, module: str, source: bytes) -> None:
        self.module, self.source = module, source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.inside: list[str] = []
        self.found: list[Mutant] = []

    # ------------------------------------------------------------------ places

    def _span(self, node: ast.AST) -> tuple[int, int]:
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end, end_column = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return self.starts[line - 1] + column, self.starts[end - 1] + end_column

    def _add(self, node: ast.AST, start: int, stop: int, after: str) -> None:
        before = self.source[start:stop].decode()
        function = ".".join(self.inside)
        place = Mutant(self.module, function, node.lineno, start, stop, before, after)  # type: ignore[attr-defined]
        self.found.append(place)

    def _between(self, left: ast.AST, right: ast.AST, operator: str) -> tuple[int, int]:
        """Where an operator stands between its operands; comments do not count."""
        start, stop = self._span(left)[1], self._span(right)[0]
        gap = re.sub(rb"#[^\n]*", lambda m: b" " * len(m[0]), self.source[start:stop])
        words = rb"\s+".join(map(re.escape, operator.encode().split()))
        at = re.search(words, gap)
        assert at is not None, (self.module, left, operator)
        return start + at.start(), start + at.end()

    # ------------------------------------------------------------------ what is passed over

    def visit_Raise(self, node: ast.Raise) -> None:
        pass

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in SPEED_AND_FORM:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for above in node.decorator_list:
            self.visit(above)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        if node.name in NOT_FORMULAS or any(
            "overload" in ast.unparse(d) for d in node.decorator_list
        ):
            return
        self.inside += [node.name]
        for one in node.body:
            self.visit(one)
        self.inside.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if any(ast.unparse(base) in ("Enum", "Protocol", "StrEnum", "Flag") for base in node.bases):
            return
        self.inside += [node.name]
        for one in node.body:
            self.visit(one)
        self.inside.pop()

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        if called.endswith((".warn", "TypeVar", "getLogger", "cache")):
            return
        self.generic_visit(node)
        name = called.rpartition(".")[2]
        start, stop = self._span(node)
        if name in CALLS:
            end = self._span(node.func)[1]
            self._add(node, end - len(name), end, CALLS[name])
        elif name in DROPPED and len(node.args) == 1 and not node.keywords:
            inner = self.source[self._span(node.func)[1] : stop].decode()
            self._add(node, start, stop, inner)

    # ------------------------------------------------------------------ what is changed

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.generic_visit(node)
        texts = (ast.JoinedStr, ast.Constant)
        words = [s for s in (node.left, node.right) if isinstance(s, texts)]
        if any(isinstance(getattr(one, "value", ""), str) for one in words):
            return
        if type(node.op) not in OPERATORS:
            return
        operator, other = OPERATORS[type(node.op)]
        at, end = self._between(node.left, node.right, operator)
        self._add(node, at, end, other)
        if isinstance(node.op, TERMS):
            start, stop = self._span(node)
            self._add(node, start, stop, self.source[start:at].rstrip().decode())

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        if type(node.op) in OPERATORS:
            operator, other = OPERATORS[type(node.op)]
            at, end = self._between(node.target, node.value, operator + "=")
            self._add(node, at, end, other + "=")

    def visit_Compare(self, node: ast.Compare) -> None:
        self.generic_visit(node)
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            operator, others = COMPARISONS[type(op)]
            at, end = self._between(left, right, operator)
            for other in others:
                self._add(node, at, end, other)
            left = right

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.generic_visit(node)
        operator, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        at, end = self._between(node.values[0], node.values[1], operator)
        self._add(node, at, end, other)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.generic_visit(node)
        start, stop = self._span(node)
        sign = {ast.Not: 3, ast.USub: 1, ast.Invert: 1}.get(type(node.op), 0)
        if sign:
            self._add(node, start, stop, self.source[start + sign : stop].strip().decode())

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self._negated(node.test)
            self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negated(node.test)
        self.generic_visit(node)

    def _negated(self, test: ast.expr) -> None:
        if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.BoolOp):
            start, stop = self._span(test)
            self._add(test, start, stop, f"not ({self.source[start:stop].decode()})")

    def visit_Constant(self, node: ast.Constant) -> None:
        start, stop = self._span(node)
        match node.value:
            case bool(value):
                self._add(node, start, stop, str(not value))
            case int(value):
                self._add(node, start, stop, str(value + 1))
            case float(value) if abs(value) >= TOLERANCE or value == 0:
                self._add(node, start, stop, repr(value + 1 if value == int(value) else 2 * value))
            case str(value) if value in STRINGS:
                self._add(node, start, stop, f'"{STRINGS[value]}"')


def mutants_of(module: str, source: bytes) -> list[Mutant]:
    """Every change of a module that compiles."""
    finder = _Finder(module, source)
    finder.visit(ast.parse(source))
    seen: Counter[str] = Counter()
    found = []
    for one in finder.found:
        key = one.key
        found.append(Mutant(**{**vars(one), "number": seen[key]}))
        seen[key] += 1
    return found


def modules(package: Path) -> Iterator[str]:
    """The modules whose formulas are changed."""
    for folder in FOLDERS:
        for path in sorted((package / folder).rglob("*.py")):
            if path.name not in WORDS:
                yield path.relative_to(package).as_posix()


def drawn(package: Path, seed: int) -> list[Mutant]:
    """All mutants in an order of chance that a change elsewhere does not disturb."""

    def chance(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.key}".encode()).digest()

    return sorted(
        (m for name in modules(package) for m in mutants_of(name, (package / name).read_bytes())),
        key=chance,
    )
