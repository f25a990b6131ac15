#include "check_proof/tiles.h"

#include <algorithm>

namespace check_proof {
namespace {

constexpr u32 kMostTiles = 3'000'000;
constexpr u64 kMostPositions = u64{1} << 22;

Divisors divisors_of(u64 size) {
  Divisors out;
  for (u64 k = 1; k * k <= size; ++k) {
    if (size % k != 0) continue;
    out.of.push_back(k);
    if (k * k != size) out.of.push_back(size / k);
  }
  std::ranges::sort(out.of);
  for (const u64 k : out.of)
    if (k > 1 && std::ranges::none_of(out.primes, [&](u64 p) { return k % p == 0; })) out.primes.push_back(k);
  for (const u64 k : out.of) {
    std::vector<Divisors::Step> steps;
    for (const u64 p : out.primes)
      if (const int to = out.digit(k * p); to >= 0) steps.push_back({static_cast<u8>(to), p});
    out.step.push_back(std::move(steps));
  }
  return out;
}

}  // namespace

int Divisors::digit(u64 divisor) const {
  const auto found = std::ranges::lower_bound(of, divisor);
  return found == of.end() || *found != divisor ? -1 : static_cast<int>(found - of.begin());
}

u64 distinct_sums(const std::vector<Summand>& terms) {
  u64 most = 0;
  std::size_t moving = 0, last = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (terms[k].count <= 1) continue;
    ++moving, last = k;
    most += terms[k].coefficient * (terms[k].count - 1);
  }
  if (moving == 0) return 1;
  if (moving == 1) return terms[last].count;
  std::vector<bool> met(most + 1, false);
  met[0] = true;
  for (const Summand& t : terms)
    for (u64 have = 1; have < t.count;) {  // so many indices are in
      const u64 more = std::min(have, t.count - have), shift = more * t.coefficient;
      for (u64 k = most + 1; k-- > shift;)
        if (met[k - shift]) met[k] = true;
      have += more;
    }
  return static_cast<u64>(std::ranges::count(met, true));
}

Tiles::Tiles(const Instance& instance) : instance_(instance) {
  u64 count = 1;
  for (const u64 size : instance.size) {
    divisors_.push_back(divisors_of(size));
    stride_[divisors_.size() - 1] = static_cast<u32>(count);
    count *= divisors_.back().of.size();
    if (count > kMostTiles || divisors_.back().of.size() > 127) throw Wrong{0, "more than 3 million tiles", true};
  }
  count_ = static_cast<u32>(count);
  Extents whole{};
  std::ranges::copy(instance.size, whole.begin());
  for (std::size_t v = 0; v < instance.tensors.size(); ++v)
    for (std::size_t r = 0; r < instance.tensors[v].ranks.size(); ++r)
      if (instance.tensors[v].ranks[r].size() > 1 &&
          box(static_cast<int>(v), static_cast<int>(r), whole) > kMostPositions)
        throw Wrong{0, "a rank that slides has more than 2^22 positions", true};
}

Digits Tiles::digits(u32 tile) const {
  Digits out{};
  for (std::size_t d = divisors_.size(); d-- > 0; tile %= stride_[d]) out[d] = static_cast<u8>(tile / stride_[d]);
  return out;
}

u32 Tiles::number(const Digits& digits) const {
  u32 out = 0;
  for (std::size_t d = 0; d < divisors_.size(); ++d) out += digits[d] * stride_[d];
  return out;
}

Extents Tiles::extents(const Digits& at) const {
  Extents out;
  out.fill(1);
  for (std::size_t d = 0; d < divisors_.size(); ++d) out[d] = divisors_[d].of[at[d]];
  return out;
}

Extents Tiles::left(const Extents& extents) const {
  Extents out;
  out.fill(1);
  for (std::size_t d = 0; d < divisors_.size(); ++d) out[d] = instance_.size[d] / extents[d];
  return out;
}

u64 Tiles::box(int v, int r, const Extents& tile) const {
  u64 out = 1;
  for (const Term& t : instance_.tensors[v].ranks[r]) out += t.coefficient * (tile[t.dimension] - 1);
  return out;
}

u64 Tiles::words(int v, const Extents& tile) const {
  u64 out = 1;
  const int ranks = static_cast<int>(instance_.tensors[v].ranks.size());
  for (int r = 0; r < ranks; ++r) out *= box(v, r, tile);
  return out;
}

bool Tiles::fits(int level, Mask kept, const Extents& tile) const {
  const Level& l = instance_.levels[level];
  if (!l.is_bounded) return true;
  u128 parts = 0;
  for (int v = 0; v < instance_.tensor_count(); ++v)
    if (contains(kept, v)) parts += static_cast<u128>(words(v, tile)) * l.of[v].parts;
  return parts <= l.room;
}

u64 Tiles::coverage(int v, int r, const Digits& tile, const Digits& outer) const {
  const auto& rank = instance_.tensors[v].ranks[r];
  u64 key = static_cast<u64>(v * kRanks + r) << 56, product = 1;
  std::vector<Summand> terms;
  for (std::size_t k = 0; k < rank.size(); ++k) {
    const u64 inner = divisors_[rank[k].dimension].of[tile[rank[k].dimension]],
              step = divisors_[rank[k].dimension].of[outer[rank[k].dimension]],
              left = instance_.size[rank[k].dimension] / step;
    product *= inner * left;
    key |= static_cast<u64>(tile[rank[k].dimension] | outer[rank[k].dimension] << 7) << (14 * k);
    if (rank.size() == 1) continue;
    terms.push_back({rank[k].coefficient, inner});
    terms.push_back({rank[k].coefficient * step, left});
  }
  if (rank.size() == 1) return product;
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = coverage_.try_emplace(key, 0);
  if (is_new) found->second = distinct_sums(terms);
  return found->second;
}

}  // namespace check_proof
