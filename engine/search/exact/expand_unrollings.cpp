// Steps 1 and 2 of expand.cpp: the unrollings of the fan-out below the level.
#include <optional>

#include "engine/base/integers.h"
#include "engine/search/exact/expand.h"
#include "engine/search/exact/unroll_bound.h"

namespace heliolite {

void Expander::unroll(const PartialMapping& s) {
  if (level_ == 0) return unroll(s, nullptr, false);
  auto before = bounds_.inside(s, {level_ - 1, false});
  const bool bandwidths = bounds_.add_cycles(s, before);
  unroll(s, &before, bandwidths);
}

// `before`: what is known of the state, if anything.
void Expander::unroll(const PartialMapping& s, PartialBounds::Inside* before, bool bandwidths) {
  const u128 left = m_.lattice.full().packed - s.tile.packed;
  double instances = 0;
  PartialMapping next = s;
  std::optional<UnrollBound> begun;
  if (before != nullptr) begun.emplace(m_, bounds_.tables(), s, *before, level_);
  const auto& choices = m_.fanout[at(level_)].choices;
  UnrolledAlike seen;
  for (u32 c = 0; c < choices.size() && !stopped_; ++c) {
    const SpatialChoice& spatial = choices[c];
    if (s.units * spatial.instances < least_units_) break;  // as do all that follow
    // Step 1.
    if (before != nullptr && spatial.instances != instances) {
      // Choices come with fewer and fewer instances: once that alone takes too long, all others do.
      instances = spatial.instances;
      if (cut(Rule::UsefulInstances, bounds_.at_instances(s, *before, instances))) break;
    }
    // Step 2.
    if (!m_.lattice.divides(spatial.factor.packed, left)) continue;
    const u64 tile = s.tile.index + spatial.factor.index;
    if (!bounds_.reachable(level_, s.servers, tile)) continue;
    if (before != nullptr) {
      before->compute_cycles = bounds_.compute_cycles(s.units * instances, level_, m_.lattice.full().index - tile);
      const double limit = incumbent_.energy_limit(before->compute_cycles);
      if (cut_energy(bounds_.guess_energy(*before, tile), limit)) continue;
      if (cut_energy(begun->energy(spatial) + bounds_.tables().below(level_, s.servers, 0, tile), limit)) continue;
      if (bandwidths && cut(Rule::LatticeBound, bounds_.at_guess(s, *before, tile))) continue;
    }
    next = s;
    steps_.unroll(next, level_, spatial);
    if (unlinked(next) || seen_before(next, seen)) continue;
    choice_ = c;
    grow(next);
  }
}

// Whether an unrolling over the same tile, with the dimensions elsewhere on X and Y, was as good: its neighbours have
// as much for each other.
bool Expander::seen_before(const PartialMapping& s, UnrolledAlike& seen) {
  if (m_.compiled->linked == 0 || m_.fanout[at(level_)].hops || s.links.inexact) return false;
  std::vector<const LinkSite*> sites;
  for (int f = 0; f < s.sliding_count; ++f) sites.push_back(s.sliding[at(f)].links.site);
  return !seen.emplace(s.tile.index, std::move(sites)).second;
}

}  // namespace heliolite
