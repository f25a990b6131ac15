#pragma once
// Closed forms of the words that cross into a tile over a nest with imperfect factors: products over dimensions, as
// every dimension counts its middle and last contexts by itself.
#include <span>

#include "engine/model/compiled.h"
#include "engine/model/imperfect_nest.h"

namespace heliolite {

// Words of tensor t new to the tile inside level `level`, by context of the fan-out below the level; summed over all
// steps of unit 0. False when no closed form is known (then `words` is untouched):
//  - without overlapping tiles there always is one: every move fetches the whole tile;
//  - with sliding ranks, when none of their dimensions has a residual and every loop of a dimension of t moves.
bool product_words(const CompiledTensor& t, const ResidualNest& nest, int level, std::span<u64> words);

// The same for what the compute units ask for: one word per step (rule 8), whatever the tensor.
void product_steps(const ResidualNest& nest, std::span<u64> steps);

}  // namespace heliolite
