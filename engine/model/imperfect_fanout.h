#pragma once
// The receivers of a fan-out at one step of a nest with imperfect factors: how many there are, how many want different
// words, and what reaching them costs (docs/cost_model.md, rules 9-11).
#include <vector>

#include "engine/model/compiled.h"
#include "engine/model/imperfect_nest.h"
#include "engine/model/multicast.h"

namespace heliolite {

// Receivers in use at steps where the dimensions `last` are in their last context and all others in a middle one
// (imperfect_nest.h).
u64 active_receivers(const ImperfectNest& nest, int level, DimensionMask last);

// How many of those receivers want different words of tensor t; by closed form, else by enumeration.
u64 distinct_receivers(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                       DimensionMask last);

// Writes the groups of receivers with the same words into `out` (reused storage), sorted by multicast. Receivers in use
// are numbered without gaps, X fastest, and laid out on the physical grid. Without spatial loops: one receiver, no
// hops.
void imperfect_groups(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                      DimensionMask last, std::vector<ReceiverGroups>& out);

}  // namespace heliolite
