#pragma once
// What may still be better than the incumbent.
#include "engine/search/any/partial_cost.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Whether a mapping that costs so much at least may be better than the answer.
inline bool is_worth(Objective objective, const LayerAnswer& best, const Cost& least) {
  if (!best.found) return true;
  if (info(objective).energy_power == 0) return least.cycles < best.cost.cycles;
  return Value::of(objective, least) < best.value;
}

// What mappings cost at least whose flows into boundaries outside a level cost so much: of those inside each word
// crosses once.
inline Cost with_outside(const OnceCost& once, int level, const Rest& outside) {
  return {Energy{once.whole.energy.units - once.outside[at(level)] + outside.energy},
          std::max(once.whole.cycles, outside.cycles())};
}

// The most cycles that a mapping of so much energy at least may take and be worth it.
inline u64 most_cycles_worth(Objective objective, const LayerAnswer& best, Energy least) {
  u64 worth = 0, not_worth = u64{1} << 62;
  if (is_worth(objective, best, {least, not_worth})) return ~u64{0};
  while (not_worth - worth > 1) {
    const u64 cycles = worth + (not_worth - worth) / 2;
    (is_worth(objective, best, {least, cycles}) ? worth : not_worth) = cycles;
  }
  return worth;
}

}  // namespace heliolite
