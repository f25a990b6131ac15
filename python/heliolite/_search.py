"""The search for the best mapping."""
from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from . import _core, _html
from ._columns import Table
from ._core import Architecture, Mapping, Network, Workload
from ._errors import Interrupted, warn_of
from ._inputs import MODEL, MachineSource, NetworkSource, WordBits, architecture, network, pick
from ._objects import Rates, pairs, rates


@dataclass(frozen=True)
class Progress:
    """News of a search: a layer's best so far. Numbers that are not known yet are None."""

    layer: str
    value: Optional[float]  # of the objective, of the layer's best mapping so far
    lower_bound: Optional[float]  # no mapping of the layer is below
    evaluated: int
    layer_done: bool
    layers_done: int
    layers: int

    def __str__(self) -> str:
        best = f", {self.layer}: best {self.value:.4g}" if self.value else ""
        return f"{self.layers_done}/{self.layers} layers{best}"


@dataclass(frozen=True)
class AnyLook:
    """What a short search of all tile sizes found beside an answer with perfect factors."""

    value: float
    lower_bound: float
    energy_pj: float
    cycles: int
    utilization: float
    evaluated: int
    seconds: float
    mapping: Mapping


@dataclass(frozen=True)
class LayerAnswer:
    """The answer for one layer. Of an infeasible layer `mapping` and the numbers up to `gap` are None and `reasons`
    says why. Costs are of one run of the layer."""

    name: str
    count: int  # how often the network runs it
    workload: Workload
    status: str  # "optimal", "bounded", "infeasible" or "measured"
    objective: str
    reasons: List[str]
    strategy: str
    ended_by: Optional[str]
    why_not_proven: Optional[str]
    evaluated: int  # mappings priced
    seconds: float
    steps: List[Dict[str, Any]]  # what was run, in order: "name", "evaluated" and "seconds"
    rules: Dict[str, Tuple[int, int]]  # by name: how often asked, how often it cut
    energy_pj: Optional[float] = None
    cycles: Optional[int] = None
    utilization: Optional[float] = None
    value: Optional[float] = None  # of the objective
    value_unit: Optional[str] = None  # "pJ cycles"; None: an evaluator's value
    lower_bound: Optional[float] = None  # no mapping of the mapspace is below
    gap: Optional[float] = None  # value / lower_bound - 1
    mapping: Optional[Mapping] = None
    # By boundary between levels, innermost first: "words_moved", and the least "words" that any mapping moves.
    bounds: Optional[List[Dict[str, Any]]] = None
    any_look: Optional[AnyLook] = None
    factors: str = "perfect"  # tiles divide the sizes; "any": they need not
    counts: str = "timeloop"  # how words are counted where factors do not divide: "timeloop" or "true"

    @property
    def word_bits(self) -> Dict[str, int]:
        """Bits of the words of each tensor that states them; the words of others are those of each level."""
        return self.workload.word_bits

    @property
    def edp_pj_cycles(self) -> Optional[float]:
        """The energy-delay product."""
        return None if self.energy_pj is None or self.cycles is None else self.energy_pj * self.cycles

    @property
    def rates(self) -> Optional[Rates]:
        """Seconds, W, TOPS and TOPS/W of one run; None: no mapping, or the machine states no cycle_ns."""
        if self.mapping is None or self.energy_pj is None or self.cycles is None:
            return None
        return rates(self.energy_pj, self.cycles, self.workload.macs, self.mapping.machine.cycle_ns)

    def energy_by_level(self) -> Dict[str, Dict[str, float]]:
        """pJ of one run by level and tensor, as Explanation.energy_by_level() has them; {}: no mapping."""
        return {} if self.mapping is None else _explained(self).energy_by_level()

    def __repr__(self) -> str:
        if self.value is None:
            return f"<LayerAnswer {self.name}: {self.status}>"
        gap = f", gap {100 * self.gap:.3g} %" if self.gap else ""
        return f"<LayerAnswer {self.name}: {self.objective} {_html.number(self.value)}, {self.status}{gap}>"

    def _repr_html_(self) -> str:
        row = {key: [value] for key, value in _row(self).items()}
        shown = _html.table(row, self.why_not_proven or "; ".join(self.reasons))
        return shown + (self.mapping._repr_html_() if self.mapping is not None else "")


_COLUMNS = ("name", "count", "status", "energy_pj", "cycles", "edp_pj_cycles", "utilization", "value", "lower_bound",
            "gap", "strategy", "evaluated", "seconds")


def _explained(layer: LayerAnswer) -> Any:
    """The cost of the layer's mapping, counted as the search counted it."""
    from ._costs import CostModel

    return CostModel(layer.workload, layer.mapping.machine).explain(layer.mapping, layer.counts)


def _row(layer: LayerAnswer) -> Dict[str, Any]:
    return {key: getattr(layer, key) for key in _COLUMNS}


@dataclass(frozen=True)
class Throughput:
    """What a network gets done, one run after the other. None: the machine states no cycle_ns, a run is no inference
    (Network.one_run), or the network does not say how many tokens one is."""

    runs_per_second: Optional[float]
    inferences_per_second: Optional[float]
    inference_energy_pj: Optional[float]
    tokens_per_second: Optional[float]
    token_energy_pj: Optional[float]


@dataclass(frozen=True)
class NetworkOptimum:
    """The least value of the objective of a network's total energy and cycles, over all choices of one mapping for each
    layer."""

    value: float
    lower_bound: float  # no choice of mappings is below
    gap: float  # value / lower_bound - 1
    status: str  # "optimal" or "bounded"
    why_not_proven: Optional[str]
    lambda_pj_per_cycle: Optional[float]  # of known mappings the chosen have the least energy + lambda x cycles
    searches: int  # of layers for the least energy + lambda x cycles
    seconds: float  # wall time of these
    layers_that_differ: List[str]  # whose mapping is another than the best for the layer alone


@dataclass(frozen=True)
class Answer(Table):
    """The answer for a network: a LayerAnswer for each layer, in the network's order, and totals over the layers that
    have a mapping, weighted by counts. Iterates and indexes over layers, by number or by name."""

    network: Network
    machine: Architecture
    objective: str
    layers: List[LayerAnswer]
    energy_pj: float
    cycles: int
    seconds: float  # wall time
    all_feasible: bool
    optimum: Optional[NetworkOptimum]  # of map(.., for_network=True), if every layer has a mapping
    interrupted: bool
    # What of the machine, its constraints and the network was read otherwise than it is written; of several layers also
    # that they were mapped alone.
    notes: List[str]

    @property
    def macs(self) -> int:
        """MACs of all runs of the layers that have a mapping."""
        return sum(layer.count * layer.workload.macs for layer in self.layers if layer.mapping is not None)

    @property
    def rates(self) -> Optional[Rates]:
        """Seconds, W, TOPS and TOPS/W of the whole network; None: the machine states no cycle_ns."""
        return rates(self.energy_pj, self.cycles, self.macs, self.machine.cycle_ns)

    @property
    def throughput(self) -> Optional[Throughput]:
        """Inferences and tokens in a second, one after the other; None of a single layer, or where a layer has no
        mapping."""
        if len(self.layers) < 2 or not self.all_feasible:
            return None
        per_second = self.rates.per_second if self.rates else None
        times = lambda n: None if n is None or per_second is None else per_second * n
        each = lambda n: None if n is None else self.energy_pj / n
        of = self.network
        return Throughput(per_second, times(of.inferences), each(of.inferences), times(of.run_tokens),
                          each(of.run_tokens))

    def energy_by_level(self) -> Dict[str, Dict[str, float]]:
        """pJ of all runs by level, outermost first, then by "input", "weight", "output", "network", "leakage" and
        "compute": layers may give other names to their tensors."""
        out: Dict[str, Dict[str, float]] = {}
        for layer in self.layers:
            roles = {tensor.name: tensor.role for tensor in layer.workload.tensors}
            for level, parts in layer.energy_by_level().items():
                sums = out.setdefault(level, {})
                for part, pj in parts.items():
                    key = roles.get(part, part)
                    sums[key] = sums.get(key, 0.0) + layer.count * pj
        return out

    def report(self, page: Union[str, "os.PathLike[str]"]) -> str:
        """Writes the answer as one HTML page that opens anywhere, and returns the page's path."""
        from ._report import report

        return report(self, page)

    @property
    def edp_of_totals_pj_cycles(self) -> float:
        """Total energy times total cycles."""
        return self.energy_pj * self.cycles

    @property
    def sum_of_layer_values(self) -> float:
        """The sum of the layers' objectives, weighted by counts."""
        return sum(layer.count * layer.value for layer in self.layers if layer.value is not None)

    def __len__(self) -> int:
        return len(self.layers)

    def __getitem__(self, key: Any) -> LayerAnswer:
        if not isinstance(key, str):
            return self.layers[key]
        named = [layer for layer in self.layers if layer.name == key]
        if not named:
            raise KeyError(f"no layer '{key}', layers: {', '.join(layer.name for layer in self.layers)}")
        return named[0]

    def __iter__(self):
        return iter(self.layers)

    def rows(self) -> List[Dict[str, Any]]:
        return [_row(layer) for layer in self.layers]

    def __repr__(self) -> str:
        optimal = sum(layer.status == "optimal" for layer in self.layers)
        return f"<Answer {self._title()}; {optimal} of {len(self.layers)} layers optimal>"

    def _title(self) -> str:
        ended = ", interrupted" if self.interrupted else ""
        return (f"{self.network.name} on {self.machine.name}, {self.objective}: {_html.number(self.energy_pj)} pJ, "
                f"{self.cycles:,} cycles, {self.seconds:.2f} s{ended}")


def _answer(found: Optional[Dict[str, Any]], of: Network, on: Architecture, interrupted: bool) -> Optional[Answer]:
    if found is None:
        return None
    warn_of(found["constraint_notes"])
    notes = [*on.notes, *of.notes, *found["constraint_notes"], found["alone_note"]]
    layers = []
    for layer in found["layers"]:
        if "any_look" in layer:
            layer["any_look"] = AnyLook(**layer["any_look"])
        layers.append(LayerAnswer(**layer))
    optimum = NetworkOptimum(**found["optimum"]) if found["optimum"] else None
    return Answer(of, on, layers[0].objective if layers else "", layers, found["energy_pj"], found["cycles"],
                  found["seconds"], found["all_feasible"], optimum, interrupted, [note for note in notes if note])


def show(news: Any) -> None:
    """Writes news over the last line of the terminal."""
    print(f"\r\x1b[K{news}", end="", file=sys.stderr, flush=True)


def hook(progress: Any, kind: Callable[..., Any]) -> Optional[Callable[[Dict[str, Any]], None]]:
    """What the engine calls with news, for the argument `progress` of a search."""
    if progress is None or progress is False:
        return None
    tell = show if progress is True else progress
    return lambda news: tell(kind(**news))


def finish(answer: Any, raised: Optional[BaseException], progress: Any) -> Any:
    """The answer; raises what ended the search early. Ends the line that show() wrote."""
    if progress is True:
        print(file=sys.stderr)
    if raised is None:
        return answer
    if isinstance(raised, KeyboardInterrupt) and answer is not None:
        raise Interrupted(answer) from None
    raise raised


def map(network_: NetworkSource, machine: MachineSource, *, layer: Optional[str] = None, for_network: bool = False,
        look: bool = False, word_bits: Optional[WordBits] = None, progress: Any = None, **options: Any) -> Answer:
    """The best mapping of every layer of a network on a machine, each with a proof or a proven gap.

    network_, machine  what network() and architecture() take
    layer              only this one
    for_network        choose the layers' mappings so that the objective of the network's total energy and cycles is
                       least (Answer.optimum)
    look               also a short search of all tile sizes beside perfect factors (LayerAnswer.any_look)
    word_bits          of the network's tensors, as network() takes them; so are dim, elementwise, .. of an ONNX model
    progress           True, or a function that is called with a Progress now and then, from this thread
    options            those of `heliolite map` (search_options() lists them) with _ for -: objective="energy",
                       budget=10, threads=2, strategy="sunstone", without=["beam"], ..

    The global interpreter lock is free meanwhile. Ctrl-C ends the search; the exception Interrupted then has the best
    answer so far. An exception of `progress` ends it too, and is raised. Raises Error if an input is wrong or no layer
    can obey the machine's constraints."""
    model = {name: options.pop(name) for name in MODEL if name in options}
    of, on = network(network_, word_bits, **model), architecture(machine)
    if layer is not None:
        of = of.only(pick(of, layer).name)
    found, raised = _core.map_network(of, on, pairs(options), for_network, look, hook(progress, Progress))
    return finish(_answer(found, of, on, isinstance(raised, KeyboardInterrupt)), raised, progress)


def search_options() -> Dict[str, str]:
    """The options of map() by name, each with a phrase that says what it does."""
    return {name.replace("-", "_"): text for name, text in _core.search_options().items()}
