#include "engine/search/sunstone/scatter.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/sunstone/partial_plan.h"
#include "engine/space/divisors.h"

namespace heliolite {

Scattering::Scattering(const Mapspace& space) : space_(space), top_(space.level_count() - 1) {
  for (std::size_t d = 0; d < space.dimension_count; ++d) {
    for (int i = 0; i <= top_; ++i) {
      const TemporalSpace& temporal = space.levels[at(i)].temporal;
      if (contains(temporal.allowed, static_cast<int>(d)) && !temporal.factor[d].fixed())
        levels_[d].push_back(static_cast<u8>(i));
    }
    for (const PrimePower& p : factorize(space.size[d])) primes_[d].push_back(static_cast<u32>(p.prime));
  }
}

bool Scattering::scatter(Ladder& ladder, Plan& plan, std::mt19937_64& random) {
  if (ladder.keep() != plan.keep) ladder.set_keep(plan.keep);
  factors_.clear();
  for (std::size_t d = 0; d < space_.dimension_count; ++d) {
    if (levels_[d].size() < 2) continue;
    u32 left = 1;
    for (u8 i : levels_[d]) left *= std::exchange(plan.factor[at(loop_place_of(LoopKind::Temporal, i))][d], 1);
    for (u32 prime : primes_[d])
      for (; left % prime == 0; left /= prime) factors_.emplace_back(static_cast<u8>(d), prime);
  }
  for (int i = 0; i <= top_; ++i) tile_[at(i)] = tile_through(space_, plan, i);
  if (!fits(ladder, 0)) return false;
  for (std::size_t left = factors_.size(); left > 1; --left) std::swap(factors_[left - 1], factors_[random() % left]);
  // Those that cannot go to the outermost level choose while there is room.
  std::stable_partition(factors_.begin(), factors_.end(),
                        [&](const auto& f) { return levels_[f.first].back() < top_; });
  for (const auto& [d, prime] : factors_)
    if (!place(ladder, plan, d, prime, random() % levels_[d].size())) return false;
  return true;
}

bool Scattering::place(const Ladder& ladder, Plan& plan, int d, u32 prime, std::size_t first) {
  for (std::size_t k = first; k < levels_[at(d)].size(); ++k) {
    const int level = levels_[at(d)][k];
    u32& factor = plan.factor[at(loop_place_of(LoopKind::Temporal, level))][at(d)];
    if (u64{factor} * prime > space_.levels[at(level)].temporal.factor[at(d)].max) continue;
    for (int i = level; i <= top_; ++i) tile_[at(i)][at(d)] *= prime;
    if (fits(ladder, level)) {
      factor *= prime;
      return true;
    }
    for (int i = level; i <= top_; ++i) tile_[at(i)][at(d)] /= prime;
  }
  return false;
}

// The outermost level holds everything.
bool Scattering::fits(const Ladder& ladder, int from) const {
  for (int i = from; i < top_; ++i)
    if (!ladder.tile_fits(tile_[at(i)], i)) return false;
  return true;
}

}  // namespace heliolite
