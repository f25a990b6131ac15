"""What Python adds to the engine's classes: objects instead of dicts, and pictures for notebooks."""
from __future__ import annotations

from typing import Any, Dict, List, Optional

from . import _core, _html, _svg
from ._objects import Compute, Level, Tensor


def _loops(loops: List[Dict[str, Any]]) -> str:
    """Loops of a level as text, "K 4, C 3 (last 2)"."""
    out = []
    for loop in loops:
        for name, end in loop.items():
            out.append(f"{name} {end[0]} (last {end[1]})" if isinstance(end, list) else f"{name} {end}")
    return ", ".join(out)


def _nest(mapping: _core.Mapping) -> Dict[str, List[str]]:
    """The loop nest as columns, outermost level first."""
    levels = mapping.levels
    across = [level.get("spatial", {}) for level in levels]
    return {
        "level": [level["level"] for level in levels],
        "keeps": [" ".join(level["keep"]) for level in levels],
        "loops, outermost first": [_loops(level["temporal"]) for level in levels],
        "across X below": [_loops(a.get("x", [])) for a in across],
        "across Y below": [_loops(a.get("y", [])) for a in across],
    }


def _mapping_svg(mapping: _core.Mapping) -> str:
    """How full each bounded level is, by tensor."""
    rows = [(room["level"], [(name, words / room["capacity_words"]) for name, words in room["tensors"].items()])
            for room in mapping.room_dicts]
    return _svg.bars(rows, "room used in each level", {t.name: t.role for t in mapping.workload.tensors})


def _mapping_html(mapping: _core.Mapping) -> str:
    title = f"{mapping.workload.name} on {mapping.machine.name}"
    return _html.table(_nest(mapping), title) + _mapping_svg(mapping)


def _machine_html(machine: _core.Architecture) -> str:
    shown = ("name", "capacity_words", "word_bits", "instances", "fanout_x", "fanout_y", "read_pj", "area_um2")
    levels = machine.levels
    columns = {key: [getattr(level, key) for level in levels] for key in shown}
    units = f"{machine.compute.instances} {machine.compute.name} units"
    title = f"{machine.name}: {units}, {machine.area_um2 / 1e6:.3g} mm2"
    return _html.table(columns, title)


def _network_html(network: _core.Network) -> str:
    layers = network.workloads
    columns = {
        "layer": [w.name for w in layers],
        "count": network.counts,
        "dimensions": [w.dimensions for w in layers],
        "macs": [w.macs for w in layers],
    }
    if any(w.word_bits for w in layers):
        columns["word_bits"] = [w.word_bits for w in layers]
    return _html.table(columns, f"{network.name}: {network.macs:,} MACs")


def _of_kind(kind: Any, rows: List[Dict[str, Any]]) -> List[Any]:
    return [kind(**row) for row in rows]


def _layer(network: _core.Network, name: Optional[str] = None) -> _core.Workload:
    from ._inputs import pick

    return pick(network, name)


def dress() -> None:
    """Adds all of it; once, when the package is imported."""
    machine, network, workload, mapping = _core.Architecture, _core.Network, _core.Workload, _core.Mapping
    machine.levels = property(lambda self: _of_kind(Level, self.level_dicts))
    machine.compute = property(lambda self: Compute(**self.compute_dict))
    machine.__repr__ = lambda self: f"<Architecture {self.name}: {', '.join(l.name for l in self.levels)}>"
    machine._repr_html_ = _machine_html
    workload.tensors = property(lambda self: _of_kind(Tensor, self.tensor_dicts))
    workload.__repr__ = lambda self: f"<Workload {self.name}: {self.macs:,} MACs>"
    network.layer = _layer
    network.__len__ = lambda self: len(self.counts)
    network.__repr__ = lambda self: f"<Network {self.name}: {len(self)} layers, {self.macs:,} MACs>"
    network._repr_html_ = _network_html
    mapping.svg = _mapping_svg
    mapping.__repr__ = lambda self: f"<Mapping of {self.workload.name} on {self.machine.name}>"
    mapping.__str__ = lambda self: self.to_yaml()
    mapping._repr_html_ = _mapping_html
