#include "engine/sweep/shard_rule.h"

namespace heliolite {
namespace {

constexpr u64 kOrder = 1;

}  // namespace

ShardRule::ShardRule(SweepGoal goal, const DesignPoints& points, Shard shard)
    : points_(points),
      by_family_(goal == SweepGoal::Best),
      shard_(shard),
      order_(by_family_ ? points.families() : points.grid(), kOrder) {}

bool ShardRule::has(u64 point) const {
  return shard_.count == 1 || order_(by_family_ ? points_.family(point) : point) % shard_.count == shard_.index;
}

}  // namespace heliolite
