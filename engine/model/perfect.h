#pragma once
// The closed form of perfect mappings, once their loops are read (nest.h), of a nest that runs once or in several
// passes.
#include "engine/model/collapse.h"
#include "engine/model/compiled.h"
#include "engine/model/cost.h"
#include "engine/model/nest.h"

namespace heliolite {

// The cost of a nest that runs in several passes, with tensors at home (compiled.h): the counts of one pass times the
// passes, and on the levels outside the home one access for each word on its way there.

// The words of all passes. `keep`: what the levels keep of one pass; what it says of tensors with a home at their level
// and outside it does not count. `peers`: tensors whose words come from peers, none if there are several passes.
CollapsedTraffic pass_traffic(const Compiled& c, const Nest& nest, KeepMasks keep, const StoreDepths& outside,
                              TensorMask peers = 0, Recorded recorded = Recorded::All);

// Words of tensor v with a home on their way between it and the outside, as accesses of level i; at the home's level
// the words that come in.
Accesses<u64> passage_words(const Compiled& c, int v, int i);
// Energy units of all that pass on their way: no mapping of the nest changes them.
u128 passage_units(const Compiled& c);

// Whether a perfect mapping fits (rules 5, 44), and its cost if it does (rules 16 to 28). `outside`: where the tiles of
// each level stand (rule 42). Allocates nothing but for networks and words from peers.
Evaluation evaluate_perfect(const Compiled& c, const Nest& nest, const KeepMasks& keep,
                            const StoreDepths& outside = kEven);

}  // namespace heliolite
