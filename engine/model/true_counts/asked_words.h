#pragma once
// Words of a sliding tensor that the compute units ask for, those that several units ask for at a moment once
// (docs/cost_model.md, rules 35 and 38): rank by rank, in closed form where the units of a rank meet in one fan-out.
#include <optional>

#include "engine/base/types.h"

namespace heliolite {

struct Compiled;
struct CompiledTensor;
struct TrueNest;
struct UnitDigits;

// Units of one dimension in one fan-out; each works on `inside` elements, one after the other, before all go on.
struct UnitRow {
  u64 units = 1, inside = 1;
};

// Different words of a rank that two rows of a fan-out ask for, over all moments, their dimensions' sizes and
// coefficients in the rank being given.
u64 asked_together(const UnitRow& a, u64 coefficient_a, u64 size_a, const UnitRow& b, u64 coefficient_b, u64 size_b);

// All that leave the fan-outs below level `high` and further inside, in one pass through the tensor's dimensions, of
// the instances in `unit`. Nothing where more than two dimensions share a rank, or large ones have units that meet in
// several of these fan-outs.
std::optional<u64> asked_words(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int high,
                               const UnitDigits& unit);

}  // namespace heliolite
