"""Answers and sweeps as pages."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional, Union

from . import _core
from ._errors import refuse
from ._search import Answer, LayerAnswer, _explained
from ._sweeps import Sweep

Source = Union[str, "os.PathLike[str]", Sweep, Answer]


def _layer(layer: LayerAnswer) -> Dict[str, Any]:
    """The layer as `map --json` has it, as far as a page shows it (docs/json.md)."""
    out: Dict[str, Any] = {
        "name": layer.name, "count": layer.count, "dimensions": layer.workload.dimensions, "macs": layer.workload.macs,
        "energy_pj": layer.energy_pj, "cycles": layer.cycles, "utilization": layer.utilization,
        "objective": layer.objective, "value": layer.value, "lower_bound": layer.lower_bound, "gap": layer.gap,
        "status": layer.status, "evaluated": layer.evaluated, "seconds": layer.seconds, "reasons": layer.reasons,
        "why_not_proven": layer.why_not_proven, "mapspace": {"factors": layer.factors}, "mapping": None}
    if layer.mapping is not None:
        explained = _explained(layer)
        out["mapping"] = layer.mapping.levels
        out["breakdown"] = {"levels": explained.levels, "compute": explained.compute}
        out["bounds"] = [{**bound, "mapping": {"words": bound["words_moved"]}} for bound in layer.bounds or []]
    return out


def _answer_json(answer: Answer) -> str:
    """The answer as `map --json` has it, as far as a page shows it."""
    rates, throughput = answer.rates, answer.throughput
    named = lambda thing: {"name": thing.name, "hash": getattr(thing, "hash", "")}
    return json.dumps({
        "program": "heliolite", **_core.version(), "command": "map", "notes": answer.notes,
        "question": {"workload": named(answer.network), "architecture": named(answer.machine), "options": {}},
        "layers": [_layer(layer) for layer in answer],
        "total": {"energy_pj": answer.energy_pj, "cycles": answer.cycles,
                  "edp_of_totals_pj_cycles": answer.edp_of_totals_pj_cycles, "rates": vars(rates) if rates else None,
                  "throughput": vars(throughput) if throughput else None, "one_run": answer.network.one_run,
                  "area_um2": answer.machine.area_um2}})


def report(source: Source, page: Optional[Union[str, "os.PathLike[str]"]] = None) -> str:
    """Writes a sweep or an answer of map() as one HTML page that opens anywhere (docs/report.md) and returns the page's
    path: that of the database, or of what `heliolite map --json` wrote, with .html unless another is given; an Answer
    needs one."""
    if isinstance(source, Answer):
        if page is None:
            raise refuse("page", "an answer is no file: say where its page goes, report(answer, 'best.html')")
        target, text = os.fspath(page), _core.answer_page(_answer_json(source))
    else:
        path = source.database if isinstance(source, Sweep) else os.fspath(source)
        target = os.fspath(page) if page is not None else os.path.splitext(path)[0] + ".html"
        text = _core.report(path)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
    return target
