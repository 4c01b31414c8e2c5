"""Pictures of one subject's map beside its null maps: over time, and over all centres."""

from typing import Any

import numpy as np

from abovechance.errors import NotApplicable
from abovechance.inference.contract import contract
from abovechance.plots.chart import Band, Chart, Line, Series, spanning
from abovechance.plots.plotting import picture


@picture(of=("subject_map",), usual=("subject_map",), report=10)
def centres_reached(result: Any) -> Chart:
    """The share of centres that reach each value, in a subject's map and in its null maps."""
    facts = contract(result)
    return _beside_null(
        facts["reached"],
        "value",
        title="Centres that reach a value",
        across=str(facts["title"]),
        up="Share of centres",
        caption="Line: the subject's map. Band: nine in ten of its null maps, dashed their median. "
        "A line that leaves the band to the right has more high values than chance draws.",
    )


@picture(of=("subject_map",), report=11)
def subject_course(result: Any) -> Chart:
    """A subject's statistic along time, and where nine in ten permutations lie."""
    facts = contract(result)
    if facts.get("course") is None:
        raise NotApplicable("a course needs centres in a row, as of times; these are not.")
    geometry = facts["geometry"]
    return _beside_null(
        facts["course"],
        "at",
        title="Course of a subject",
        across=f"{str(geometry['axes'][0]).capitalize()} ({geometry['unit']})",
        up=str(facts["title"]),
        caption="Line: the subject's values. Band: nine in ten permutations at each point alone, "
        "dashed their median; over all points some values leave it by chance.",
    )


def _beside_null(
    columns: Any, along: str, *, title: str, across: str, up: str, caption: str
) -> Chart:
    named = (along, "observed", "low", "null", "high")
    x, seen, low, middle, high = (np.array(columns[name], dtype=float) for name in named)
    return Chart(
        title=title,
        caption=caption,
        x=spanning(across, x, room=0.0),
        y=spanning(up, seen, low, high),
        layers=(
            Band(x=x, low=low, high=high, colour="muted"),
            Line(x=x, y=middle, colour="muted", dashed=True, thin=True),
            Line(x=x, y=seen, colour="0"),
        ),
        series=(Series(name="Map", headings=named, columns=(x, seen, low, middle, high)),),
        legend=False,
    )
