"""What nothing can beat."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence

from . import _core, _svg
from ._columns import Table
from ._core import Network
from ._errors import refuse
from ._inputs import MachineSource, NetworkSource, WordBits, WorkloadSource, architecture, network, workload


@dataclass(frozen=True)
class Bound:
    """No execution moves fewer `words` between a memory of `capacity_words` and what is outside (docs/bounds.md). Both
    are in `unit`."""

    layer: Optional[str]  # None: the whole network, one run of it, however its layers are fused
    kind: str  # "compulsory", "hbl", "conv", "iolb"; "nested": any mapping with perfect tiles; "network"
    level: Optional[str]  # of the machine; None: a capacity that was asked for
    capacity_words: Optional[float]  # None: unbounded
    words: int
    because: str
    unit: str = "words"  # "bytes" or "bits" where tensors state sizes of words


class Bounds(Table):
    """A list of bounds. `best()` has the largest for each layer and memory."""

    def __init__(self, bounds: Sequence[Bound]):
        self.bounds = list(bounds)

    def __iter__(self):
        return iter(self.bounds)

    def __len__(self) -> int:
        return len(self.bounds)

    def rows(self) -> List[Dict[str, Any]]:
        return [dict(vars(bound)) for bound in self.bounds]

    def best(self) -> "Bounds":
        """Of each layer and memory the bound with the most words."""
        largest: Dict[Any, Bound] = {}
        for bound in self.bounds:
            key = (bound.layer, bound.level, bound.capacity_words)
            if key not in largest or bound.words > largest[key].words:
                largest[key] = bound
        return Bounds(list(largest.values()))


def bound(source: NetworkSource, machine: Optional[MachineSource] = None, buffers: Sequence[float] = (),
          word_bits: Optional[WordBits] = None, **model: Any) -> Bounds:
    """The least words that any execution of each layer moves, for the memories of a machine and for buffers of so many
    words (of bytes or bits where tensors state sizes of words). With buffers, of a network also what no schedule of
    all its layers together beats. `model` (`dim`, ..): of an ONNX model, as network() takes them."""
    if machine is None and not buffers:
        raise refuse("buffers", "give a machine, or capacities in words")
    if any(not 1 <= words <= 1e18 for words in buffers):
        raise refuse("buffers", f"buffers = {list(buffers)}, must be words from 1 to 1e18")
    of = network(source, word_bits, edges=bool(buffers), **model)
    on = architecture(machine) if machine is not None else None
    out: List[Bound] = []
    capacities = [float(words) for words in buffers]
    for number, layer in enumerate(of.workloads):
        rows = _core.layer_bounds(of, number, capacities, on)
        if on is not None:
            rows += [{**row, "because": "any mapping, perfect tiles"} for row in _core.machine_bounds(of, number, on)]
        out += [Bound(layer.name, **row) for row in rows]
    if len(of.workloads) > 1:
        for capacity, words in zip(capacities, _core.network_bounds(of, capacities, on)):
            why = "no schedule of the layers, fused or not"
            out.append(Bound(None, "network", None, capacity, words, why, out[0].unit))
    return Bounds(out)


@dataclass(frozen=True)
class Curve(Table):
    """Least accesses to a store by the size of the buffers in front of it, in `unit` (docs/orojenesis.md)."""

    name: str
    buffer_words: List[int]
    accesses: List[int]
    by: List[str]  # the bound that says most there: that of mappings ("nested", "orojenesis"), or "hbl", "iolb", ..
    minimum: int  # different words that some MAC uses: with any buffer at least these move
    operand_words: int  # of all tensors
    unit: str = "words"  # "bytes" or "bits" where tensors state sizes of words

    def at(self, buffer: float) -> Optional[int]:
        """The accesses with a buffer of so many units; None if even the first point needs more."""
        fitting = [a for b, a in zip(self.buffer_words, self.accesses) if b <= buffer]
        return fitting[-1] if fitting else None

    def rows(self) -> List[Dict[str, Any]]:
        return [{"buffer_words": b, "accesses": a, "by": by}
                for b, a, by in zip(self.buffer_words, self.accesses, self.by)]

    def svg(self) -> str:
        """The curve as a picture, both axes logarithmic."""
        last = self.buffer_words[-1]
        lines = [(self.name, self.buffer_words, self.accesses),
                 ("every word once", [self.buffer_words[0], last], [self.minimum, self.minimum])]
        return _svg.plot(lines, f"buffer [{self.unit}]", f"accesses [{self.unit}]", staircase=True)

    def _repr_html_(self) -> str:
        return self.svg()


def curve(source: WorkloadSource, *, layer: Optional[str] = None, nested: bool = True,
          imperfect: bool = False, word_bits: Optional[WordBits] = None, **model: Any) -> Curve:
    """The curve of a layer: the largest of all bounds that hold, of mappings and of any schedule. nested: of mappings on
    any number of levels, what none on any machine beats; else with one buffer that all tensors share. imperfect: also
    tiles that do not divide the sizes."""
    of = workload(source, layer, word_bits, **model)
    return Curve(of.name, *_core.curve(of, nested, imperfect))


class FusedCurve(Table):
    """Accesses of a network by the size of its buffer, in `unit`: layer by layer, and with layers fused. Reached by
    schedules (docs/rules/fusion.md); `bound()` says what none beats."""

    def __init__(self, of: Network, buffers: Sequence[int]):
        self._fused = _core.FusedNetwork(of, [int(b) for b in buffers])
        self.network = of
        self.unit: str = self._fused.unit  # "words"; "bytes" or "bits" where tensors state sizes of words
        self.buffer_words: List[int] = self._fused.buffer_words
        self.unfused: List[int] = self._fused.unfused
        self.fused: List[int] = self._fused.fused
        self.not_fused: List[Dict[str, str]] = _core.not_fused(of)  # edges that fusion cannot use, and why

    def rows(self) -> List[Dict[str, Any]]:
        return [{"buffer_words": b, "unfused": u, "fused": f}
                for b, u, f in zip(self.buffer_words, self.unfused, self.fused)]

    def segments(self, buffer: int) -> List[Dict[str, Any]]:
        """How the chains of layers are cut with so large a buffer: "layers", "kind" ("alone", "untiled", "tiled"),
        "buffer_words", "accesses", and of tiled ones "template", "templates", "rows", "parts" (docs/json.md)."""
        return self._fused.segments(int(buffer))

    def svg(self) -> str:
        """Both curves as a picture."""
        lines = [("unfused", self.buffer_words, self.unfused), ("fused", self.buffer_words, self.fused)]
        return _svg.plot(lines, f"buffer [{self.unit}]", f"accesses [{self.unit}]", staircase=True)

    def _repr_html_(self) -> str:
        return self.svg()


def fuse(source: NetworkSource, buffers: Sequence[int] = (), word_bits: Optional[WordBits] = None,
         **model: Any) -> FusedCurve:
    """The network with its layers fused where that moves fewer words, at these buffers or as a whole curve."""
    return FusedCurve(network(source, word_bits, edges=True, **model), buffers)
