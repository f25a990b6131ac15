#pragma once
// All unrollings of a fan-out, and what its receivers share (docs/cost_model.md, rules 1, 10 and 11).
#include "check_proof/tiles.h"

namespace check_proof {

// Factors on the two axes of a fan-out. Where hops have no price one stands for all of the same products.
struct Unrolling {
  Digits digits{};   // both axes together
  Digits x{}, y{};   // where hops have a price
  Extents factor{};  // both axes together
  u64 receivers = 1;
};

// Of the fan-out below a level, most receivers first; one without factors where there is none.
std::vector<Unrolling> unrollings_of(const Instance& instance, const Tiles& tiles, int level);

// Receivers of a tensor that want different words; `tile`: of one receiver.
u64 receiver_groups(const Tensor& t, const Unrolling& u, const Extents& tile);
// At least so many, whatever the tile.
u64 least_groups(const Tensor& t, const Unrolling& u);
// Twice the hops to all groups of receivers, added up.
u64 half_hops(const Level& level, const Tensor& t, const Tiles& tiles, const Unrolling& u, const Extents& tile);

}  // namespace check_proof
