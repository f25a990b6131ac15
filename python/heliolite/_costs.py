"""What mappings cost."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from . import _core
from ._core import Architecture, Mapping, Workload
from ._errors import refuse
from ._inputs import MachineSource, MappingSource, WordBits, WorkloadSource, architecture, mapping, workload
from ._objects import Cost, Explanation


class CostModel:
    """Prices many mappings of one workload on one machine: the inner loop of a mapper of one's own. `word_bits` and
    `model` (`dim`, ..): of the workload, as network() takes them."""

    def __init__(self, workload_: WorkloadSource, machine: MachineSource, word_bits: Optional[WordBits] = None,
                 **model: Any):
        self.workload: Workload = workload(workload_, word_bits=word_bits, **model)
        self.machine: Architecture = architecture(machine)
        self._model = _core.CostModel(self.workload, self.machine)

    def mapping(self, source: MappingSource) -> Mapping:
        """A mapping of this workload on this machine; raises Error with the reasons if it is not legal."""
        return mapping(source, self.workload, self.machine)

    def evaluate(self, source: MappingSource, counts: str = "timeloop") -> Cost:
        """Energy and cycles. `counts`: where factors do not divide, "timeloop" for its averages or "true" for every
        word that moves."""
        return Cost(*self._model.evaluate(self._own(source), counts))

    def explain(self, source: MappingSource, counts: str = "timeloop") -> Explanation:
        """The same with every count by level and tensor."""
        found = self._model.explain(self._own(source), counts)
        return Explanation(**found, word_bits=self.workload.word_bits)

    def _own(self, source: MappingSource) -> Mapping:
        found = self.mapping(source)
        if found.workload.hash != self.workload.hash or found.machine.hash != self.machine.hash:
            raise refuse("mapping", f"is of {found.workload.name} on {found.machine.name}, must be of "
                                    f"{self.workload.name} on {self.machine.name}")
        return found


def _placed(source: MappingSource, of: Optional[WorkloadSource], on: Optional[MachineSource],
            word_bits: Optional[WordBits], model: Dict[str, Any]) -> Tuple[CostModel, Mapping]:
    """The mapping and what prices it."""
    if isinstance(source, Mapping):
        placed = mapping(source, source.workload, source.machine, word_bits)
        own = (placed.workload if of is None else of, placed.machine if on is None else on)
        return CostModel(*own, word_bits, **model), placed
    if of is None or on is None:
        raise refuse("workload", "a mapping that comes from a file or a list needs its workload and its machine")
    prices = CostModel(of, on, word_bits, **model)
    return prices, prices.mapping(source)


def evaluate(source: MappingSource, workload_: Optional[WorkloadSource] = None,
             machine: Optional[MachineSource] = None, counts: str = "timeloop",
             word_bits: Optional[WordBits] = None, **model: Any) -> Cost:
    """The energy and the cycles of a mapping. A Mapping knows its workload and its machine; any other source, as
    mapping() takes it, needs both. `word_bits`: what it costs with words of these sizes (network() has them, and
    `model`: `dim`, ..)."""
    prices, placed = _placed(source, workload_, machine, word_bits, model)
    return prices.evaluate(placed, counts)


def explain(source: MappingSource, workload_: Optional[WorkloadSource] = None,
            machine: Optional[MachineSource] = None, counts: str = "timeloop",
            word_bits: Optional[WordBits] = None, **model: Any) -> Explanation:
    """The cost of a mapping by level and tensor; the arguments of evaluate()."""
    prices, placed = _placed(source, workload_, machine, word_bits, model)
    return prices.explain(placed, counts)
