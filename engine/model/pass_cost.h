#pragma once
// The cost of a nest that runs in several passes, with tensors at home (nest_pass.h): the counts of one pass times the
// passes, and on the levels outside the home one access for each word on its way there.
#include "engine/model/collapse.h"
#include "engine/model/compiled.h"
#include "engine/model/cost.h"
#include "engine/model/nest.h"

namespace heliolite {

// The words of all passes. `keep`: what the levels keep of one pass; what it says of tensors with a home at their level
// and outside it does not count. `peers`: tensors whose words come from peers, none if there are several passes.
CollapsedTraffic pass_traffic(const Compiled& c, const Nest& nest, KeepMasks keep, const StoreDepths& outside,
                              TensorMask peers = 0, Recorded recorded = Recorded::All);

// Whether a perfect mapping of one pass fits, and the cost of all passes if it does.
Evaluation evaluate_passes(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside);

// Words of tensor v with a home on their way between it and the outside, as accesses of level i; at the home's level
// the words that come in.
Accesses<u64> passage_words(const Compiled& c, int v, int i);
// Energy units of all that pass on their way: no mapping of the nest changes them.
u128 passage_units(const Compiled& c);

}  // namespace heliolite
