#pragma once
// What the flows out of the tiles of a box fetch at least over all iterations outside them (docs/rules/exact.md).
#include "engine/search/exact/loop_set.h"
#include "engine/space/lattice_point.h"

namespace heliolite {

// Of one tensor, into row[0]: words that all iterations outside fetch, if nothing is reused; row[1]: the share of them
// that is fetched in every order; and of a sliding tensor from row[2] on: the halo shares by class, as halo_shares().
// With these numbers the ordering bound is no higher than for any tile of a box: all multiples of `first` that divide
// `last`. `outside`: box_loops() of the box.
void least_fresh_words(const LoopClasses& classes, const Compiled& c, const CompiledTensor& t,
                       const LatticePoint& first, const LatticePoint& last, const LoopSet& outside, double* row);

// The loops outside the tiles of a box: as many iterations as the last one leaves, over every class that the first one
// leaves a loop of.
LoopSet box_loops(const LoopClasses& classes, const Compiled& c, const LatticePoint& first, const LatticePoint& last);

}  // namespace heliolite
