#!/usr/bin/env python3
# An evaluator of machines (docs/evaluator.md), once or stream: our model's costs of the mapping, and what an array of
# units adds to them here: clocking it takes energy for each unit and cycle, filling it takes its two sides in cycles.
import json, math, sys

for line in sys.stdin:
    if not line.startswith("{"):
        continue
    asked = json.loads(line)
    units = 1
    for level in asked["machine"]["architecture"]["levels"]:
        units *= level["fanout"]["x"] * level["fanout"]["y"]
    cycles = asked["model"]["cycles"] + 2 * math.sqrt(units)
    energy = asked["model"]["energy_pj"] + 0.05 * units * cycles
    print(energy, cycles, flush=True)
