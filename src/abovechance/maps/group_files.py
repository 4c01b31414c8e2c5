"""Group maps on disk: images to look at, numbers to go on with, and what was done as JSON."""

from os import PathLike
from pathlib import Path

import numpy as np

from abovechance.io.export import write_text
from abovechance.maps.group_level import GroupMaps
from abovechance.maps.images import nibabel, write_image

FACTS, VALUES = "group.json", "group.npz"

WHOLE = ("rejected", "cluster")  # maps of whole numbers


def write_group(result: GroupMaps, folder: str | PathLike[str]) -> list[Path]:
    """A group's maps as files: group.json, group.npz, and an image of each map of a volume.

    Images are called as the maps are (z.nii.gz, p_maximum.nii.gz, …) and have the affine of the
    subjects' data.
    """
    images = result.geometry.affine is not None
    if images:
        nibabel()  # asked before anything is written
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = [place / FACTS, place / VALUES]
    write_text(written[0], result.to_json() + "\n")
    with written[1].open("wb") as file:
        np.savez(file, allow_pickle=False, coordinates=result.geometry.coordinates, **result.maps)
    for name, values in result.maps.items() if images else ():
        path = place / f"{name}.nii.gz"
        kept = values.astype(np.int32) if name in WHOLE else values
        write_image(path, result.geometry, kept, _outside(name))
        written.append(path)
    return written


def _outside(name: str) -> float:
    return 1.0 if name == "p" or name.startswith("p_") else 0.0
