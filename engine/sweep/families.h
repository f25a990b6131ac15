#pragma once
// The planned points of a shard, family by family: what a co-search of memories looks at together.
#include <map>
#include <optional>
#include <vector>

#include "engine/sweep/design_points.h"
#include "engine/sweep/shard_rule.h"

namespace heliolite {

// Whether only the best of each family has to be mapped, and a co-search can tell which that is.
bool co_searches(const SweepSpec& spec, const DesignPoints& points);

// Larger families come in pieces, for machines of a co-search are in memory all at once.
inline constexpr u64 kMaxFamily = 2000;

class Families {
 public:
  Families(const SweepSpec& spec, const DesignPoints& points, const ShardRule& mine);

  // The next family, or piece of one, by id; nothing after the last. In the order of the families.
  std::optional<std::vector<u64>> next();

 private:
  std::optional<std::vector<u64>> next_of_sample();

  const DesignPoints& points_;
  const ShardRule& mine_;
  const bool sampled_;
  u64 family_ = 0, member_ = 0;
  std::map<u64, std::vector<u64>> sample_;  // by family
};

}  // namespace heliolite
