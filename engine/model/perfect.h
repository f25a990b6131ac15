#pragma once
// The closed form of perfect mappings, once their loops are read (nest.h).
#include "engine/model/compiled.h"
#include "engine/model/cost.h"
#include "engine/model/nest.h"

namespace heliolite {

// Whether a perfect mapping fits (rules 5, 44), and its cost if it does (rules 16 to 28). `outside`: where the tiles of
// each level stand (rule 42). Allocates nothing but for networks and words from peers.
Evaluation evaluate_perfect(const Compiled& c, const Nest& nest, const KeepMasks& keep,
                            const StoreDepths& outside = kEven);

}  // namespace heliolite
