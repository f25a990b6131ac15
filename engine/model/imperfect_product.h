#pragma once
// Closed forms of the words that cross into a tile over a nest with imperfect factors: products over dimensions, as
// every dimension counts its middle and last contexts by itself.
#include <span>

#include "engine/model/compiled.h"
#include "engine/model/imperfect_nest.h"

namespace heliolite {

// Writes into words[c] the words of tensor t that are new to the tile inside `level` at the steps where the fan-out
// below the level is in context c (FanoutContexts), summed over all steps of the first instance. Returns false, and
// leaves `words` as it is, when no closed form is known. There is one
//  - without overlapping tiles: every move fetches the whole tile;
//  - with sliding ranks, when none of their dimensions has a residual and every loop of a dimension of t moves.
bool product_words(const CompiledTensor& t, const ImperfectNest& nest, int level, std::span<u64> words);

// The same for the words that the compute units ask for: one for each step (docs/cost_model.md, rule 8) of any tensor.
void product_steps(const ImperfectNest& nest, std::span<u64> steps);

}  // namespace heliolite
