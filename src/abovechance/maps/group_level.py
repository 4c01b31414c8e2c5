"""Where do several subjects carry a signal? `group_maps`: from their maps to one statement."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.arrays import Array, Bools, Floats, Ints
from abovechance.errors import DataError, NotApplicable, shown
from abovechance.format import thousands
from abovechance.inference.results import Result
from abovechance.maps import error_control
from abovechance.maps.combinations import METHODS, GroupMethod, Plan
from abovechance.maps.error_control import Clustered, Counting, Null, Prevalence, Reference
from abovechance.maps.subject_map import Geometry, SubjectMap
from abovechance.numerics.map_arithmetic import Adjacent, clusters, enhanced
from abovechance.paths import written
from abovechance.resampling import Store, digest
from abovechance.settings import LARGEST, Settings, settled
from abovechance.settings import share as between_0_and_1

# ----------------------------------------------------------------------------------------------
# The places that a table names: peaks, and clusters.
# ----------------------------------------------------------------------------------------------


APART = 8.0  # mm between peaks of one cluster of a volume, at least
EACH = 3  # peaks of a cluster at most
MOST = 40  # peaks that are listed
STRONGEST = 5  # centres that are listed where nothing is rejected


@dataclass(frozen=True, kw_only=True)
class Peak:
    """A centre that is higher than its neighbours: where it lies, and its p-values.

    `size` is the number of rejected centres that hang together with it; 0 where it is not rejected.
    """

    at: tuple[float, ...]
    name: str
    centre: int
    size: int
    statistic: float
    effect: float
    z: float | None
    p_value: float
    p_maximum: float
    p_bh: float
    p_by: float
    p_tfce: float | None
    p_cluster: float | None
    prevalence: float | None
    rejected: bool


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Centres beyond the threshold that hang together: how many, where, and how rare by chance.

    `p_familywise` is of the largest cluster of a combination, `p_discovery` of all clusters of all
    combinations, adjusted for false discoveries.
    """

    cluster: int
    size: int
    at: tuple[float, ...]
    z: float
    p_familywise: float
    p_discovery: float


def peaks_of(
    values: Mapping[str, Floats], geometry: Geometry, adjacent: Adjacent
) -> tuple[Peak, ...]:
    """The peaks of every cluster of rejected centres, highest first.

    Where nothing is rejected, the strongest centres, so that a reader sees what came nearest.
    """
    height = values.get("z", values["statistic"])
    rejected = values["rejected"] > 0
    if not rejected.any():
        order = np.lexsort((-height, values["p"]))[:STRONGEST]
        return tuple(_peak(int(v), 0, values, geometry) for v in order)
    label = clusters(rejected, adjacent)
    sizes = np.bincount(label)
    found: list[int] = []
    taken = np.zeros(len(sizes), dtype=np.int64)
    for v in _local_maxima(height, rejected, adjacent):
        here = label[v]
        if taken[here] >= EACH or not _separate(v, found, geometry, label):
            continue
        taken[here] += 1
        found.append(int(v))
    return tuple(_peak(v, int(sizes[label[v]]), values, geometry) for v in found[:MOST])


def _local_maxima(height: Floats, inside: Bools, adjacent: Adjacent) -> Iterator[int]:
    """Centres that none of their neighbours exceeds, highest first."""
    for v in np.argsort(-height, kind="stable"):
        near = adjacent.neighbours[adjacent.starts[v] : adjacent.starts[v + 1]]
        if inside[v] and np.all(height[near] <= height[v]):
            yield int(v)


def _separate(v: int, others: list[int], geometry: Geometry, label: Ints) -> bool:
    same = [other for other in others if label[other] == label[v]]
    if not same or geometry.unit != "mm":
        return not same or geometry.shape is None or len(geometry.shape) == 1
    away = geometry.coordinates[same] - geometry.coordinates[v]
    return bool(np.sqrt((away**2).sum(axis=1)).min() >= APART)


def _peak(v: int, size: int, values: Mapping[str, Floats], geometry: Geometry) -> Peak:
    def given(name: str) -> float | None:
        return float(values[name][v]) if name in values else None

    return Peak(
        at=tuple(float(c) for c in geometry.coordinates[v]),
        name=geometry.names[v] if geometry.names else "",
        centre=v,
        size=size,
        statistic=float(values["statistic"][v]),
        effect=float(values["effect"][v]),
        z=given("z"),
        p_value=float(values["p"][v]),
        p_maximum=float(values["p_maximum"][v]),
        p_bh=float(values["p_bh"][v]),
        p_by=float(values["p_by"][v]),
        p_tfce=given("p_tfce"),
        p_cluster=given("p_cluster"),
        prevalence=given("prevalence"),
        rejected=bool(values["rejected"][v]),
    )


def clusters_found(
    found: Clustered, values: Mapping[str, Floats], geometry: Geometry
) -> tuple[Cluster, ...]:
    """The largest clusters, each with its highest centre."""
    rows = []
    for number in range(1, min(len(found.sizes), MOST) + 1):
        members = np.flatnonzero(found.label == number)
        top = int(members[np.argmax(values["z"][members])])
        rows.append(
            Cluster(
                cluster=number,
                size=int(found.sizes[number - 1]),
                at=tuple(float(c) for c in geometry.coordinates[top]),
                z=float(values["z"][top]),
                p_familywise=float(found.p_familywise[number - 1]),
                p_discovery=float(found.p_discovery[number - 1]),
            )
        )
    return tuple(rows)


# ----------------------------------------------------------------------------------------------
# What pictures need, kept in the JSON: cuts, a course over time, a plane.
# ----------------------------------------------------------------------------------------------


DIGITS = 3
LEVEL = 0.95  # of the band around the mean over subjects


def view_of(
    values: Mapping[str, Floats],
    geometry: Geometry,
    maps: Sequence[SubjectMap],
    critical: Floats | None,
) -> dict[str, Any] | None:
    """What is to be seen, by the kind of grid; None of centres that are on none."""
    if geometry.shape is None or geometry.indices is None:
        return None
    makers = {1: _course, 2: _plane, 3: _cuts}
    make = makers.get(len(geometry.shape))
    return None if make is None else make(values, geometry, maps, critical)


def _shown(values: Mapping[str, Floats]) -> tuple[str, Floats]:
    """The map that is drawn: in standard deviations where there are such."""
    name = "z" if "z" in values else "log10_p"
    return name, values[name]


def _cuts(
    values: Mapping[str, Floats],
    geometry: Geometry,
    maps: Sequence[SubjectMap],
    critical: Floats | None,
) -> dict[str, Any]:
    """Three cuts through the highest centre, as seen from the right, the front and above."""
    assert geometry.shape is not None
    assert geometry.indices is not None
    name, height = _shown(values)
    peak = np.unravel_index(int(geometry.indices[np.argmax(height)]), geometry.shape)
    volume = geometry.as_volume(height.astype(np.float64), np.nan)
    found = geometry.as_volume(values["rejected"], 0.0)
    affine = np.eye(4) if geometry.affine is None else geometry.affine
    world = _world_axes(affine)
    planes = []
    for axis in np.argsort(world):  # first the cut across x, then y, then z
        across, up = (i for i in np.argsort(world) if i != axis)
        at: list[Any] = [slice(None)] * 3
        at[axis] = int(peak[axis])
        order = (0, 1) if across < up else (1, 0)
        cut, inside = (one[tuple(at)].transpose(order) for one in (volume, found))
        edges = {}
        for word, i in (("across", across), ("up", up)):
            ends = _along(affine, world, peak, i, geometry.shape[i])
            if ends[0] > ends[1]:
                flip = 0 if word == "across" else 1
                cut, inside = np.flip(cut, flip), np.flip(inside, flip)
            edges[word] = {
                "axis": geometry.axes[world[i]],
                "low": float(min(ends)),
                "high": float(max(ends)),
            }
        place = affine[:3, :3] @ np.array(peak) + affine[:3, 3]
        planes.append(
            {
                "axis": geometry.axes[world[axis]],
                "at": float(place[world[axis]]),
                **edges,
                "values": _rounded(cut.T),
                "rejected": (inside.T > 0).astype(int).tolist(),
            }
        )
    return {"view": "cuts", "map": name, "unit": geometry.unit, "planes": planes}


def _world_axes(affine: Floats) -> Array:
    """Which axis of the world each axis of the grid runs along, nearest by; each once."""
    steepness = np.abs(affine[:3, :3])
    found = np.full(3, -1)
    for _ in range(3):
        world, axis = np.unravel_index(int(np.argmax(steepness)), (3, 3))
        found[axis] = world
        steepness[world, :], steepness[:, axis] = -1, -1
    return found


def _along(affine: Floats, world: Array, peak: Any, axis: int, size: int) -> tuple[float, float]:
    """Where the first and the last cell along an axis of the grid lie in the world."""
    place = np.array(peak, dtype=np.float64)
    ends = []
    for at in (0, size - 1):
        place[axis] = at
        ends.append(float((affine[:3, :3] @ place + affine[:3, 3])[world[axis]]))
    return ends[0], ends[1]


def _rounded(values: Array) -> list[list[float | None]]:
    """Rows of numbers, None where there is no centre."""
    return [[None if np.isnan(one) else round(float(one), DIGITS) for one in row] for row in values]


def _course(
    values: Mapping[str, Floats],
    geometry: Geometry,
    maps: Sequence[SubjectMap],
    critical: Floats | None,
) -> dict[str, Any]:
    """The mean over subjects along the row, its band, and what it would have to exceed."""
    from scipy.special import stdtrit

    observed = np.array([one.observed for one in maps], dtype=np.float64)
    mean, n = observed.mean(axis=0), len(observed)
    half = stdtrit(n - 1, (1 + LEVEL) / 2) * observed.std(axis=0, ddof=1) / np.sqrt(n)
    by_chance = maps[0].chance
    none = mean - values["effect"] if by_chance is None else np.full(len(mean), by_chance)
    return {
        "view": "course",
        "axis": geometry.axes[0],
        "unit": geometry.unit,
        "x": geometry.coordinates[:, 0].tolist(),
        "mean": mean.tolist(),
        "low": (mean - half).tolist(),
        "high": (mean + half).tolist(),
        "level": LEVEL,
        "by_chance": none.tolist(),
        "critical": None if critical is None else critical.tolist(),
        "rejected": (values["rejected"] > 0).astype(int).tolist(),
    }


def _plane(
    values: Mapping[str, Floats],
    geometry: Geometry,
    maps: Sequence[SubjectMap],
    critical: Floats | None,
) -> dict[str, Any]:
    """The mean over subjects in a plane of two times."""
    first, second = (np.unique(geometry.coordinates[:, i]) for i in (0, 1))
    mean = np.asarray(np.mean([one.observed for one in maps], axis=0, dtype=np.float64))
    return {
        "view": "plane",
        "axes": list(geometry.axes),
        "unit": geometry.unit,
        "low": [float(first[0]), float(second[0])],
        "high": [float(first[-1]), float(second[-1])],
        "chance": maps[0].chance,
        "values": _rounded(geometry.as_volume(mean, np.nan)),
        "rejected": geometry.as_volume(values["rejected"], 0.0).astype(int).tolist(),
    }


# ----------------------------------------------------------------------------------------------
# From the maps of subjects to what is concluded of all of them.
# ----------------------------------------------------------------------------------------------


CONTROLS = {
    "maximum": ("largest of all centres", "the chance of any false centre"),
    "bh": ("Benjamini–Hochberg", "the expected share of false centres among those found"),
    "by": ("Benjamini–Yekutieli", "the same, however centres depend on each other"),
    "cluster": ("size of clusters", "the chance of any false cluster"),
    "tfce": ("support of neighbours (TFCE)", "the chance of any false centre"),
}
"""What is bounded at the level, by its name: how, and what."""

OF_SHARES = "the chance of any centre where nobody carries the signal; shares at each centre alone"
"""What the largest of all centres bounds for prevalence, by the argument of its authors."""

NEIGHBOURS = ("cluster", "tfce")
INFLATED = 1.25  # times the level that too few null maps may cost before it is said


# ----------------------------------------------------------------------------------------------
# What it returns.
# ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Control:
    """One way to bound false findings: how many centres it rejects, and its smallest p-value."""

    control: str
    title: str
    bounds: str
    rejected: int
    least_p: float
    chosen: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupMaps(Result, kind="group_maps"):
    """Where a group of subjects carries a signal, with its p-values and what bounds false ones.

    `maps` has a value at every centre of each of: `statistic` (the mean over subjects; the minimum
    of the prevalence method), `effect` (the mean less chance, or less the mean of the null maps
    where no chance level is known), `z` (how many standard deviations it is from the mean of
    combinations of all maps, the observed ones included), `p`, `log10_p` (minus its decimal
    logarithm), `p_maximum`, `p_bh`, `p_by`, `p_tfce`, `p_cluster`,
    `cluster` (its number), `rejected` (1 where the chosen control rejects), `sizes` (of the
    neighbourhoods), and of the prevalence method `p_global`, `p_global_maximum` and `prevalence`
    (the share of the population that is shown, at the level).
    """

    method: str
    title: str
    hypothesis: str
    conclusion: str
    n: int
    subjects: tuple[str, ...]
    centres: int
    statistic: str
    statistic_title: str
    chance: float | None
    null_maps: tuple[int, int]
    with_observed: bool
    draws: int
    exact: bool
    rule: str
    alpha: float
    control: str
    controls: tuple[Control, ...]
    peaks: tuple[Peak, ...]
    clusters: tuple[Cluster, ...]
    cluster_p: float
    neighbours: str
    tfce: Mapping[str, float] | None
    share: float | None
    tail: str
    extrapolated: int
    seed: int
    maps: Mapping[str, Floats]
    geometry: Geometry
    view: Mapping[str, Any] | None = None
    advice: tuple[Advice, ...] = ()
    described: str = ""

    def __iter__(self) -> Iterator[str]:
        return iter(self.maps)

    def __len__(self) -> int:
        return len(self.maps)

    def __getitem__(self, name: str) -> Floats:
        """One of the maps, by its name."""
        if name in self.maps:
            return self.maps[name]
        raise NotApplicable(f"there is no map {name!r}; there are {', '.join(self.maps)}.")

    @property
    def rejected(self) -> Bools:
        """The centres that the chosen control rejects."""
        return np.asarray(self.maps["rejected"] > 0)

    def as_volume(self, name: str = "z", fill: float = 0.0) -> Array:
        """One of the maps at its places in the grid."""
        return self.geometry.as_volume(self[name], fill)

    def write(self, folder: str | PathLike[str]) -> list[Path]:
        """Files in a folder: images of every map of a volume, their numbers, and JSON."""
        from abovechance.maps.map_files import write_group

        with written(folder):
            return write_group(self, folder)

    def to_dict(self) -> dict[str, Any]:
        """What was found, without the values at every centre."""
        shown = replace(self, maps={}, geometry=_NOWHERE)
        found = {"abovechance": __version__, **Result.to_dict(shown)}
        found["maps"] = list(self.maps)
        found["geometry"] = self.geometry.facts()
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The peaks as rows of a table."""
        found = []
        for peak in self.peaks:
            row = {name: value for name, value in vars(peak).items() if name != "at"}
            found.append(dict(zip(self.geometry.axes, peak.at, strict=True)) | row)
        return found


_NOWHERE = Geometry(coordinates=np.zeros((0, 3)))


# ----------------------------------------------------------------------------------------------
# The verb.
# ----------------------------------------------------------------------------------------------


@settled
def group_maps(
    subjects: Any,
    *,
    method: Literal["stelzer", "joint", "sign_flip", "prevalence"] = "stelzer",
    control: Literal["maximum", "bh", "by", "cluster", "tfce"] = "maximum",
    cluster_p: float = 0.001,
    tfce: bool = True,
    neighbours: Literal["faces", "edges", "corners"] = "faces",
    share: float = 0.5,
    tail: Literal["count", "pareto"] = "count",
    with_observed: bool = False,
    **given: Any,
) -> GroupMaps:
    """Test at every centre whether a group of subjects carries a signal.

    The maps of all subjects must be of the same centres. What a rejection says of these subjects,
    or of the people they come from, differs between methods; the result says it in words.

    Null maps are held once more as 32-bit numbers (subjects × null maps × centres × 4 bytes: 240 MB
    for 20 subjects, 100 maps and 30 000 centres), in every process that shares the work; the
    combinations are streamed, and of their values at a centre the highest are kept, in number the
    share `cluster_p` of them.

    Parameters
    ----------
    subjects
        Maps of at least two subjects, as `searchlight` and `decode_over_time` return them, in a
        list or by name.
    method
        "stelzer": combinations of one null map per subject, as many as `draws` (all of them where
        there are no more); "joint": null map m of all subjects together; both ask whether any of
        these subjects carries the signal. "sign_flip": signs of the differences from chance, which
        the statistic must have (all 2^S patterns where there are no more than `draws`).
        "prevalence": the smallest value over subjects, which answers in how large a share of the
        population the signal is.
    control
        By which rule centres are rejected at level `alpha`. "maximum": chance of any false centre,
        by the largest value of each combination; "bh", "by": expected share of false centres;
        "cluster", "tfce": chance of any false cluster or centre, by size of clusters or support of
        neighbours. The p-values of all of them are in the result.
    cluster_p
        P-value that a centre must not exceed to form clusters.
    tfce
        Whether to enhance maps by the support of their neighbourhoods at all; it takes most of the
        time. E = 0.5, H = 2, steps of 0.1 standard deviations.
    neighbours
        Which cells of a grid are next to each other: those that share a face, an edge or a corner.
    share
        The share of the population that the method "prevalence" tests against; 0 tests whether
        anybody carries the signal.
    tail
        "count": p = (1 + b)/(draws + 1), never below 1/(draws + 1). "pareto": where fewer than ten
        draws are as large, p is read off a generalised Pareto distribution fitted to the largest
        250, if it fits; an estimate, not a bound.
    with_observed
        With "stelzer": combine the observed maps along with the null maps. The test is then exact
        for any number of null maps, at a slight cost in power; Stelzer et al. leave them out.

    Returns
    -------
    GroupMaps
        Maps, peaks, clusters, and how many centres each rule rejects.

    Raises
    ------
    DataError
        If maps are not of the same centres or statistic, are fewer than two, or hold undefined
        values.
    NotApplicable
        If the method needs null maps or a chance level and there is none.

    See Also
    --------
    detect : the same question of one table of features.

    References
    ----------
    Stelzer, Chen & Turner (2013); Allefeld, Görgen & Haynes (2016); Nichols & Holmes (2002);
    Smith & Nichols (2009); Knijnenburg, Wessels, Reinders & Shmulevich (2009).

    Examples
    --------
    >>> import numpy as np
    >>> from abovechance.maps import Geometry, SubjectMap
    >>> rng = np.random.default_rng(1)
    >>> row = Geometry(coordinates=np.arange(20.0)[:, None], axes=("time",), unit="s", shape=(20,),
    ...                indices=np.arange(20))
    >>> def subject():
    ...     signal = 2.0 * (abs(np.arange(20) - 12) < 2)
    ...     return SubjectMap(
    ...         observed=rng.normal(size=20) + signal, null=rng.normal(size=(50, 20)), chance=None,
    ...         statistic="srivastava_du", title="Srivastava–Du", sizes=np.full(20, 3),
    ...         geometry=row, neighbourhood="windows", n=40, classes=("a", "b"),
    ...         class_sizes=(20, 20), hypothesis="no difference", seed=1)
    >>> found = group_maps([subject() for _ in range(12)], draws=999, rng=1)
    >>> np.flatnonzero(found.rejected).tolist()
    [11, 12, 13]
    """
    settings = Settings.of("group_maps", given)
    chosen = METHODS[method]
    cluster_p = between_0_and_1("cluster_p", cluster_p)
    if share != 0:
        share = between_0_and_1("share", share)
    tfce = tfce or control == "tfce"
    if control in NEIGHBOURS and not chosen.neighbours:
        raise NotApplicable(
            f"control {control!r} is not defined for method {method!r}; use 'maximum', 'bh' or "
            "'by'."
        )
    maps = _given(subjects)
    observed, null, chance = _stacked(maps, chosen)
    plan = chosen.plan(observed, null, chance, with_observed)
    adjacent = None
    if chosen.neighbours:
        graph = maps[0].geometry.adjacency(neighbours)
        adjacent = Adjacent(graph.indptr.astype(np.int64), graph.indices.astype(np.int64))
    asked = _Asked(chosen, control, cluster_p, tfce, share, tail, with_observed, neighbours)
    return _answered(asked, maps, plan, adjacent, settings)


@dataclass(frozen=True)
class _Asked:
    """What was asked for besides the settings."""

    method: GroupMethod
    control: str
    cluster_p: float
    tfce: bool
    share: float
    tail: str
    with_observed: bool
    neighbours: str


def _answered(
    asked: _Asked,
    maps: Sequence[SubjectMap],
    plan: Plan,
    adjacent: Adjacent | None,
    settings: Settings,
) -> GroupMaps:
    reference = error_control.reference_of(plan, settings)
    kept = reference.kept(asked.cluster_p) if adjacent is not None else 0
    if asked.control == "cluster" and not kept:
        raise NotApplicable(_no_clusters(asked, reference, plan))
    settings = replace(settings, store=_shared(settings.store, plan, asked, settings.seed))
    passes = 1 + bool(kept)
    work = Counting(plan, kept, adjacent if asked.tfce else None, reference.draws)
    null = error_control.null_of(work, reference, error_control.in_passes(settings, 0, passes))
    found = None
    if kept and adjacent is not None:
        found = error_control.clusters_of(
            plan, null.top, adjacent, reference, error_control.in_passes(settings, 1, passes)
        )
    told = np.zeros(len(plan.observed), dtype=np.bool_)
    prevalence = None
    familywise = reference.p_value(error_control.reached(null.largest, plan.bar))
    if plan.minimum:
        counts = np.array([one.draws + 1 for one in maps])
        shares = error_control.shares_at_least(plan, counts)
        prevalence = error_control.prevalence(shares, familywise, asked.share, settings.alpha)
        p, familywise = prevalence.p_value, prevalence.p_familywise
    elif asked.tail == "pareto":
        p, told = error_control.pareto_p_values(plan, null, reference, settings)
    else:
        p = np.asarray(reference.p_value(null.exceed), dtype=np.float64)
    values = _maps(maps, plan, p, familywise, null, reference, found, prevalence, adjacent)
    controls = tuple(_controls(values, asked, settings.alpha))
    values["rejected"] = _rejected(values, asked.control, settings.alpha).astype(np.float64)
    geometry = maps[0].geometry
    critical = _critical(null, plan, reference, settings.alpha, len(maps))
    if critical is not None and asked.method.against_chance:
        critical = critical + sum(one.chance or 0.0 for one in maps) / len(maps)
    near = adjacent if adjacent is not None else _adjacent(geometry, asked.neighbours)
    return GroupMaps(
        method=asked.method.name,
        title=asked.method.title,
        hypothesis=_hypothesis(asked),
        conclusion=_conclusion(asked),
        n=len(maps),
        subjects=tuple(one.subject for one in maps),
        centres=len(geometry),
        statistic=maps[0].statistic,
        statistic_title=maps[0].title,
        chance=maps[0].chance,
        null_maps=(min(one.draws for one in maps), max(one.draws for one in maps)),
        with_observed=asked.with_observed,
        draws=reference.draws,
        exact=reference.exact,
        rule="(b + 1) / (m + 1)" if reference.besides else "b / m, all arrangements",
        alpha=settings.alpha,
        control=asked.control,
        controls=controls,
        peaks=peaks_of(values, geometry, near),
        clusters=() if found is None else clusters_found(found, values, geometry),
        cluster_p=asked.cluster_p,
        neighbours=asked.neighbours,
        tfce=_enhancement() if "p_tfce" in values else None,
        share=asked.share if plan.minimum else None,
        tail=asked.tail,
        extrapolated=int(told.sum()),
        seed=settings.seed,
        maps=values,
        geometry=geometry,
        view=view_of(values, geometry, maps, critical),
        advice=tuple(_advice(asked, maps, plan, null, reference, p, told, settings)),
    )


# ----------------------------------------------------------------------------------------------
# What goes in: maps of the same centres and statistic, without undefined values.
# ----------------------------------------------------------------------------------------------


def _given(subjects: Any) -> list[SubjectMap]:
    named = dict(subjects) if isinstance(subjects, Mapping) else None
    listed = isinstance(subjects, Iterable) and getattr(subjects, "ndim", 1) > 0
    if isinstance(subjects, SubjectMap) or not listed:
        raise DataError(f"group maps need a list of subjects' maps; got {type(subjects).__name__}.")
    every = list(subjects.values()) if isinstance(subjects, Mapping) else list(subjects)
    for i, one in enumerate(every):
        if not isinstance(one, SubjectMap):
            raise DataError(
                f"subject {i + 1} must be a map, as searchlight() returns; got {shown(one)}."
            )
    if len(every) < 2:
        raise DataError(f"group maps need at least 2 subjects; got {len(every)}.")
    if named is not None:
        names = [str(name) for name in named]
    else:
        names = [one.subject or f"subject {i + 1}" for i, one in enumerate(every)]
    found = [replace(one, subject=name) for name, one in zip(names, every, strict=True)]
    for one in found[1:]:
        _same(found[0], one)
    return found


def _same(first: SubjectMap, other: SubjectMap) -> None:
    """Refuse maps that are not of the same centres, or not of the same statistic."""
    a, b = first.geometry, other.geometry
    who, than = f"{other.subject!r}", f"{first.subject!r}"
    if len(a) != len(b) or a.shape != b.shape:
        raise DataError(
            f"all maps must have the same centres; {who} has {_extent(b)} and {than} {_extent(a)}. "
            "Use one mask in one space for all subjects."
        )
    cells = a.indices is not None and b.indices is not None
    if cells and not np.array_equal(a.indices, b.indices):  # type: ignore[arg-type]
        raise DataError(
            f"all maps must have the same centres; {who} has others than {than}. Use one mask for "
            "all subjects."
        )
    away = float(np.abs(a.coordinates - b.coordinates).max(initial=0.0))
    if a.coordinates.shape != b.coordinates.shape or away > 1e-3:
        raise DataError(
            f"all maps must have the same centres; those of {who} and {than} lie up to {away:.3g} "
            f"{a.unit} apart. Resample all subjects to one space."
        )
    if first.statistic != other.statistic:
        raise DataError(
            f"all maps must be of one statistic; {who} has {other.statistic} and {than} "
            f"{first.statistic}."
        )


def _extent(geometry: Geometry) -> str:
    grid = "" if geometry.shape is None else f" of a {' × '.join(map(str, geometry.shape))} grid"
    return f"{len(geometry)}{grid}"


def _stacked(
    maps: Sequence[SubjectMap], method: GroupMethod
) -> tuple[Floats, list[Array], Floats | None]:
    """Observed maps (S, V), null maps of each subject, and the chance level of each."""
    for one in maps:
        if method.permuted and not one.draws:
            raise NotApplicable(
                f"method {method.name!r} needs null maps, and {one.subject!r} has none; make maps "
                "with draws of at least 1."
            )
        if method.against_chance and one.chance is None:
            raise NotApplicable(
                f"method {method.name!r} needs the value that the statistic has by chance, and "
                f"{one.statistic} has none that is known; use 'stelzer', 'joint' or 'prevalence'."
            )
        _defined(one, method)
    chance = None
    if all(one.chance is not None for one in maps):
        chance = np.array([one.chance for one in maps], dtype=np.float64)
    return np.array([one.observed for one in maps]), [one.null for one in maps], chance


def _defined(one: SubjectMap, method: GroupMethod) -> None:
    bad = ~np.isfinite(one.observed)
    if not bad.any() and method.permuted:
        for row in one.null:  # one at a time: they may lie in a file
            bad |= ~np.isfinite(row)
    if bad.any():
        raise DataError(
            f"maps must be defined at all centres; {one.subject!r} is not at {int(bad.sum())} of "
            f"them, first at centre {int(np.flatnonzero(bad)[0])}. Leave these out of the mask of "
            "all subjects."
        )


def _adjacent(geometry: Geometry, neighbours: Any) -> Adjacent:
    graph = geometry.adjacency(neighbours)
    return Adjacent(graph.indptr.astype(np.int64), graph.indices.astype(np.int64))


def _shared(store: Any, plan: Plan, asked: _Asked, seed: int) -> Any:
    """One file for both readings of the draws."""
    if store is None or isinstance(store, Store):
        return store
    about = digest(plan, asked.method.name, asked.cluster_p, asked.tfce, asked.neighbours)
    return Store(store, configuration={"group_maps": about, "seed": seed})


# ----------------------------------------------------------------------------------------------
# What comes out.
# ----------------------------------------------------------------------------------------------


def _maps(
    maps: Sequence[SubjectMap],
    plan: Plan,
    p: Floats,
    familywise: Floats,
    null: Null,
    reference: Reference,
    found: Clustered | None,
    prevalence: Prevalence | None,
    adjacent: Adjacent | None,
) -> dict[str, Floats]:
    values = {
        "statistic": _statistic(maps, plan),
        "effect": _effect(maps),
        "p": p,
        "log10_p": -np.log10(p),
        "p_maximum": familywise,
        **{f"p_{name}": adjusted for name, adjusted in error_control.discoveries(p).items()},
        "sizes": np.mean([one.sizes for one in maps], axis=0),
    }
    if not plan.minimum:
        values["z"] = plan.observed
    if null.supported is not None and adjacent is not None:
        tall = _enhanced(plan.observed, adjacent)
        # as much less as ties of the values could make of it
        bar = _enhanced(plan.bar, adjacent)
        values["tfce"] = tall
        values["p_tfce"] = reference.p_value(error_control.reached(null.supported, bar))
        values["p_tfce"][tall == 0] = 1.0
    if found is not None:
        values["cluster"] = found.label.astype(np.float64)
        values["p_cluster"] = np.concatenate([[1.0], found.p_familywise])[found.label]
    if prevalence is not None:
        values["p_global"] = prevalence.p_global
        values["p_global_maximum"] = prevalence.p_global_familywise
        values["prevalence"] = prevalence.bound
    return values


def _enhanced(values: Floats, adjacent: Adjacent) -> Floats:
    step, extent, height = error_control.STEP, error_control.EXTENT, error_control.HEIGHT
    return enhanced(values[None], adjacent, step=step, extent=extent, height=height)[0]


def _enhancement() -> dict[str, float]:
    return {"E": error_control.EXTENT, "H": error_control.HEIGHT, "dh": error_control.STEP}


def _statistic(maps: Sequence[SubjectMap], plan: Plan) -> Floats:
    """The mean over subjects, or their minimum where that was tested."""
    observed = np.array([one.observed for one in maps])
    return np.asarray(observed.min(axis=0) if plan.minimum else observed.mean(axis=0))


def _effect(maps: Sequence[SubjectMap]) -> Floats:
    """The mean over subjects less chance; where that is not known, less the mean by permutation."""
    each = []
    for one in maps:
        if one.chance is not None or not one.draws:
            each.append(one.observed - (one.chance or 0.0))
        else:
            each.append(one.observed - np.mean(one.null, axis=0, dtype=np.float64))
    return np.asarray(np.mean(each, axis=0))


def _rejected(values: Mapping[str, Floats], control: str, alpha: float) -> Bools:
    name = f"p_{control}"
    if name not in values:
        return np.zeros(len(values["p"]), dtype=np.bool_)
    return np.asarray(values[name] <= alpha)


def _controls(values: Mapping[str, Floats], asked: _Asked, alpha: float) -> Iterator[Control]:
    for name, (title, bounds) in CONTROLS.items():
        if f"p_{name}" not in values:
            continue
        yield Control(
            control=name,
            title=title,
            bounds=OF_SHARES if name == "maximum" and "prevalence" in values else bounds,
            rejected=int(_rejected(values, name, alpha).sum()),
            least_p=float(values[f"p_{name}"].min()),
            chosen=name == asked.control,
        )


def _critical(
    null: Null, plan: Plan, reference: Reference, alpha: float, subjects: int
) -> Floats | None:
    """What the mean of what is combined must exceed at each centre, allowing for all of them."""
    kept = reference.kept(alpha) - 1  # so many may be as large
    if plan.minimum or kept < 1:
        return None
    bar = np.sort(null.largest)[::-1][kept - reference.besides]
    with np.errstate(divide="ignore"):
        return np.asarray((bar / plan.scale + plan.shift) / subjects)


def _hypothesis(asked: _Asked) -> str:
    return asked.method.hypothesis.replace("at most the stated share", _at_most(asked.share))


def _conclusion(asked: _Asked) -> str:
    if asked.share == 0:
        return asked.method.conclusion.replace("more than the stated share", "some part")
    return asked.method.conclusion.replace("the stated share", f"{100 * asked.share:g} %")


def _at_most(share: float) -> str:
    return f"at most {100 * share:g} %" if share else "no part"


# ----------------------------------------------------------------------------------------------
# What a reader should know before believing it.
# ----------------------------------------------------------------------------------------------


def _advice(
    asked: _Asked,
    maps: Sequence[SubjectMap],
    plan: Plan,
    null: Null,
    reference: Reference,
    p: Floats,
    told: Bools,
    settings: Settings,
) -> Iterator[Advice]:
    alpha, centres = settings.alpha, len(p)
    if reference.least > alpha and not plan.minimum:
        yield Advice(
            "AC580",
            f"p cannot fall below {reference.least:.2g} with {_arrangements(reference, plan)}, so "
            f"nothing can be rejected at {alpha:g}; {_more(asked, _one_in(alpha))}.",
        )
    elif not plan.minimum and asked.tail == "count":
        yield from _on_resolution(asked, plan, reference, p, alpha)
    if asked.method.neighbours and not reference.kept(asked.cluster_p):
        yield Advice("AC582", _no_clusters(asked, reference, plan))
    if plan.still.any() and not plan.minimum:
        yield Advice(
            "AC583",
            f"at {int(plan.still.sum())} of {thousands(centres)} centres the combinations are all "
            "the same, so that nothing can be said there; they count as not rejected.",
        )
    if plan.minimum:
        yield from _on_prevalence(asked, maps, reference, alpha)
    if asked.tail == "pareto" and not plan.minimum:
        counted = int(((null.exceed < 10) & ~told & ~plan.still).sum())
        rest = ""
        if counted:
            rest = f"; at {counted} others none fits, or it ends below the value, and p is counted"
        yield Advice(
            "AC585",
            f"p-values at {thousands(int(told.sum()))} centres are read off a generalised Pareto "
            f"distribution fitted to the largest draws{rest}. They are estimates, not bounds: use "
            "them to see whether more draws would help.",
            "Knijnenburg et al. (2009)",
        )
    yield from _on_null_maps(asked, maps, null, alpha)


def _on_resolution(
    asked: _Asked, plan: Plan, reference: Reference, p: Floats, alpha: float
) -> Iterator[Advice]:
    """Benjamini and Hochberg reject only if enough centres share the smallest p there can be."""
    centres = len(p)
    needed = math.ceil(centres * reference.least / alpha - 1e-9)
    there = int((p <= reference.least * (1 + 1e-12)).sum())
    if there >= needed or np.any(error_control.discoveries(p)["bh"] <= alpha):
        return
    if not there:
        remedy = "no centre has it, so more draws need not help"
    else:
        least = math.ceil(centres / (alpha * there))
        remedy = (
            f"only {there} {'has' if there == 1 else 'have'} it; {_more(asked, least)}, or see "
            "what tail='pareto' says"
        )
    yield Advice(
        "AC581",
        f"p cannot fall below {reference.least:.2g} with {_arrangements(reference, plan)}: over "
        f"{thousands(centres)} centres Benjamini and Hochberg's rule can then reject only if "
        f"{needed} of them have the smallest p, and {remedy}. The largest of all centres "
        "(control='maximum') does not suffer from this.",
    )


def _no_clusters(asked: _Asked, reference: Reference, plan: Plan) -> str:
    return (
        f"clusters cannot be formed at p = {asked.cluster_p:g} with "
        f"{_arrangements(reference, plan)}; {_more(asked, _one_in(asked.cluster_p))}, or "
        f"raise cluster_p to {reference.least:.2g} or more."
    )


def _arrangements(reference: Reference, plan: Plan) -> str:
    many = thousands(reference.draws)
    if plan.choice.listed:
        return f"{many} joint permutations"
    return f"all {many} arrangements" if reference.exact else f"{many} draws"


def _one_in(p: float) -> int:
    """How many equally probable arrangements let p be so small; as many as can be asked for."""
    return math.ceil(min(1 / p, LARGEST))


def _more(asked: _Asked, least: int) -> str:
    """What to ask for so that p can be one part in so many."""
    if asked.method.name == "joint":
        return f"{thousands(least - 1)} null maps of every subject would do, or method='stelzer'"
    if asked.method.name == "sign_flip":
        subjects = math.ceil(math.log2(least))
        return f"{subjects} subjects and {thousands(least - 1)} draws would do"
    return f"draws={least - 1} would do"


def _on_prevalence(
    asked: _Asked, maps: Sequence[SubjectMap], reference: Reference, alpha: float
) -> Iterator[Advice]:
    subjects = len(maps)
    smallest = math.prod(1 / (one.draws + 1) for one in maps) ** (1 / subjects)

    def least(n: int) -> float:
        p = ((1 - asked.share) * smallest + asked.share) ** n if asked.share else 0.0
        return reference.least + (1 - reference.least) * p

    if least(subjects) <= alpha:
        if asked.share and asked.control == "maximum":
            yield Advice(
                "AC587",
                "by the argument of its authors this correction allows for all centres only as far "
                "as nobody carries a signal there; where many people carry it over a wide area, "
                "one of many claims of a larger share may be false. control='bh' allows for that.",
                "Allefeld et al. (2016)",
            )
        return
    enough = next((n for n in range(subjects + 1, 1001) if least(n) <= alpha), None)
    what = "" if enough is None else f"; {enough} subjects could"
    yield Advice(
        "AC584",
        f"{subjects} subjects cannot show at level {alpha:g} that more than "
        f"{100 * asked.share:g} % of the population carry a signal: the smallest p that allows "
        f"for all centres is {least(subjects):.2g}{what}.",
        "Allefeld et al. (2016)",
    )


def _on_null_maps(
    asked: _Asked, maps: Sequence[SubjectMap], null: Null, alpha: float
) -> Iterator[Advice]:
    """Few null maps make a null whose own mean is uncertain, as far out as all centres reach.

    The mean of M null maps has a variance of 1/M of a single one's: far out at z the true size is
    about exp(z²/2M) times the nominal one.
    """
    if asked.method.name != "stelzer" or asked.with_observed:
        return
    fewest = min(one.draws for one in maps)
    far = float(np.quantile(null.largest, 1 - alpha))
    times = math.exp(min(max(far, 0.0) ** 2 / (2 * fewest), 50.0))
    if times > INFLATED:
        yield Advice(
            "AC586",
            f"{fewest} null maps per subject leave the null uncertain: the chance of any false "
            f"centre may be about {times:.1f} times the stated {alpha:g}, that of a false cluster "
            "larger still. Use 100 or more, or with_observed=True, which is exact for any number.",
            "Stelzer et al. (2013)",
        )
