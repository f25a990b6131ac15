#pragma once
// Two ways of counting what a mapping moves when its factors do not divide. Where they do, both give the same numbers.
#include <string_view>

#include "engine/base/types.h"

namespace heliolite {

enum class Counts : u8 {
  Timeloop,  // Timeloop's averages over one instance (docs/cost_model.md, "Factors that do not divide")
  True,      // every MAC once, every word that moves, every instance at work (docs/cost_model.md, "True counts")
};

// As users write it.
constexpr std::string_view name(Counts counts) { return counts == Counts::True ? "true" : "timeloop"; }

}  // namespace heliolite
