"""Maps of subjects and of groups on disk, and seen through a glass brain."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import abovechance as ac
from abovechance.errors import FileError, NotApplicable
from abovechance.inference.contract import contract, fault
from abovechance.maps import GroupMaps
from abovechance.plots import glass_brain, map_pictures
from fuzz.frame import settle
from statistical.map_subjects import ball, group, volume


def of(*shape: int, **options: Any) -> GroupMaps:
    where = volume(*shape)
    people = group(np.random.default_rng(1), where, 8, 20, signal=2.5 * ball(where, 1), chance=0.0)
    return ac.group_maps(people, **{"draws": 199, "rng": 1, **options})


def test_a_row_of_times_is_written_as_numbers_and_json(tmp_path: Path) -> None:
    result = of(20)
    written = result.write(tmp_path / "group")
    assert [path.name for path in written] == ["group.json", "values.npy", "coordinates.npy"]
    facts = json.loads(written[0].read_text("utf-8"))
    assert {"abovechance", "numpy", "python", "scipy"} <= facts.pop("versions").keys()
    assert facts == json.loads(result.to_json())
    saved = dict(zip(facts["maps"], np.load(written[1]), strict=True))
    assert np.array_equal(saved["p_maximum"], result["p_maximum"])
    assert np.array_equal(np.load(written[2]), result.geometry.coordinates)


def decoded(subjects: int) -> Any:
    rng, y = np.random.default_rng(1), np.arange(24) % 2
    each = [rng.normal(size=(24, 2, 4)) for _ in range(subjects)]
    return ac.decode_over_time(each[0] if subjects == 1 else each, y, draws=5, rng=1)


SAVED = {
    "cuts": lambda: of(4, 4, 3, cluster_p=0.05),
    "course": lambda: of(6, method="sign_flip", tfce=False),
    "plane": lambda: of(4, 4, tfce=False),
    "shares": lambda: of(4, 4, 3, method="prevalence"),
    "one subject": lambda: decoded(1),
    "several subjects": lambda: decoded(2),
}


def damaged(facts: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something may be lost or changed: every name, and the first entry of every list."""
    if isinstance(facts, dict):
        inside: Any = facts.items()
    else:
        inside = enumerate(facts[:1]) if isinstance(facts, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from damaged(part, (*path, key))


@pytest.mark.parametrize("kind", SAVED)
def test_a_saved_map_is_as_its_schema_says_and_a_damaged_one_is_shown_or_refused(kind: str) -> None:
    facts = json.loads(json.dumps(SAVED[kind]().to_dict()))
    assert fault(facts, facts["kind"]) is None
    for number, path in enumerate(damaged(facts)):
        broken = json.loads(json.dumps(facts))
        place = broken
        for key in path[:-1]:
            place = place[key]
        if number % 2:
            del place[path[-1]]
        else:
            place[path[-1]] = (None, [], "x", {})[number // 2 % 4]
        assert settle(lambda broken=broken: ac.report(broken).html) in ("answered", "refused")


def test_what_is_wrong_with_a_saved_map_is_said_with_its_place() -> None:
    facts = of(4, 4, 3).to_dict()
    peaks = [{**facts["peaks"][0], "at": [1.0]}]
    planes = [{**facts["view"]["planes"][0], "rejected": [[0]]}, *facts["view"]["planes"][1:]]
    for change, said in (
        ({"peaks": peaks}, "peaks, entry 1, at must have 3 numbers, one for each axis"),
        ({"view": {**facts["view"], "planes": planes}}, "view, cut 1 must be of one size"),
        ({"view": {**facts["view"], "planes": planes[:2]}}, "must have 3 entries"),
        ({"control": "bh"}, "controls must have 'bh' chosen; got"),
        ({"method": "mean"}, "method must be one of 'stelzer', 'joint', 'sign_flip', 'prevalence'"),
    ):
        with pytest.raises(ac.AboveChanceError, match=said):
            contract({**facts, **change})


@pytest.mark.parametrize("method", ["stelzer", "prevalence"])
def test_a_volume_is_written_as_images_with_its_affine(tmp_path: Path, method: str) -> None:
    nibabel = pytest.importorskip("nibabel")
    result = of(6, 5, 4, method=method)
    written = result.write(tmp_path)
    images = {path.name: nibabel.load(path) for path in written if path.name.endswith(".nii.gz")}
    assert set(images) == {f"{name}.nii.gz" for name in result.maps}
    for name, image in images.items():
        assert np.array_equal(image.affine, result.geometry.affine)
        values = result.as_volume(name.removesuffix(".nii.gz"))
        np.testing.assert_allclose(np.asarray(image.dataobj), values, rtol=1e-6)


def test_outside_the_mask_p_is_one(tmp_path: Path) -> None:
    from dataclasses import replace

    nibabel = pytest.importorskip("nibabel")
    where = volume(4, 4, 4)
    assert where.indices is not None
    inside = where.indices[1:]
    part = replace(where, coordinates=where.coordinates[1:], indices=inside)
    people = [
        replace(
            one,
            observed=one.observed[1:],
            null=one.null[:, 1:],
            sizes=one.sizes[1:],
            geometry=part,
        )
        for one in group(np.random.default_rng(2), where, 4, 20)
    ]
    ac.group_maps(people, draws=99, rng=1).write(tmp_path)
    for name, outside in (("p", 1.0), ("p_bh", 1.0), ("z", 0.0), ("rejected", 0.0)):
        assert np.asarray(nibabel.load(tmp_path / f"{name}.nii.gz").dataobj)[0, 0, 0] == outside


def test_a_glass_brain_needs_nilearn_and_a_volume(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_pictures, "find_spec", lambda name: None)
    with pytest.raises(FileError, match="nilearn"):
        glass_brain(of(5, 4, 3, tfce=False))
    with pytest.raises(NotApplicable, match="centres that are not in a volume"):
        glass_brain(of(20, tfce=False))
    with pytest.raises(NotApplicable, match="needs what group_maps returns for images; got 3"):
        glass_brain(3)


@pytest.fixture
def painter(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stands in for nilearn: what it was given to draw, by the name of its function."""
    pytest.importorskip("nibabel")
    shown: dict[str, Any] = {}

    def named(name: str) -> Any:
        def drawn(image: Any, figure: Any = None, **options: Any) -> str:
            shown[name] = {**options, "image": np.asarray(image.dataobj)}
            if figure is not None:
                figure.add_axes((0, 0, 1, 1)).plot([0, 1], [0, 1])
            return "drawn"

        return drawn

    nilearn, plotting = ModuleType("nilearn"), ModuleType("nilearn.plotting")
    vars(nilearn)["__version__"] = "0"
    vars(plotting).update({name: named(name) for name in ("plot_glass_brain", "plot_stat_map")})
    monkeypatch.setitem(sys.modules, "nilearn", nilearn)
    monkeypatch.setitem(sys.modules, "nilearn.plotting", plotting)
    monkeypatch.setattr(map_pictures, "find_spec", lambda name: object())
    return shown


def test_a_glass_brain_is_given_the_rejected_centres(painter: dict[str, Any]) -> None:
    result = of(6, 5, 4)
    assert glass_brain(result, cmap="hot") == "drawn"
    shown = painter["plot_glass_brain"]
    assert shown["cmap"] == "hot"
    assert np.array_equal(shown["image"] != 0, result.as_volume("rejected") > 0)


@pytest.mark.parametrize("method", ["stelzer", "prevalence"])
def test_a_report_holds_what_nilearn_draws_of_the_rejected_centres(
    method: str, painter: dict[str, Any]
) -> None:
    result = of(6, 5, 4, method=method, control="bh", share=0.2, draws=999)
    assert result.rejected.any()
    page = ac.report(result).html
    assert page.count('src="data:image/png;base64,') == 2
    assert "Centres rejected at level 0.05 (bh)" in page
    assert page == ac.report(result).html
    name = "z" if method == "stelzer" else "log10_p"
    for shown in painter.values():
        wanted = np.where(result.rejected, result[name], 0.0).astype(np.float32)
        assert np.array_equal(shown["image"], result.geometry.as_volume(wanted))
        assert shown["vmax"] == pytest.approx(wanted.max())
    place = result.geometry.coordinates[np.argmax(np.where(result.rejected, result[name], -1))]
    assert painter["plot_stat_map"]["cut_coords"] == tuple(place)


def test_no_brain_is_drawn_where_there_is_none_to_draw(painter: dict[str, Any]) -> None:
    result = of(6, 5, 4)
    far = replace(result.geometry, coordinates=result.geometry.coordinates + 200)
    nothing = {**result.maps, "rejected": np.zeros(120)}
    for other in (
        replace(result, geometry=far),
        replace(result, maps=nothing),
        of(20, tfce=False),
        result.to_dict(),
    ):
        assert "data:image/png" not in ac.report(other).html
    assert not painter


def test_a_glass_brain_is_drawn_by_nilearn(tmp_path: Path) -> None:
    pytest.importorskip("nilearn")
    glass_brain(of(12, 12, 10)).savefig(tmp_path / "brain.png")
    assert (tmp_path / "brain.png").stat().st_size > 1000


def test_a_report_with_the_brains_of_nilearn() -> None:
    pytest.importorskip("nilearn")
    assert ac.report(of(6, 5, 4)).html.count('src="data:image/png;base64,') == 2
