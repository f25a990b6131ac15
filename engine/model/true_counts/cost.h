#pragma once
// Legality and cost of a mapping in true counts (docs/cost_model.md, rules 31 to 41).
#include <string_view>

#include "arch/architecture.h"
#include "engine/model/compiled.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {

// Whether mappings of the workload whose factors do not divide can be counted: no output slides along more than
// kMostOutputWords words (tally.h).
bool has_true_counts(const Compiled& c);
// Why not, as users are told.
inline constexpr std::string_view kNoTrueCounts =
    "true counts list the words that an output slides along, and these are too many";

// The mapping without what its sizes leave nothing to do, with factors of what there is to do.
Mapping without_idle_loops(const TrueNest& nest, const Mapping& mapping);

// Whether the mapping fits, and its cost if it does; it must be well formed (mapping_check.h), the workload must have
// true counts.
Evaluation true_cost_of(const Compiled& c, const Mapping& mapping);

// The totals of true_cost_of() with every count; factors of the nest do not divide. `architecture`: the one of `c`.
Breakdown true_breakdown(const Architecture& architecture, const Compiled& c, const TrueNest& nest,
                         const KeepMasks& keep, const Ramps& ramps = {});

}  // namespace heliolite
