#pragma once
// Different words of an output that the instances of a level ever hold (docs/cost_model.md, rule 39): those are not
// read before they are first written. Where every rank is one dimension they are a product. Along a rank that slides
// (`p + r`) instances hold some of the same words, so the sums that an instance's positions make are listed as bits: a
// loop adds its steps by shifting all that there are so far, doubling what it has.
#include "engine/model/compiled.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {

// Bits at most of a list of sums.
inline constexpr u64 kMostOutputWords = u64{1} << 22;

// Whether the sums of the output's ranks can be listed.
bool held_words_are_countable(const Compiled& c, const CompiledTensor& t);

// Words that the instances of the level in `unit` hold, each instance counted by itself. `unit` fixes all spatial loops
// outside the level, or none.
u64 held_words(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level, const UnitDigits& unit);

}  // namespace heliolite
