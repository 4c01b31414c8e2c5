"""Where is the signal? A statistic in every neighbourhood of an image, a surface or a recording."""

from abovechance.gate import offered
from abovechance.maps.decoding import decode_over_time
from abovechance.maps.group_level import GroupMaps, group_maps
from abovechance.maps.map_files import read_map
from abovechance.maps.searchlights import searchlight
from abovechance.maps.simulated import SimulatedSubjects, simulate_subjects
from abovechance.maps.subject_map import Geometry, SubjectMap, SubjectMaps

__all__ = [
    "Geometry",
    "GroupMaps",
    "SimulatedSubjects",
    "SubjectMap",
    "SubjectMaps",
    "decode_over_time",
    "group_maps",
    "read_map",
    "searchlight",
    "simulate_subjects",
]

globals().update(offered(globals(), __all__))
