"""Names from files are shown, never run, never able to turn other text around."""

import csv
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from abovechance.format import shown
from abovechance.inference import assess
from abovechance.predictions import Binary, Multiclass
from abovechance.reports import report

SCRIPTS = [
    "<script>hit()</script>",
    "</script><script>hit()</script>",
    "</title><script>hit()</script>",
    "</style><script>hit()</script>",
    "<!--<script>hit()</script>-->",
    "--><script>hit()</script>",
    "<img src=x onerror=hit()>",
    "<svg onload=hit()>",
    "<svg><script>hit()</script></svg>",
    "<body onload=hit()>",
    "<iframe srcdoc='<script>parent.hit()</script>'></iframe>",
    "<details open ontoggle=hit()>",
    "<input autofocus onfocus=hit()>",
    "<a href=javascript:hit()>x</a>",
    "<math><mtext></p><style><!--</style><img src=x onerror=hit()>",
    "<object data=javascript:hit()>",
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<style>*{display:none}</style>",
    "<plaintext>",
    "<textarea>",
    "<xmp>",
    "<noscript><p title='</noscript><img src=x onerror=hit()>'>",
    "<template><script>hit()</script></template>",
]
ATTRIBUTES = [
    '" onmouseover="hit()',
    "' onmouseover='hit()",
    '"><script>hit()</script>',
    "'><img src=x onerror=hit()>",
    '" style="position:fixed;inset:0',
    "x onfocus=hit() autofocus=",
    '"/><path onload="hit()"/>',
    "`onload=hit()`",
    "&quot; onload=hit()",
    "&#34; onload=hit()",
]
TEMPLATES = [
    "{{ 7*7 }}",
    "{{ config }}",
    "{% for x in range(9) %}a{% endfor %}",
    "{# comment #}",
    "${hit()}",
    "<%= 7*7 %>",
    "#{7*7}",
    "%s %d %(x)s",
    "{0.__class__}",
    "\\u003cscript\\u003ehit()\\u003c/script\\u003e",
    "\\x3cscript\\x3e",
    "&lt;script&gt;hit()&lt;/script&gt;",
    "\\input{x}",
    "$\\write18{x}$",
    "\\href{javascript:hit()}{x}",
]
BIDI = [
    f"{mark}txt.exe"
    for mark in (
        "\u202e",
        "\u202d",
        "\u202b",
        "\u202a",
        "\u2066",
        "\u2067",
        "\u2068",
        "\u200f",
        "\u200e",
        "\u061c",
    )
] + ["abc\u202edef\u202cghi", "א\u202eב", "\u2067evil\u2069", "name\u0000null", "bell\u0007"]
FORMULAS = [
    "=1+1",
    '=HYPERLINK("//evil.example")',
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    '=IMPORTXML("//evil.example")',
    "-2+3+cmd|' /C calc'!A0",
]
BASE = [*SCRIPTS, *ATTRIBUTES, *TEMPLATES, *BIDI, *FORMULAS]
PAYLOADS = [
    *BASE,
    *(f"model {text}" for text in BASE),
    *(f"{text.upper() if text.isascii() else text} b" for text in BASE[:50]),
]
assert len(PAYLOADS) == 200


class Elements(HTMLParser):
    """Elements and attributes that a browser would make of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    handle_startendtag = handle_starttag


def facts(text: str, other: str) -> dict[str, Any]:
    """A result in which every text that a file can hold is hostile."""
    estimate = {
        "measure": text,
        "title": text,
        "family": text,
        "model": text,
        "by": None,
        "class": None,
        "output": None,
        "value": 0.5,
        "interval": {"low": 0.4, "high": 0.6, "level": 0.95, "method": text},
        "chance": 0.5,
        "p_value": 0.2,
        "alternative": "greater",
        "hypothesis": text,
        "test": text,
        "draws": 10,
        "undefined": text,
        "skill": None,
    }
    return {
        "abovechance": text,
        "outcome": text,
        "n": 10,
        "origin": text,
        "seed": 1,
        "primary": text,
        "estimates": [
            estimate,
            {**estimate, "model": other},
            {**estimate, "class": text},
            {**estimate, "by": f"{text}={text}"},
            {**estimate, "measure": "auc", "output": text},
        ],
        "differences": [
            {
                "measure": text,
                "title": text,
                "first": text,
                "second": other,
                "difference": 0.1,
                "better": text,
                "interval": {"low": 0.0, "high": 0.2, "level": 0.95, "method": text},
                "p_value": 0.04,
                "test": text,
                "p_adjusted": 0.05,
            }
        ],
        "advice": [{"code": text, "text": text, "source": text}],
    }


def predictions(text: str) -> dict[str, Binary]:
    outcome = np.array(["no", text] * 10)
    p = np.linspace(0.05, 0.95, 20)
    return {
        text: Binary(outcome, probability=p, pos_label=text),
        f"{text} 2": Binary(outcome, probability=p[::-1], pos_label=text),
    }


def page(text: str, *, drawn: bool = True) -> str:
    cases = predictions(text) if drawn else None
    return report(facts(text, f"{text} 2"), predictions=cases, title=text, command=text).html


def of_tests(text: str) -> dict[str, Any]:
    """A detection with hostile words."""
    test = {"statistic": text, "title": text, "value": 2.5, "null_mean": 1.0, "p_value": 0.01}
    return {
        "abovechance": text,
        "tests": [{**test, "p_adjusted": 0.02, "draws": 99}],
        "classes": [text, f"{text} 2"],
        "n": 10,
        "features": 3,
        "permute": text,
        "hypothesis": text,
        "advice": [{"code": text, "text": text, "source": text}],
    }


def of_sizes(text: str) -> dict[str, Any]:
    """A sample size with hostile words."""
    asked = {"statistic": text, "design": text, "effect": 0.5, "n": 20, "replications": 9}
    size = {**asked, "interval": [18, 22], "power": 0.8, "formula": 21}
    return {"sizes": [size], "cells": [{**asked, "power": 0.8}], "target": 0.8, "alpha": 0.05}


def others(text: str) -> str:
    """Reports of detections, powers and sizes, one after the other."""
    sizes = of_sizes(text)
    made = (of_tests(text), sizes, {"cells": [*sizes["cells"], {**sizes["cells"][0], "n": 40}]})
    return "".join(report(one, title=text, command=text).html for one in made)


@pytest.fixture(scope="module")
def harmless() -> Elements:
    return Elements(page("harmless"))


@pytest.mark.part(5)
@pytest.mark.parametrize("text", PAYLOADS, ids=lambda t: re.sub(r"\W+", "-", t)[:30] or "sign")
def test_a_name_adds_no_element_and_no_attribute(text: str, harmless: Elements) -> None:
    html = page(text, drawn=PAYLOADS.index(text) % 8 == 0) + others(text)  # pictures take longest
    found = Elements(html)
    assert set(found.tags) <= set(harmless.tags)
    assert set(found.attributes) <= set(harmless.attributes)
    assert found.tags.count("script") == 8  # the result and the program of four pages
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\0\a]", html)


def test_a_name_with_markup_is_still_shown() -> None:
    html = page("<b>bold</b>")
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert "<b>bold" not in html


def test_nothing_runs_in_a_browser(opened: Callable[..., Any]) -> None:
    everything = " ".join(PAYLOADS)
    for text in (everything, *SCRIPTS[:6], *ATTRIBUTES[:4]):
        browser = opened(page(text).replace("<head>", "<head><!-- -->", 1))
        browser.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
        browser.settle()
        assert browser.complaints == []
        assert all(url.startswith("file:") for url in browser.requests)


def test_names_do_not_turn_their_surroundings_around(opened: Callable[..., Any]) -> None:
    browser = opened(page("\u202etxt.exe \u05d0\u05d1"))
    places = browser.evaluate(
        """(() => {
          const cell = document.querySelector('#differences tbody td');
          const row = [...cell.parentNode.cells].map(c => c.getBoundingClientRect().left);
          return row;
        })()"""
    )
    assert places == sorted(places)
    assert (
        browser.evaluate("getComputedStyle(document.querySelector('bdi')).unicodeBidi") == "isolate"
    )
    assert "\ufffdtxt.exe" in browser.evaluate("document.querySelector('h1').textContent")


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_escaped_in_saved_csv(text: str, opened: Callable[..., Any]) -> None:
    browser = opened(page(text, drawn=False))
    browser.evaluate(
        "URL.createObjectURL = blob => { window.caught = blob; return '#'; };"
        "HTMLAnchorElement.prototype.click = () => {};0"
    )
    for selector in ("#measures", "#differences", "figure table"):
        browser.evaluate("window.caught = null")
        browser.evaluate(
            f"document.querySelector({json.dumps(selector)}).closest('.card').querySelector('[data-csv]').click()"
        )
        browser.until("!!window.caught")
        rows = list(csv.reader(io.StringIO(browser.evaluate("window.caught.text()"))))
        assert len(rows) > 1
        for cell in (cell for row in rows for cell in row):
            number = re.fullmatch(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", cell, re.IGNORECASE)
            assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")), cell


def test_latex_of_hostile_names_holds_no_command() -> None:
    html = page("\\input{x} $y$ 50% a_b & #1")
    latex = re.search(r'<pre id="latex-2"[^>]*>(.*?)</pre>', html, re.DOTALL)
    assert latex is not None
    assert "\\input" not in latex[1]
    assert "\\textbackslash{}input\\{x\\} \\$y\\$ 50\\% a\\_b \\&amp; \\#1" in latex[1]


def test_predictions_with_hostile_classes_are_reported() -> None:
    text = "<script>hit()</script>\u202e"
    outcome = [text, "b", "c"] * 6
    many = Multiclass(outcome, label=outcome)
    html = report(assess(many, ["accuracy"], rng=1), predictions=many).html
    assert "<script>hit" not in html
    assert "\u202e" not in html


def test_only_what_would_be_obeyed_is_replaced() -> None:
    kept = "Modèle №5 — „größer“ 模型 مدل 👩‍⚕️"
    assert shown(kept) == kept
