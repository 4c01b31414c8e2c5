"""Where is the signal? A statistic in every neighbourhood of an image, a surface or a recording."""

from abovechance.maps.decoding import decode_over_time
from abovechance.maps.group_level import GroupMaps, group_maps
from abovechance.maps.searching import searchlight
from abovechance.maps.subject_map import Geometry, SubjectMap

__all__ = [
    "Geometry",
    "GroupMaps",
    "SubjectMap",
    "decode_over_time",
    "group_maps",
    "searchlight",
]
