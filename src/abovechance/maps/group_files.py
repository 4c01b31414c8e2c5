"""Group maps on disk: images to look at, numbers to go on with, and what was done as JSON."""

import json
from os import PathLike
from pathlib import Path

import numpy as np

from abovechance.io.export import write_text
from abovechance.maps.group_level import GroupMaps
from abovechance.maps.images import nibabel, write_image
from abovechance.maps.map_files import versions

FACTS, VALUES, PLACES = "group.json", "values.npy", "coordinates.npy"

WHOLE = ("rejected", "cluster")  # maps of whole numbers


def write_group(result: GroupMaps, folder: str | PathLike[str]) -> list[Path]:
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
    written = [place / FACTS, place / VALUES, place / PLACES]
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
