"""Heliolite: the best mappings of tensor workloads on accelerators, with proofs.

    import heliolite as hl

    answer = hl.map("resnet18", "eyeriss", objective="energy")
    answer["conv1"].mapping                     # a notebook shows it as a table and a picture
    hl.explain(answer["conv1"].mapping)         # its cost by level and tensor
    answer.columns()                            # a dict of lists

docs/python.md is the guide.
"""
from . import _core
from ._bounds import Bound, Bounds, Curve, FusedCurve, bound, curve, fuse
from ._core import Architecture, Mapping, Network, Workload
from ._costs import CostModel, evaluate, explain
from ._dress import dress as _dress_classes
from ._errors import Diagnostic, Error, Interrupted, Note
from ._inputs import architecture, mapping, network, network_presets, presets, workload
from ._objects import Compute, Cost, Explanation, Level, Rates, Tensor
from ._search import Answer, AnyLook, LayerAnswer, NetworkOptimum, Progress, Throughput, map, search_options
from ._report import report
from ._schedules import Schedule, ScheduleAnswer, map_fused, schedule
from ._sweeps import Point, Sweep, SweepProgress, read_sweep, sweep

_dress_classes()
__version__ = _core.version()["version"]


def version() -> dict:
    """Which build this is: version, commit, compiler, kind of build."""
    return _core.version()


__all__ = [
    "Answer", "AnyLook", "Architecture", "Bound", "Bounds", "Compute", "Cost", "CostModel", "Curve", "Diagnostic",
    "Error", "Explanation", "FusedCurve", "Interrupted", "LayerAnswer", "Level", "Mapping", "Network", "NetworkOptimum",
    "Note", "Point", "Progress", "Rates", "Schedule", "ScheduleAnswer", "Sweep",
    "SweepProgress", "Tensor", "Throughput", "Workload", "architecture",
    "bound", "curve", "evaluate", "explain",
    "fuse", "map", "map_fused", "mapping", "network", "network_presets", "presets", "read_sweep", "report", "schedule",
    "search_options",
    "sweep", "version", "workload",
]

for _name in __all__:  # people know these by the package's name
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "heliolite"
