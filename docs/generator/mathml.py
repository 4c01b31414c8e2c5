"""Formulas as MathML, which browsers draw themselves: no script, no font, no network."""

import re
from typing import Any


def setup(app: Any) -> None:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


def _inline(translator: Any, node: Any) -> None:
    _write(translator, node, as_block=False)


def _block(translator: Any, node: Any) -> None:
    _write(translator, node, as_block=True)


def _write(translator: Any, node: Any, as_block: bool) -> None:
    from docutils import nodes
    from docutils.utils.math.latex2mathml import tex2mathml

    # docutils reads 12 in \tfrac12 as one number, where TeX takes a digit each
    latex = re.sub(r"frac(\d)(\d)", r"frac{\1}{\2}", node.astext().replace("½", r"\tfrac12"))
    text = tex2mathml(latex, as_block=as_block)
    translator.body.append(f'<div class="math">{text}</div>' if as_block else text)
    raise nodes.SkipNode
