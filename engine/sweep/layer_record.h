#pragma once
// A layer's answer as it is written down.
#include <string>

#include "engine/bounds/curve/movement_distance.h"
#include "engine/model/breakdown.h"
#include "engine/search/map.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// The record of an answer; its `point` and `layer` are left to the caller. Equal answers of layers with other names
// give records that differ in workload, name, count and weight only. `bound` tells how far the mapping is from the
// least data movement.
LayerRecord layer_record(const SweepLayer& layer, const Architecture& machine, const MappingResult& result,
                         MovementBound& bound, std::string question);

// Energy in pJ by level and tensor as JSON: {"GLB": {"Weights": 12.5, ..., "leakage": 0.1}, ..., "compute": 3.2}. Of a
// tensor: accesses, addresses and the network below the level.
std::string breakdown_text(const Workload& workload, const Breakdown& breakdown);

// The answer as the record of another layer, or of a layer of another point, that asks the same.
LayerRecord reused(LayerRecord answer, const SweepLayer& layer);

}  // namespace heliolite
