"""Plain objects for what the engine knows of machines, workloads and costs."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from . import _html, _svg
from ._columns import Table


@dataclass(frozen=True)
class Level:
    """A storage level of a machine. Words are its own words, energies of one access to a block of them."""

    name: str
    entries: Optional[int]  # words of one instance; None: unbounded
    capacity_words: Optional[int]  # of these, usable with multiple buffering
    word_bits: float
    block_words: int
    instances: int
    fanout_x: int  # to the level inside
    fanout_y: int
    read_pj: float
    fill_pj: float
    update_pj: float
    leak_pj_per_cycle: float
    area_um2: float
    read_bandwidth: Optional[float]  # words per cycle of one instance; None: unlimited
    write_bandwidth: Optional[float]
    shared_bandwidth: Optional[float]
    is_dram: bool
    reduction: bool  # sums partial outputs that come in
    is_interconnect: bool


@dataclass(frozen=True)
class Compute:
    """The compute units of a machine."""

    name: str
    instances: int
    word_bits: float
    op_pj: float
    area_um2: float


@dataclass(frozen=True)
class Tensor:
    """An operand or the output of a workload."""

    name: str
    role: str  # "input", "weight" or "output"
    words: int
    word_bits: Optional[float]  # None: its words are those of each level


@dataclass(frozen=True)
class Cost:
    """What one run of a layer costs."""

    energy_pj: float
    cycles: int

    @property
    def edp_pj_cycles(self) -> float:
        """The energy-delay product."""
        return self.energy_pj * self.cycles


@dataclass(frozen=True)
class Rates:
    """What energy and cycles come to where the machine states the length of a cycle. An operation is a multiplication
    or an addition: two are a MAC."""

    seconds: float
    watts: float
    tops: float  # 10^12 operations a second
    tops_per_watt: float  # 10^12 operations a joule
    per_second: float  # how often what takes this long can be done


def rates(energy_pj: float, cycles: float, macs: int, cycle_ns: Optional[float]) -> Optional[Rates]:
    """None: the machine states no `cycle_ns`, or nothing is done."""
    if cycle_ns is None or not cycles or not energy_pj:
        return None
    seconds, joules, tera_operations = cycles * cycle_ns * 1e-9, energy_pj * 1e-12, 2e-12 * macs
    return Rates(seconds, joules / seconds, tera_operations / seconds, tera_operations / joules, 1 / seconds)


@dataclass(frozen=True)
class Explanation(Table):
    """The cost of a mapping by level and tensor. `levels` has, outermost first, the dicts of `breakdown.levels` in
    docs/json.md; rows() has one row for each tensor that a level keeps."""

    energy_pj: float
    cycles: int
    utilization: float  # of the compute units, 0 to 1
    counts: str  # "timeloop" or "true"
    factors_divide: bool
    levels: List[Dict[str, Any]]
    compute: Dict[str, Any]
    word_bits: Dict[str, float]  # of the tensors that state them; the words of others are those of each level

    @property
    def edp_pj_cycles(self) -> float:
        """The energy-delay product."""
        return self.energy_pj * self.cycles

    def rows(self) -> List[Dict[str, Any]]:
        keys = ("tile_words", "instances", "reads", "fills", "updates", "energy_pj")
        return [
            {"level": level["level"], "tensor": tensor, **{key: traffic[key] for key in keys}}
            for level in self.levels
            for tensor, traffic in level["tensors"].items()
        ]

    def energy_by_level(self) -> Dict[str, Dict[str, float]]:
        """pJ by level, outermost first, then by tensor; "network" is what is below the level, "leakage" is the level's.
        The compute units come last, as one part "compute"."""
        out: Dict[str, Dict[str, float]] = {}
        for level in self.levels:
            parts = {name: t["energy_pj"] + t["address_generation_pj"] for name, t in level["tensors"].items()}
            network = sum(n["energy_pj"] for n in level["network_below"].values())
            out[level["level"]] = {**parts, "network": network, "leakage": level["leakage_pj"]}
        out[self.compute["name"]] = {"compute": self.compute["energy_pj"]}
        return out

    def _title(self) -> str:
        sizes = "".join(f", {name} of {bits} bits" for name, bits in self.word_bits.items())
        return (f"{_html.number(self.energy_pj)} pJ, {self.cycles:,} cycles, "
                f"{100 * self.utilization:.3g} % of the compute units busy{sizes}")

    def _repr_html_(self) -> str:
        total = self.energy_pj or 1.0
        picture = [(level, [(name, pj / total) for name, pj in parts.items() if pj > 0])
                   for level, parts in self.energy_by_level().items()]
        roles = {name: tensor["role"] for level in self.levels for name, tensor in level["tensors"].items()}
        return super()._repr_html_() + _svg.bars(picture, "share of the energy", roles)


def pairs(given: Dict[str, Any]) -> List[Tuple[str, str]]:
    """Options of a search as the engine reads them: names as on the command line, values as text."""
    out = []
    for name, value in given.items():
        if value is None:
            continue
        for one in value if isinstance(value, (list, tuple, set)) else [value]:
            text = str(one).lower() if isinstance(one, bool) else str(one)
            out.append((name.rstrip("_").replace("_", "-"), text))
    return out
