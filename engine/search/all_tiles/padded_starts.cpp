// Starts for climbs where sizes have few divisors: larger sizes that have many, and their mappings cut to size.
#include "engine/search/all_tiles/any_search.h"

#include <algorithm>
#include <array>

#include "engine/base/integers.h"
#include "engine/search/all_tiles/trail.h"
#include "engine/search/core/options.h"

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

u64 next_prime(u64 p) {
  do p += p == 2 ? 1 : 2;
  while (divisors(p) != 2);
  return p;
}

// The number in a range with the most divisors, the smallest of several, made of prime factors in ascending order: a
// number k without prime factors below p has at most 2^(log k / log p) divisors, so few need be looked at. A range of
// few numbers may have none with many divisors, and is gone through.
class MostDivisors {
 public:
  MostDivisors(u64 low, u64 high) : low_(low), high_(high) {
    if (high - low >= kFew) extend(1, 1, 2);
    else
      for (u64 n = low; n <= high; ++n) offer(n, divisors(n));
  }
  u64 number() const { return number_; }

 private:
  static constexpr u64 kFew = 64;

  void offer(u64 n, u64 count) {
    if (count > most_ || (count == most_ && n < number_)) number_ = n, most_ = count;
  }

  // All multiples of `made`, which has `count` divisors, by numbers without prime factors below p.
  void extend(u64 made, u64 count, u64 p) {
    if (made >= low_) offer(made, count);
    for (;; p = next_prime(p)) {
      int factors = 0;  // more of them, at most
      for (u64 k = high_ / made; k >= p; k /= p) ++factors;
      const u64 bound = count << factors;
      if (factors == 0 || bound < most_ || (bound == most_ && ceil_div(low_, made) * made >= number_)) return;
      if (factors == 1) return finish(made, count, p);
      u64 exponent = 1;
      for (u64 n = made; n <= high_ / p; extend(n, count * exponent, next_prime(p))) n *= p, ++exponent;
    }
  }

  // Extends where only a prime fits.
  void finish(u64 made, u64 count, u64 p) {
    for (u64 k = std::max(p, ceil_div(low_, made)); k <= high_ / made; ++k)
      if (divisors(k) == 2) return offer(k * made, count * 2);
  }

  u64 low_, high_, number_ = 0, most_ = 0;
};

// The sizes that the first variants give a dimension.
std::array<u64, kMorePercent.size()> padded_sizes(u64 size) {
  std::array<u64, kMorePercent.size()> out{};
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = MostDivisors(size, std::min(size + size * kMorePercent[k] / 100, kMaxDimensionSize)).number();
  return out;
}

}  // namespace

std::vector<Workload> padded_workloads(const Workload& workload) {
  std::vector<std::array<u64, kMorePercent.size()>> sizes;
  for (const Dimension& d : workload.dimensions) sizes.push_back(padded_sizes(d.size));
  std::vector<Workload> out;
  for (u64 variant = 0; variant < kMorePercent.size() + kMixed; ++variant) {
    Workload padded = workload;
    for (std::size_t d = 0; d < padded.dimensions.size(); ++d) {
      const u64 digits = variant < kMorePercent.size() ? variant : (variant * 0x9e37'79b9 >> (2 * d + 8)) % 4;
      padded.dimensions[d].size = sizes[d][digits];
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
