#pragma once
// The cost of a design point over all layers, and a lower bound of it.
#include <vector>

#include "engine/base/result.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Sums over the layers, times counts and workload weights, in the order of the sweep's list: energies in pJ, cycles,
// and the layers' objectives.
struct Totals {
  double energy_pj = 0, cycles = 0, value = 0, lower_bound = 0;
  double words_moved = 0, least_words = 0;  // 0 if a layer's are not known
};

// The totals of a point's layers.
Totals totals(const std::vector<LayerRecord>& layers);

// Lower bounds on the totals: what every mapping of every layer pays (engine/search/core/compulsory.h); value and
// lower_bound are equal. Errors: constraints of the machine that a layer cannot obey, named by layer.
Result<Totals> compulsory_totals(const SweepSpec& spec, const Architecture& machine);

}  // namespace heliolite
