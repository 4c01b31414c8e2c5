"""Maps of subjects and of groups on disk: images to look at, numbers to go on with."""

import json
import platform
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abovechance import __version__
from abovechance.advice import Advice
from abovechance.errors import FileError
from abovechance.io.export import write_text
from abovechance.maps.images import nibabel, write_image
from abovechance.maps.subject_map import Geometry, SubjectMap

if TYPE_CHECKING:
    from abovechance.maps.group_level import GroupMaps

FACTS, CENTRES, NULL = "map.json", "centres.npz", "null.npy"
KEPT = ("coordinates", "indices", "affine", "regions", "pairs")
"""Arrays of a geometry that are kept."""


def write_map(one: SubjectMap, folder: str | PathLike[str]) -> list[Path]:
    """A map as files: what is known of it as JSON, its values, null maps, and images of a volume.

    observed.nii.gz, p.nii.gz, log10p.nii.gz (minus the logarithm of p) and sizes.nii.gz have the
    affine of the data.
    """
    if one.geometry.affine is not None:
        nibabel()  # asked before anything is written
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = [place / FACTS, place / CENTRES, place / NULL]
    facts = {**one.to_dict(), "versions": versions()}
    write_text(written[0], json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    arrays = {name: getattr(one.geometry, name) for name in KEPT}
    held = {name: array for name, array in arrays.items() if array is not None}
    with (place / CENTRES).open("wb") as file:
        np.savez(
            file,
            observed=one.observed,
            sizes=one.sizes,
            names=np.array(one.geometry.names, dtype=str),
            **held,
        )
    if not _mapped_from(one.null, place / NULL):
        np.save(place / NULL, one.null)
    if one.geometry.affine is None:
        return written
    images = {
        "observed": (one.observed, 0.0),
        "p": (one.p_values, 1.0),
        "log10p": (-np.log10(one.p_values), 0.0),
        "sizes": (one.sizes, 0),
    }
    for name, (values, fill) in images.items():
        path = place / f"{name}.nii.gz"
        write_image(path, one.geometry, values, fill)
        written.append(path)
    return written


def versions() -> dict[str, str]:
    """What the numbers were computed with."""
    import scipy

    return {
        "abovechance": __version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }


def _mapped_from(null: Any, path: Path) -> bool:
    """Whether null maps already lie in this file."""
    file = getattr(null, "filename", None)
    return file is not None and path.exists() and Path(file).samefile(path)


def read_map(folder: str | PathLike[str]) -> SubjectMap:
    """Read a map that was written to a folder; its null maps stay on disk until they are used.

    Parameters
    ----------
    folder
        Of one subject, as `SubjectMap.write` and `abovechance searchlight` leave it.

    Returns
    -------
    SubjectMap
        The map as it was.

    Raises
    ------
    FileError
        If there is none, or its files do not belong together.

    See Also
    --------
    searchlight : makes maps.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import abovechance as ac
    >>> y = np.arange(20) % 2
    >>> X = np.random.default_rng(1).normal(size=(20, 3, 5))
    >>> one = ac.decode_over_time(X, y, draws=9, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     same = [path.name for path in one.write(folder)][:3], len(read_map(folder).null)
    >>> same
    (['map.json', 'centres.npz', 'null.npy'], 9)
    """
    place = Path(folder)
    try:
        facts = json.loads((place / FACTS).read_text("utf-8"))
        with np.load(place / CENTRES, allow_pickle=False) as saved:
            arrays = {name: saved[name] for name in saved.files}
        null = np.load(place / NULL, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        raise FileError(
            f"{fspath(folder)!r} must hold the files of a map; {reason.lower()}."
        ) from None
    if facts.get("kind") != SubjectMap.kind or null.shape != (facts["draws"], len(arrays["sizes"])):
        raise FileError(f"the files in {fspath(folder)!r} do not belong to one map.")
    geometry = Geometry(
        axes=tuple(facts["geometry"]["axes"]),
        unit=facts["geometry"]["unit"],
        shape=tuple(facts["geometry"]["shape"]) if "shape" in facts["geometry"] else None,
        names=tuple(str(name) for name in arrays["names"]),
        **{name: arrays[name] for name in KEPT if name in arrays},
    )
    same = ("chance", "statistic", "title", "neighbourhood", "n", "runs", "folds", "hypothesis")
    return SubjectMap(
        observed=arrays["observed"],
        null=null,
        sizes=arrays["sizes"],
        geometry=geometry,
        classes=tuple(facts["classes"]),
        class_sizes=tuple(facts["class_sizes"]),
        seed=facts["seed"],
        subject=facts["subject"],
        described=facts["described"],
        advice=tuple(Advice(**one) for one in facts["advice"]),
        **{name: facts[name] for name in same},
    )


# ----------------------------------------------------------------------------------------------
# Maps of a group.
# ----------------------------------------------------------------------------------------------


GROUP, VALUES, PLACES = "group.json", "values.npy", "coordinates.npy"

WHOLE = ("rejected", "cluster")  # maps of whole numbers


def write_group(result: "GroupMaps", folder: str | PathLike[str]) -> list[Path]:
    """A group's maps as files, the same to the last byte however they were computed.

    group.json says what was done and found, and names the maps; values.npy holds them (maps ×
    centres), coordinates.npy where the centres lie. Of a volume there is an image of each map too,
    called as the map is (z.nii.gz, p_maximum.nii.gz, …), with the affine of the subjects' data and
    1 outside the mask for p-values, 0 for others.
    """
    images = result.geometry.affine is not None
    if images:
        nibabel()  # asked before anything is written
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = [place / GROUP, place / VALUES, place / PLACES]
    facts = {**result.to_dict(), "versions": versions()}
    write_text(written[0], json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    np.save(written[1], np.array(list(result.maps.values())))
    np.save(written[2], result.geometry.coordinates)
    for name, values in result.maps.items() if images else ():
        path = place / f"{name}.nii.gz"
        kept = values.astype(np.int32) if name in WHOLE else values
        write_image(path, result.geometry, kept, _outside(name))
        written.append(path)
    return written


def _outside(name: str) -> float:
    return 1.0 if name == "p" or name.startswith("p_") else 0.0
