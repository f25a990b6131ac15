#include "engine/proof/tiles.h"

#include <algorithm>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

namespace heliolite::proof {
namespace {

DivisorDigits digits_of(u64 size) {
  DivisorDigits out;
  out.divisor = divisors(size);
  for (const PrimePower& p : factorize(size)) out.primes.push_back(p.prime);
  const std::size_t n = out.divisor.size();
  const auto find = [&](u64 x) {
    return static_cast<u16>(std::ranges::lower_bound(out.divisor, x) - out.divisor.begin());
  };
  out.times.assign(n, std::vector<u16>(n, DivisorDigits::kNone));
  out.steps.resize(n);
  for (std::size_t a = 0; a < n; ++a) {
    out.left.push_back(find(size / out.divisor[a]));
    const u64 rest = size / out.divisor[a];
    for (std::size_t b = 0; b < n; ++b)
      if (rest % out.divisor[b] == 0) out.times[a][b] = find(out.divisor[a] * out.divisor[b]);
    u32 last = 0;
    for (const u64 prime : out.primes) {
      if (rest % prime == 0) out.steps[a].push_back({find(out.divisor[a] * prime), static_cast<u32>(prime)});
      if (out.divisor[a] % prime == 0) last = static_cast<u32>(prime);
    }
    out.last_prime.push_back(last);
  }
  return out;
}

}  // namespace

ProofTiles::ProofTiles(const Instance& instance) : count_(instance.dimension_count()) {
  for (int d = 0; d < count_; ++d) {
    of_.push_back(digits_of(instance.sizes[d]));
    stride_[d] = static_cast<Tile>(std::min<u64>(tiles_, ~Tile{0}));
    tiles_ = saturating_product(tiles_, of_.back().divisor.size());
  }
}

u64 ProofTiles::left(const Digits& at_digits, DimensionMask dimensions) const {
  u64 out = 1;
  for (const int d : bits(dimensions)) out *= left(at_digits, d);
  return out;
}

u16 ProofTiles::digit_of(int d, u64 divisor) const {
  const std::vector<u64>& all = of(d).divisor;
  return static_cast<u16>(std::ranges::lower_bound(all, divisor) - all.begin());
}

u64 ProofTensor::extent(const ProofTiles& tiles, const Digits& digits, int r) const {
  u64 out = 1;
  const Rank& of = rank[r];
  for (std::size_t k = 0; k < of.terms; ++k) out += of.coefficient[k] * (tiles.extent(digits, of.dimension[k]) - 1);
  return out;
}

u64 ProofTensor::words(const ProofTiles& tiles, const Digits& digits) const {
  u64 out = 1;
  for (int r = 0; r < rank_count; ++r) out *= extent(tiles, digits, r);
  return out;
}

std::vector<ProofTensor> shapes_of(const Instance& instance) {
  std::vector<ProofTensor> out;
  for (const InstanceTensor& tensor : instance.tensors) {
    ProofTensor t;
    t.is_output = tensor.is_output;
    for (const auto& terms : tensor.ranks) {
      ProofTensor::Rank& rank = t.rank[t.rank_count];
      for (const InstanceTerm& term : terms) {
        rank.coefficient[rank.terms] = term.coefficient;
        rank.dimension[rank.terms++] = static_cast<u8>(term.dimension);
        t.rank_of[term.dimension] = t.rank_count;
        t.coefficient[term.dimension] = term.coefficient;
        t.of_rank[t.rank_count] |= dimension_bit(term.dimension);
      }
      t.indexing |= t.of_rank[t.rank_count];
      if (rank.slides()) t.slides = true, t.sliding |= t.of_rank[t.rank_count];
      else if (rank.coefficient[0] == 1) t.plain |= t.of_rank[t.rank_count];
      ++t.rank_count;
    }
    out.push_back(t);
  }
  return out;
}

u64 distinct_sums(std::span<const StridedTerm> terms) {
  std::array<StridedTerm, kMostStridedTerms> all;
  std::size_t count = 0;
  for (const StridedTerm& t : terms)
    if (t.count > 1) all[count++] = t;
  const std::span moving = std::span(all).first(count);
  if (moving.empty()) return 1;
  if (moving.size() == 1) return moving[0].count;
  if (moving.size() == 2) {
    const auto [c1, n1] = moving[0];
    const auto [c2, n2] = moving[1];
    const u64 g = std::gcd(c1, c2), a = c1 / g, b = c2 / g;
    return n1 * n2 - (n1 > b ? n1 - b : 0) * (n2 > a ? n2 - a : 0);
  }
  std::vector<u64> sums{0}, next;
  for (const StridedTerm& t : moving) {
    next.clear();
    for (const u64 s : sums)
      for (u64 k = 0; k < t.count; ++k) next.push_back(s + t.coefficient * k);
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    std::swap(sums, next);
  }
  return sums.size();
}

}  // namespace heliolite::proof
