#include "engine/search/any/padded_starts.h"

#include <algorithm>
#include <array>

#include "engine/search/any/trail.h"

namespace heliolite {
namespace {

// How much larger a dimension may become, in percent, in the first variants: each for all dimensions. The others mix
// them.
constexpr std::array<u64, 4> kMorePercent{1, 4, 9, 20};
constexpr u64 kMixed = 8;

u64 divisors(u64 n) {
  u64 count = 0;
  for (u64 d = 1; d * d <= n; ++d)
    if (n % d == 0) count += d * d == n ? 1 : 2;
  return count;
}

// The size with the most divisors in reach; the smallest of several.
u64 padded_size(u64 size, u64 more_percent) {
  u64 best = size, most = divisors(size);
  for (u64 n = size + 1; n <= size + size * more_percent / 100; ++n)
    if (const u64 count = divisors(n); count > most) best = n, most = count;
  return best;
}

}  // namespace

std::vector<Workload> padded_workloads(const Workload& workload) {
  std::vector<Workload> out;
  for (u64 variant = 0; variant < kMorePercent.size() + kMixed; ++variant) {
    Workload padded = workload;
    for (std::size_t d = 0; d < padded.dimensions.size(); ++d) {
      const u64 digits = variant < kMorePercent.size() ? variant : (variant * 0x9e37'79b9 >> (2 * d + 8)) % 4;
      padded.dimensions[d].size = padded_size(workload.dimensions[d].size, kMorePercent[digits]);
    }
    const auto same = [&](const Workload& other) {
      return std::ranges::equal(other.dimensions, padded.dimensions, {}, &Dimension::size, &Dimension::size);
    };
    if (!same(workload) && std::ranges::none_of(out, same) && check(padded).empty()) out.push_back(std::move(padded));
  }
  return out;
}

Workload smooth_workload(const Workload& workload) {
  const auto is_smooth = [](u64 n) {
    for (const u64 prime : {2, 3, 5, 7})
      while (n % prime == 0) n /= prime;
    return n == 1;
  };
  Workload out = workload;
  for (Dimension& d : out.dimensions)
    while (!is_smooth(d.size)) ++d.size;
  return out;
}

std::optional<Mapping> cut_to_size(const Mapping& mapping, const Compiled& c) {
  Mapping out;
  out.level_count = mapping.level_count;
  out.keep = mapping.keep;
  Trail trail(c);
  for (const Loop& loop : mapping.loops()) {
    const u32 end = std::min(loop.end, trail.of(loop.dimension).tiles);
    if (end == 1) continue;
    trail.push(loop.kind, loop.level, loop.dimension, end);
    out.add(loop.kind, loop.level, loop.dimension, end, trail[trail.size() - 1].last);
  }
  for (int d = 0; d < c.dimension_count; ++d)
    if (trail.of(d).tiles != 1) return std::nullopt;
  return out;
}

}  // namespace heliolite
