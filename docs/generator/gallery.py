"""A page with every declared picture: the code that makes it, on a screen and as in a paper.

What is plotted is code as well, by what a picture can show, so that a new picture is on the page
without an edit. The code is run as it stands there.
"""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TEXTURE = 'shown = ac.examples.breast_cancer("p_texture")'
FOLLOWED = """\
rng = np.random.default_rng(1)
risk = rng.normal(size=150)
died, left = rng.exponential(5 * np.exp(-risk)), rng.uniform(0, 12, size=150)
shown = ac.Survival(np.minimum(died, left), died < left, risk=risk)"""
SEVERAL = """\
shown = {
    "forest": ac.examples.breast_cancer("p_forest"),
    "texture": ac.examples.breast_cancer("p_texture"),
}"""
COMPARED = """\
models = {name: ac.examples.breast_cancer(name) for name in ("p_forest", "p_texture")}
site = np.array(["A", "B", "C"])[np.arange(models["p_forest"].n) % 3]
shown = ac.compare(models, ["brier", "auc", "mcc"], by=site, draws=999, rng=1)"""

CANCER = """\
from sklearn.datasets import load_breast_cancer
found = load_breast_cancer()
X, y, names = found.data[:, :8], found.target, found.feature_names[:8]"""

THINGS = {
    "binary": TEXTURE,
    "multiclass": "shown = ac.examples.iris()",
    "numeric": "shown = ac.examples.diabetes()",
    "survival": FOLLOWED,
    "assessment": """\
cases = ac.examples.breast_cancer("p_texture")
site = np.array(["A", "B", "C"])[np.arange(cases.n) % 3]
shown = ac.assess(cases, by=site, draws=999, rng=1)""",
    "thresholds": 'shown = ac.thresholds(ac.examples.breast_cancer("p_texture"), rng=1)',
    "comparison": COMPARED,
    "power": """\
tests, areas = ["accuracy", "auc"], [0.5, 0.65, 0.8]
shown = ac.power("binormal", tests, n=[20, 50, 80], effects=areas, replications=200, rng=1)""",
    "sample_size": """\
tests = ["accuracy", "auc"]
shown = ac.sample_size("binormal", tests, effect=0.7, replications=200, rng=1)""",
    "selection": f"{CANCER}\nshown = ac.select(X, y, features=5, feature_names=names, rng=1)",
    "stability": f"{CANCER}\nshown = ac.stability(X, y, feature_names=names, copies=True, rng=1)",
    "reliability": f"""\
from sklearn.naive_bayes import GaussianNB
{CANCER}
shown = ac.reliability(GaussianNB(), X, y, n=[30, 60], cv=5, draws=60, rng=1)""",
    "group_maps": """\
made = ac.maps.simulate_subjects(12, voxel=14, effect=0.6, rng=1)
maps = ac.searchlight(
    list(made.images), made.labels, mask=made.mask, affine=made.affine, draws=40, rng=1
)
shown = ac.group_maps(maps, draws=999, rng=1)""",
    "subject_map": """\
rng = np.random.default_rng(1)
y = np.arange(40) % 2
X = rng.normal(size=(40, 8, 20))
X[y == 1, :4, 8:13] += 0.6
shown = ac.decode_over_time(X, y, times=np.arange(20) / 50, rng=1)""",
    "validation": """\
from sklearn.linear_model import LogisticRegression
rng = np.random.default_rng(1)
X = rng.normal(size=(150, 8))
y = (X[:, 0] + X[:, 1] / 2 + rng.normal(size=150) > 0).astype(int)
shown = ac.validate(LogisticRegression(), X, y, rng=1)""",
    "learning_curve": """\
from sklearn.linear_model import LogisticRegression
rng = np.random.default_rng(1)
X = rng.normal(size=(150, 8))
y = (X[:, 0] + X[:, 1] / 2 + rng.normal(size=150) > 0).astype(int)
shown = ac.learning_curve(LogisticRegression(), X, y, measures=["auc"], draws=5, rng=1)""",
    "posterior": """\
shown = {
    "accuracy": ac.posterior.accuracy(45, 5),
    "of fewer cases": ac.posterior.accuracy(18, 2),
}""",
    "curve": f"predictions{TEXTURE.removeprefix('shown')}\n"
    "shown = ac.curves.cost(predictions, draws=999, rng=1)",
}
"""What a picture shows, as code that leaves it in `shown`."""

RECORDED = """\
rng = np.random.default_rng(1)
y = np.arange(40) % 2
recordings = [rng.normal(size=(40, 8, 20)) for _ in range(10)]
for X in recordings:
    X[y == 1, :4, 8:13] += 0.6
maps = ac.decode_over_time(recordings, y, times=np.arange(20) / 50, {more}draws=40, rng=1)
shown = ac.group_maps(maps, draws=999, rng=1)"""
BY_NAME = {
    "time_course": RECORDED.format(more=""),
    "generalisation": RECORDED.format(
        more='statistic="lda.cv5",\n                           generalise=True, '
    ),
}
"""Pictures of one form of a thing."""

INTRODUCTION = """# Gallery

Every picture that abovechance declares, with the code that makes it: first as on a screen, then
with `style="paper"`, which is one column of a journal (85 mm) wide, has no title (that belongs in
the caption) and no grid, letters of 7 points and more, colours that all readers can tell apart, and
lines and marks that differ without colour. `style="dark"` is for dark pages. The pictures were
drawn by this code when the site was built.

`ac.plot` draws on new axes, or on yours (`ax=`), and returns them. Save the figure as your journal
wants it; with `pdf.fonttype` 42 the letters stay letters:

```python
import matplotlib
import abovechance as ac

matplotlib.rcParams["pdf.fonttype"] = 42
ax = ac.plot(ac.examples.breast_cancer("p_texture"), kind="roc", style="paper")
ax.figure.savefig("roc.pdf")
```

`pip install "abovechance[plot]"` brings matplotlib. The examples below begin with

```python
import numpy as np
import abovechance as ac
```

"""


def thing(picture: Any) -> str:
    """The code of what the picture is shown of: the first it names, several where it can."""
    if picture.name in BY_NAME:
        return BY_NAME[picture.name]
    plain = [what for what in picture.of if ":" not in what]
    what = plain[0]
    if picture.several and what == "binary":
        return SEVERAL
    return THINGS[what]


def code(picture: Any) -> str:
    """What a reader types."""
    return f'{thing(picture)}\nac.plot(shown, kind="{picture.name}")'


def page() -> str:
    """The page; its images are written by `images`."""
    from abovechance.plots import pictures

    parts = [INTRODUCTION]
    for picture in pictures().values():
        parts.append(f"## {picture.name}\n\n{picture.about}.\n\n```python\n{code(picture)}\n```\n")
        parts.append(_figures(picture))
        others = _others(picture)
        if others:
            parts.append(f"It can also show {others}.\n")
    return "\n".join(parts)


def _others(picture: Any) -> str:
    from abovechance.plots.plotting import IN_WORDS

    plain = [IN_WORDS.get(what, what) for what in picture.of if ":" not in what][1:]
    several = ["its own curve from `ac.curves`"] if len(picture.of) > len(plain) + 1 else []
    found = plain + several
    return ", ".join(found[:-1]) + " and " + found[-1] if len(found) > 1 else "".join(found)


def _figures(picture: Any) -> str:
    shown = [
        (f"{picture.name}.svg", "only-light", f"{picture.about}."),
        (f"{picture.name}-dark.svg", "only-dark", f"{picture.about}."),
        (f"{picture.name}-paper.svg", "for-paper", f"{picture.about}; as in a paper."),
    ]
    images = [
        f"```{{image}} images/gallery/{file}\n:alt: {alt}\n:class: {kind}\n:loading: lazy\n```"
        for file, kind, alt in shown
    ]
    return "::::{container} gallery\n" + "\n".join(images) + "\n::::\n"


def images(folder: Path) -> None:
    """Draw every picture into the folder, where it is not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in drawings():
        path = folder / name
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def drawings() -> Iterator[tuple[str, str]]:
    """File name and SVG of each picture: as on light and dark pages, and as in a paper."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    import numpy as np

    import abovechance as ac
    from abovechance.plots import chart_of, pictures

    made: dict[str, Any] = {}
    for picture in pictures().values():
        source = thing(picture)
        if source not in made:
            names: dict[str, Any] = {"ac": ac, "np": np}
            exec(compile(source, f"<{picture.name}>", "exec"), names)
            made[source] = names["shown"]
        chart = chart_of(made[source], picture.name)
        for style, ending in (("screen", ""), ("dark", "-dark"), ("paper", "-paper")):
            yield f"{picture.name}{ending}.svg", _svg(chart, style)


def _svg(chart: Any, style: Any) -> str:
    """The same text whenever it is drawn."""
    import matplotlib
    from matplotlib import pyplot

    import abovechance as ac

    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "abovechance"}):
        figure = ac.plot(chart, style=style).figure
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    return file.getvalue()
