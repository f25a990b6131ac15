#pragma once
// Which part of a sweep a shard does.
#include "engine/sweep/design_points.h"

namespace heliolite {

// Of `count` parts the one with this index, from 0.
struct Shard {
  u64 index = 0, count = 1;
};

// Points are dealt to the shards in turn, in a random order that is always the same; for SweepGoal::Best whole
// families.
class ShardRule {
 public:
  ShardRule(SweepGoal goal, const DesignPoints& points, Shard shard);

  bool has(u64 point) const;

 private:
  const DesignPoints& points_;
  bool by_family_;
  Shard shard_;
  Permutation order_;
};

}  // namespace heliolite
