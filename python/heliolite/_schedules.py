"""Schedules of networks: layers fused where that is best, and what stays inside the machine."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

from . import _core, _html, _svg
from ._core import Architecture, Network
from ._inputs import MODEL, MachineSource, NetworkSource, WordBits, architecture, network
from ._objects import pairs
from ._search import Progress, finish, hook


@dataclass(frozen=True)
class Schedule:
    """How the layers of a network run, one after another or fused in groups, and what that costs."""

    network: Network
    machine: Architecture
    text: str  # "Buf[(l1.j/6 l2.j/6)[+l1.w, l1, l2]] ; l3"
    yaml: str  # a file of `heliolite eval -m`, and of schedule()
    energy_pj: float  # of the whole network
    cycles: int
    outermost_words: int  # read and written there
    # By group, in order: "layers", "level" (where what they hand on stays; None: one layer), "schedule", "count",
    # "energy_pj" and "cycles" of one run, "homes" (by array: words that stay at the level while each layer runs) and
    # "capacity_words" of the level (None: no limit, or one layer).
    groups: List[Dict[str, Any]]
    # What a layer reads of another: "array", "reader", "maker" (None: an input that several read), "level" (where it is
    # found; None: the outermost), "stays", "bytes" of the array, "bytes_read" and "bytes_written" at the outermost
    # level.
    edges: List[Dict[str, Any]]

    @property
    def edp_pj_cycles(self) -> float:
        """The energy-delay product."""
        return self.energy_pj * self.cycles

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the schedule as a file that `heliolite eval -m` and schedule() read."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.yaml)

    def __repr__(self) -> str:
        fused = sum(len(group["layers"]) > 1 for group in self.groups)
        return (f"<Schedule of {self.network.name} on {self.machine.name}: {_html.number(self.energy_pj)} pJ, "
                f"{self.cycles:,} cycles, {fused} groups of several layers>")

    def _repr_svg_(self) -> str:
        return _svg.schedule(self.groups, self.edges, f"{self.network.name} on {self.machine.name}")

    def _repr_html_(self) -> str:
        groups = {key: [group[key] for group in self.groups] for key in ("layers", "level", "count", "energy_pj",
                                                                        "cycles")}
        edges = {key: [edge[key] for edge in self.edges] for key in ("array", "reader", "level", "bytes", "bytes_read",
                                                                     "bytes_written")}
        title = f"{self.network.name} on {self.machine.name}: {self.text}"
        return self._repr_svg_() + _html.table(groups, title) + (_html.table(edges, "edges, one run") if self.edges
                                                                 else "")


@dataclass(frozen=True)
class ScheduleAnswer:
    """The best schedule of a network, with what is proven of it."""

    status: str  # "optimal": no schedule is better; "bounded": none is below lower_bound
    why_not_proven: Optional[str]
    value: float  # of the objective
    lower_bound: float  # no schedule is below
    gap: float  # value / lower_bound - 1
    value_unit: str
    left_out: str  # what no schedule that was looked at does
    schedule: Schedule
    unfused: Optional[Schedule]  # the best without fused layers, if one was found
    unfused_value: Optional[float]
    kept_apart: List[Dict[str, Any]]  # arrays that no schedule can keep inside: {"arrays": [..], "why": ".."}
    evaluated: int  # mappings priced
    seconds: float  # wall time
    interrupted: bool

    @property
    def groups(self) -> List[Dict[str, Any]]:
        """Those of the schedule."""
        return self.schedule.groups

    def __repr__(self) -> str:
        gap = f", gap {100 * self.gap:.3g} %" if self.gap else ""
        of = f"{_html.number(self.value)} {self.value_unit}, {self.status}{gap}"
        return f"<ScheduleAnswer {of}: {self.schedule.text}>"

    def _comparison(self) -> Dict[str, List[Any]]:
        rows = [("fused", self.schedule, self.value)]
        if self.unfused is not None:
            rows.append(("not fused", self.unfused, self.unfused_value))
        out = {"": [name for name, _, _ in rows], "outermost_words": [s.outermost_words for _, s, _ in rows],
               "energy_pj": [s.energy_pj for _, s, _ in rows], "cycles": [s.cycles for _, s, _ in rows],
               f"value [{self.value_unit}]": [value for _, _, value in rows]}
        for name, column in out.items():
            column.append("no schedule is below" if name == "" else self.lower_bound if name.startswith("value") else
                          None)
        return out

    def _repr_html_(self) -> str:
        return _html.table(self._comparison(), f"{self.status}; left out: {self.left_out}") + \
            self.schedule._repr_html_()


def _schedule(found: Optional[Dict[str, Any]], of: Network, on: Architecture) -> Optional[Schedule]:
    return None if found is None else Schedule(of, on, **found)


def map_fused(network_: NetworkSource, machine: MachineSource, *, incremental_softmax: bool = False,
              word_bits: Optional[WordBits] = None, progress: Any = None, **options: Any) -> ScheduleAnswer:
    """The best schedule of a network on a machine: layers are fused where that makes the objective of the network's
    total energy and cycles least, so that what one makes for the next stays inside. With a proof or a proven gap.

    network_, machine    what network() and architecture() take
    incremental_softmax  loops may cut the rows of a softmax
    word_bits            of the network's tensors, as network() takes them; so are dim, elementwise, .. of an ONNX model
    progress             as of map()
    options              those of `heliolite map --fuse` with _ for -: objective="ed2p", budget=60 (of the whole
                         network, 10 seconds if it is not given), free=True, ..

    Ctrl-C ends the search; the exception Interrupted then has the best answer so far. Raises Error for what schedules
    do not have, with what to give instead."""
    model = {name: options.pop(name) for name in MODEL if name in options}
    of, on = network(network_, word_bits, edges=True, **model), architecture(machine)
    found, raised = _core.map_fused(of, on, pairs(options), incremental_softmax, hook(progress, Progress))
    answer = None
    if found is not None:
        parts = {name: _schedule(found.pop(name), of, on) for name in ("schedule", "unfused")}
        answer = ScheduleAnswer(**found, **parts, interrupted=isinstance(raised, KeyboardInterrupt))
    return finish(answer, raised, progress)


def schedule(source: Union[str, "os.PathLike[str]"], network_: NetworkSource, machine: MachineSource) -> Schedule:
    """The schedule of a file (docs/formats_schedule.md), or of the text of one, with its cost. Raises Error, with the
    line, for what makes no legal schedule."""
    of, on = network(network_, edges=True), architecture(machine)
    text = os.fspath(source)
    name = "schedule"
    if "\n" not in text:
        name = text
        with open(text, encoding="utf-8") as file:
            text = file.read()
    return Schedule(of, on, **_core.parse_schedule(text, name, of, on))
