"""What mappings cost."""
from __future__ import annotations

from typing import Optional

from . import _core
from ._core import Architecture, Mapping, Workload
from ._errors import refuse
from ._inputs import MachineSource, MappingSource, WorkloadSource, architecture, mapping, workload
from ._objects import Cost, Explanation


class CostModel:
    """Prices many mappings of one workload on one machine: the inner loop of a mapper of one's own."""

    def __init__(self, workload_: WorkloadSource, machine: MachineSource):
        self.workload: Workload = workload(workload_)
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
        return Explanation(**self._model.explain(self._own(source), counts))

    def _own(self, source: MappingSource) -> Mapping:
        found = self.mapping(source)
        if found.workload.hash != self.workload.hash or found.machine.hash != self.machine.hash:
            raise refuse("mapping", f"is of {found.workload.name} on {found.machine.name}, must be of "
                                    f"{self.workload.name} on {self.machine.name}")
        return found


def _model(source: MappingSource, of: Optional[WorkloadSource], on: Optional[MachineSource]) -> CostModel:
    if isinstance(source, Mapping):
        return CostModel(of if of is not None else source.workload, on if on is not None else source.machine)
    if of is None or on is None:
        raise refuse("workload", "a mapping that comes from a file or a list needs its workload and its machine")
    return CostModel(of, on)


def evaluate(source: MappingSource, workload_: Optional[WorkloadSource] = None,
             machine: Optional[MachineSource] = None, counts: str = "timeloop") -> Cost:
    """The energy and the cycles of a mapping. A Mapping knows its workload and its machine; any other source, as
    mapping() takes it, needs both."""
    return _model(source, workload_, machine).evaluate(source, counts)


def explain(source: MappingSource, workload_: Optional[WorkloadSource] = None,
            machine: Optional[MachineSource] = None, counts: str = "timeloop") -> Explanation:
    """The cost of a mapping by level and tensor."""
    return _model(source, workload_, machine).explain(source, counts)
