#pragma once
// Which design points of a sweep a shard maps.
#include "engine/sweep/design_points.h"

namespace heliolite {

// Part `index`, from 0, of `count` parts of a sweep.
struct Shard {
  u64 index = 0, count = 1;
};

// Points are dealt to the shards in turn, in a random order that is always the same; for SweepGoal::Best whole families
// are (families.h).
class ShardRule {
 public:
  ShardRule(SweepGoal goal, const DesignPoints& points, Shard shard);

  // Whether the shard maps the point with this id.
  bool has(u64 point) const;

 private:
  const DesignPoints& points_;
  bool by_family_;
  Shard shard_;
  Permutation order_;
};

}  // namespace heliolite
