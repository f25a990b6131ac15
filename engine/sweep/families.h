#pragma once
// The planned points of a shard, family by family: what a co-search of memories looks at together.
#include <map>
#include <optional>
#include <vector>

#include "engine/sweep/design_points.h"
#include "engine/sweep/shard_rule.h"

namespace heliolite {

// Whether the sweep asks for the best point only and can find each family's best by a co-search: that of several layers
// ranked by totals it cannot.
bool co_searches(const SweepSpec& spec, const DesignPoints& points);

// Larger families are searched in pieces, for all machines of a co-search are in memory at once.
inline constexpr u64 kMaxFamily = 2000;

// Walks over the families of one shard.
class Families {
 public:
  Families(const SweepSpec& spec, const DesignPoints& points, const ShardRule& mine);

  // The ids of the next family or piece of one, in the order of the families; none after the last.
  std::optional<std::vector<u64>> next();

 private:
  std::optional<std::vector<u64>> next_of_sample();

  const DesignPoints& points_;
  const ShardRule& mine_;
  const bool sampled_;
  u64 family_ = 0, member_ = 0;
  std::map<u64, std::vector<u64>> sample_;  // [family]: ids of its points in the sample
};

}  // namespace heliolite
