#include "engine/search/any/rest_table.h"

#include <algorithm>

#include "engine/model/true_counts/nest.h"
#include "engine/search/core/objective.h"

namespace heliolite {
namespace {

constexpr double kSumsRounded = 1 - 1e-12;  // of sums in doubles
constexpr Rest kNothingFits{kNever, {{kNever, kNever, kNever}}};

// Adds what is between a level and the next one outside.
Rest sum(Rest outside, const Rest& here) {
  outside.energy += here.energy * kSumsRounded;
  for (std::size_t k = 0; k < here.ports.of.size(); ++k) outside.ports.of[k] += here.ports.of[k] * kSumsRounded;
  return outside;
}

void least_of(Rest& value, const Rest& other) {
  value.energy = std::min(value.energy, other.energy);
  for (std::size_t k = 0; k < value.ports.of.size(); ++k)
    value.ports.of[k] = std::min(value.ports.of[k], other.ports.of[k]);
}

}  // namespace

TileRanges::TileRanges(const Compiled& c, std::size_t most_points) : dimension_count_(c.dimension_count) {
  // All numbers of tiles there are: ceil(size / tile).
  for (int d = 0; d < dimension_count_; ++d) {
    std::vector<u32>& counts = most_[at(d)];
    for (u32 n = c.size[at(d)];;) {
      counts.push_back(n);
      if (n == 1) break;
      const u32 tile = (c.size[at(d)] - 1) / (n - 1) + 1;  // the smallest with fewer
      n = (c.size[at(d)] - 1) / tile + 1;
    }
  }
  const auto product = [&] {
    std::size_t n = 1;
    for (int d = 0; d < dimension_count_; ++d) n *= most_[at(d)].size();
    return n;
  };
  const std::array<std::vector<u32>, kMaxDimensions> all = most_;
  while (product() > most_points) {
    auto& longest =
        *std::max_element(most_.begin(), most_.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (longest.size() <= 2) break;
    std::vector<u32> fewer;  // every second one, the first and the last
    for (std::size_t k = 0; k < longest.size(); ++k)
      if (k % 2 == 0 || k + 1 == longest.size()) fewer.push_back(longest[k]);
    if (fewer.size() == longest.size()) fewer.erase(fewer.end() - 2);
    longest = std::move(fewer);
  }
  points_ = 1;
  for (int d = 0; d < dimension_count_; ++d) {
    stride_[at(d)] = points_;
    points_ *= most_[at(d)].size();
    for (std::size_t k = 0; k < most_[at(d)].size(); ++k) {
      const u32 beyond = k + 1 < most_[at(d)].size() ? most_[at(d)][k + 1] : 0;
      // The least number that there is above the next range's most.
      const auto next = std::ranges::find_if(all[at(d)], [&](u32 n) { return n <= beyond; });
      least_[at(d)].push_back(*std::prev(next));
    }
    if (c.size[at(d)] > 100'000) continue;
    range_of_[at(d)].resize(c.size[at(d)] + 1);
    for (u32 n = 1, k = static_cast<u32>(most_[at(d)].size()) - 1; n <= c.size[at(d)]; ++n) {
      while (most_[at(d)][k] < n) --k;
      range_of_[at(d)][n] = k;
    }
  }
}

std::size_t TileRanges::point(const Trail& trail) const {
  std::size_t out = 0;
  for (int d = 0; d < dimension_count_; ++d) {
    const u32 tiles = trail.of(d).tiles;
    const auto& most = most_[at(d)];
    const std::size_t k =
        range_of_[at(d)].empty()
            ? at(std::partition_point(most.begin(), most.end(), [&](u32 n) { return n >= tiles; }) - most.begin()) - 1
            : range_of_[at(d)][tiles];
    out += k * stride_[at(d)];
  }
  return out;
}

std::size_t TileRanges::larger(std::size_t point, int d) const {
  const std::size_t k = point / stride_[at(d)] % most_[at(d)].size();
  return k + 1 < most_[at(d)].size() ? point + stride_[at(d)] : point;
}

RestTable::RestTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges) : ranges_(ranges) {
  const Compiled& c = costs.compiled();
  at_level_.resize(at(c.level_count));
  const bool twins = !costs.passing().empty();
  if (twins) twins_.resize(at(c.level_count));
  for (int i = c.level_count - 2; i >= 0; --i) {
    std::vector<Rest>& table = at_level_[at(i)];
    table.assign(ranges.points(), kNothingFits);
    if (twins) twins_[at(i)].assign(ranges.points(), kNothingFits);
    const std::vector<Rest>& outside = at_level_[at(i) + 1];
    ranges.each([&](std::size_t p, const auto& most, const auto& least) {
      Extents tile{};
      for (int d = 0; d < c.dimension_count; ++d) tile[at(d)] = (c.size[at(d)] - 1) / most[at(d)] + 1;
      u64 used = 0;
      const CompiledLevel& machine = c.level[at(i)];
      if (machine.room != CompiledLevel::kUnbounded)
        for (const int v : bits(costs.keep()[at(i)]))
          used += machine.taken(v, true_box_words(c, c.tensor[at(v)], tile));
      RestOutside value{kNothingFits, kNothingFits};
      if (used <= machine.room && (outside.empty() || outside[p].energy != kNever)) {
        const RestOutside here =
            partial.least_outside(i, {least.data(), at(c.dimension_count)}, {most.data(), at(c.dimension_count)});
        value.all = sum(outside.empty() ? Rest{} : outside[p], here.all);
        if (twins) value.with_twins = sum(outside.empty() ? Rest{} : twins_[at(i) + 1][p], here.with_twins);
      }
      for (int d = 0; d < c.dimension_count; ++d) {
        least_of(value.all, table[ranges.larger(p, d)]);
        if (twins) least_of(value.with_twins, twins_[at(i)][ranges.larger(p, d)]);
      }
      table[p] = value.all;
      if (twins) twins_[at(i)][p] = value.with_twins;
    });
  }
}

}  // namespace heliolite
