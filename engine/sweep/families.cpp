#include "engine/sweep/families.h"

#include <algorithm>

#include "engine/sweep/totals.h"

namespace heliolite {

bool co_searches(const SweepSpec& spec, const DesignPoints& points) {
  const bool can = searches_machines_together(spec.options.strategy) && !spec.options.imperfect &&
                   spec.options.factors == Factors::Perfect && spec.options.tiles == Tiles::Even;
  // A co-search minimises the sum of the layers' objectives.
  const bool one_run = spec.layers.size() == 1;
  const bool of_sum = spec.rank == SweepRank::Layers || !ranks_differ(ranking_of(spec)) || one_run;
  return spec.goal == SweepGoal::Best && can && of_sum && points.family_size() > 1;
}

Families::Families(const SweepSpec& spec, const DesignPoints& points, const ShardRule& mine)
    : points_(points), mine_(mine), sampled_(spec.sample.has_value()) {
  if (!sampled_) return;
  for (u64 k = 0; k < points.planned(); ++k)
    if (const u64 id = points.id(k); mine.has(id)) sample_[points.family(id)].push_back(id);
  for (auto& [family, ids] : sample_) std::ranges::sort(ids);
}

std::optional<std::vector<u64>> Families::next() {
  if (sampled_) return next_of_sample();
  while (member_ == 0 && family_ < points_.families() && !mine_.has(points_.member(family_, 0))) ++family_;
  if (family_ == points_.families()) return std::nullopt;
  std::vector<u64> ids;
  while (ids.size() < kMaxFamily && member_ < points_.family_size()) ids.push_back(points_.member(family_, member_++));
  if (member_ == points_.family_size()) {
    member_ = 0;
    ++family_;
  }
  return ids;
}

std::optional<std::vector<u64>> Families::next_of_sample() {
  if (sample_.empty()) return std::nullopt;
  std::vector<u64>& ids = sample_.begin()->second;
  const auto piece = std::min<std::size_t>(ids.size(), kMaxFamily);
  std::vector<u64> out(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(piece));
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(piece));
  if (ids.empty()) sample_.erase(sample_.begin());
  return out;
}

}  // namespace heliolite
