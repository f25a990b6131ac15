#pragma once
// All unrollings of a fan-out, those with most receivers first, and what its receivers share.
#include <vector>

#include "engine/proof/tiles.h"

namespace heliolite::proof {

// Factors on the two axes of a fan-out. Where hops have no price only the factors of both axes together matter, and one
// unrolling stands for all that have the same.
struct ProofUnrolling {
  Digits digit{};   // [dimension]: of the factor, both axes together
  Digits x{}, y{};  // of those on each axis, where hops have a price
  u64 receivers = 1;
};

// The unrollings of the fan-out below the level; just one, without any factor, where there is none.
std::vector<ProofUnrolling> unrollings_of(const Instance& instance, const ProofTiles& tiles, int level);

// Receivers that want different words of a tensor; `tile`: of one receiver (docs/cost_model.md, rule 10).
u64 receiver_groups(const ProofTensor& t, const ProofTiles& tiles, const Digits& unrolled, const Digits& tile);

// Twice the hops to all groups of receivers of a tensor, added up (rule 11).
u64 half_hops(const InstanceLevel& level, const ProofTensor& t, const ProofTiles& tiles, const ProofUnrolling& u,
              const Digits& tile);

}  // namespace heliolite::proof
