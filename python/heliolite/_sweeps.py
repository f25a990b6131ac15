"""Sweeps over machines, and the page that shows one."""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union

from . import _core, _html, _svg
from ._columns import Table
from ._inputs import DICT, MODEL, TEXT, Source, as_yaml, is_text, model_options
from ._objects import pairs
from ._search import finish, hook


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is."""

    points: int  # looked at, those of earlier runs included
    planned: int
    kept: int  # of these, done by earlier runs
    best: Optional[float]  # least value so far

    def __str__(self) -> str:
        return f"{self.points}/{self.planned} points" + (f", best {self.best:.4g}" if self.best else "")


@dataclass(frozen=True)
class Point:
    """A design point. What is not known of a point that was not mapped is None."""

    id: int
    state: str  # "done", "infeasible", "cut", "excluded" or "invalid"
    parameters: Dict[str, str]  # as written
    area_um2: Optional[float]
    energy_pj: Optional[float]
    cycles: Optional[float]
    delay_s: Optional[float]  # run time, where the machine states cycle_ns
    value: Optional[float]  # what points are ranked by, in Sweep.value_unit
    lower_bound: Optional[float]
    reason: str  # why not done


@dataclass(frozen=True)
class Sweep(Table):
    """The points of a sweep's database, its Pareto front of energy, delay and area, and its best points."""

    database: str
    name: str
    objective: str
    rank: str  # "totals": by the objective of total energy and total delay; "layers": by the sum of the layers' own
    value_unit: str  # "pJ s", or "pJ cycles" where not every machine states cycle_ns
    strategy: str
    goal: str
    parameters: List[str]
    planned: int
    notes: List[str]  # what was read otherwise than it is written, and what the totals leave out
    points: List[Point] = field(repr=False)
    front: List[Point] = field(repr=False)
    best: List[Point] = field(repr=False)

    def rows(self) -> List[Dict[str, Any]]:
        return [_row(point) for point in self.points]

    def layers(self, point: Union[int, Point]) -> List[Dict[str, Any]]:
        """What the layers of a point cost, with the names of docs/json.md (sweep --export); `mapping` is YAML text."""
        return _core.layers_of_point(self.database, point if isinstance(point, int) else point.id)

    def svg(self) -> str:
        """Energy over delay of all points, with the front marked."""
        mapped = [p for p in self.points if p.state == "done"]
        marks = [("points", mapped), ("Pareto front", self.front)]
        timed = all(p.delay_s is not None for p in mapped)
        delays = (lambda p: p.delay_s) if timed else (lambda p: p.cycles)
        return _svg.plot([(name, [delays(p) for p in ps], [p.energy_pj for p in ps]) for name, ps in marks],
                         "delay [s]" if timed else "cycles", "energy [pJ]")

    def _repr_html_(self) -> str:
        front = [_row(point) for point in self.front]
        columns = {key: [row[key] for row in front] for key in (front[0] if front else {})}
        title = f"{self.name}: {len(self.points)} of {self.planned} points; the Pareto front of energy, delay and area"
        return _html.table(columns, title) + self.svg()


def _row(point: Point) -> Dict[str, Any]:
    rest = {key: value for key, value in vars(point).items() if key != "parameters"}
    return {"id": rest.pop("id"), **point.parameters, **rest}


def _sweep(found: Dict[str, Any], database: str) -> Sweep:
    points = {key: [Point(**point) for point in found.pop(key)] for key in ("points", "front", "best")}
    return Sweep(database, **found, **points)


def sweep(source: Source, database: Union[str, "os.PathLike[str]"], *, threads: int = 0, goal: Optional[str] = None,
          rank: Optional[str] = None, sample: Optional[int] = None, progress: Any = None, **options: Any) -> Sweep:
    """Maps every point of a sweep and keeps the results in a database, which a later call goes on with.

    source    a file, its YAML text, or a dict like it (docs/formats_sweep.md)
    database  the file of the results; made if it is not there
    threads   0: every core
    goal, rank, sample, options   in place of what the file says: goal="front", objective="energy", budget=1, ..; dim,
              elementwise, .. of the ONNX models among its workloads, as network() takes them
    progress  True, or a function that is called with a SweepProgress now and then

    Ctrl-C ends the sweep; what is done is in the database and in Interrupted.answer."""
    path = os.fspath(database)
    models = model_options(**{name: options.pop(name) for name in MODEL if name in options})
    rest = (path, threads, pairs(options), goal, rank, sample, models, hook(progress, SweepProgress))
    if isinstance(source, dict):
        found, raised = _core.sweep_text(as_yaml(source), DICT, *rest)
    elif isinstance(source, str) and is_text(source):
        found, raised = _core.sweep_text(source, TEXT, *rest)
    else:
        found, raised = _core.sweep_file(os.fspath(source), *rest)
    return finish(_sweep(found, path) if found else None, raised, progress)


def read_sweep(database: Union[str, "os.PathLike[str]"]) -> Sweep:
    """What a sweep's database holds, also while the sweep is running."""
    path = os.fspath(database)
    return _sweep(_core.read_sweep(path), path)
