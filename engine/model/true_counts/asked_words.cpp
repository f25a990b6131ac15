#include "engine/model/true_counts/asked_words.h"
#include "engine/model/temporal_traffic.h"
#include "engine/model/true_counts/nest.h"

#include <algorithm>
#include <vector>

namespace heliolite {
namespace {

constexpr u64 kMostListed = 20'000;      // pairs of elements of a rank
constexpr u64 kMostSums = u64{1} << 32;  // sums of distances: with all moments they make a number of 64 bits

// Moments at which `units` units of a row work.
struct Moments {
  u64 units, count;
};

// All moments of a row: where an element stands is a number of mixed digits, so the units that work at a moment are the
// first ones, and all of them but in the last context.
std::array<Moments, 3> moments(const UnitRow& row, u64 size) {
  const u64 group = row.units * row.inside, rest = size % group;
  const u64 each = rest / row.inside, more = rest % row.inside;
  return {{{row.units, size / group * row.inside}, {each + 1, more}, {each, row.inside - more}}};
}

UnitRow row(const TrueNest& nest, int level, int d) {
  UnitRow out;
  for (const int l : bits(nest.fanout[level] & nest.of[d])) {
    if (out.units == 1) out.inside = nest.place[l].inside;
    out.units *= nest.place[l].end;
  }
  return out;
}

// Where the elements of a dimension stand: at which moment, and how far from the first unit of each fan-out, in the
// words of a rank. `weight`: of a fan-out's distance in the sum of all.
struct Stand {
  u64 moment, distance;
};
constexpr u64 kElsewhere = ~u64{0};  // the moment of an element that another instance works on

std::vector<Stand> stands(const TrueNest& nest, int high, const UnitDigits& unit, int d, u64 size, u64 coefficient,
                          const std::array<u64, kMaxLevels>& weight) {
  std::vector<Stand> out(size, Stand{0, 0});
  for (const int l : bits(nest.of[d])) {
    const TruePlace& p = nest.place[l];
    const bool apart = contains(nest.spatial, l) && p.level <= high;
    for (u64 x = 0; x < size; ++x) {
      const u64 digit = x / p.inside % p.end;
      if (contains(unit.fixed, l) && digit != unit.digit[l]) out[x].moment = kElsewhere;
      if (out[x].moment == kElsewhere) continue;
      if (apart) out[x].distance += digit * p.inside * coefficient * weight[p.level];
      else out[x].moment = out[x].moment * p.end + digit;
    }
  }
  std::erase_if(out, [](const Stand& s) { return s.moment == kElsewhere; });
  return out;
}

// The words that units ask for, counted one by one, wherever the units meet; nothing if that is too much.
std::optional<u64> asked_one_by_one(const TrueNest& nest, int high, const UnitDigits& unit, std::array<int, 2> d,
                                    std::array<u64, 2> size, std::array<u64, 2> coefficient) {
  std::array<u64, kMaxLevels> weight;
  u64 sums = 1;  // possible sums of the distances
  for (int i = 0; i <= high; ++i) {
    weight[i] = sums;
    u64 far = 1;
    for (std::size_t k = 0; k < 2; ++k) {
      const UnitRow units = row(nest, i, d[k]);
      far += (units.units - 1) * units.inside * coefficient[k];
    }
    sums *= far;
    if (size[0] * size[1] > kMostListed || sums > kMostSums) return std::nullopt;
  }
  const std::vector<Stand> a = stands(nest, high, unit, d[0], size[0], coefficient[0], weight);
  const std::vector<Stand> b = stands(nest, high, unit, d[1], size[1], coefficient[1], weight);
  thread_local std::vector<u64> keys;
  keys.clear();
  for (const Stand& x : a)
    for (const Stand& y : b) keys.push_back((x.moment * size[1] + y.moment) * sums + x.distance + y.distance);
  std::ranges::sort(keys);
  return static_cast<u64>(std::unique(keys.begin(), keys.end()) - keys.begin());
}

}  // namespace

u64 asked_together(const UnitRow& a, u64 coefficient_a, u64 size_a, const UnitRow& b, u64 coefficient_b, u64 size_b) {
  u64 sum = 0;
  for (const Moments& x : moments(a, size_a))
    for (const Moments& y : moments(b, size_b))
      if (x.count * y.count * x.units * y.units != 0)
        sum += x.count * y.count * distinct_sums(coefficient_a * a.inside, x.units, coefficient_b * b.inside, y.units);
  return sum;
}

std::optional<u64> asked_words(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int high,
                               const UnitDigits& unit) {
  if (t.entangled) return std::nullopt;
  u64 words = 1;
  for (const int d : bits(static_cast<DimensionMask>(t.indexing & ~t.sharing_any)))
    words *= nest.cells(d, nest.all(), 0, 0, unit).count();
  for (std::size_t r = 0; r < t.rank_count; ++r) {
    const DimensionMask sharing = t.sharing[r];
    if (sharing == 0) continue;
    if (std::popcount(sharing) != 2) return std::nullopt;
    const int a = std::countr_zero(sharing), b = std::bit_width(sharing) - 1;
    UnitRow along_a, along_b;
    int fanouts = 0;
    for (int i = 0; i <= high; ++i) {
      const UnitRow here_a = row(nest, i, a), here_b = row(nest, i, b);
      if (here_a.units == 1 || here_b.units == 1) continue;
      along_a = here_a, along_b = here_b, ++fanouts;
    }
    const auto coefficient = [&](int d) -> u64 { return t.by_dimension[t.first_of[d]].coefficient; };
    const bool whole = ((nest.of[a] | nest.of[b]) & unit.fixed) == 0;
    if (whole && fanouts <= 1) {
      words *= asked_together(along_a, coefficient(a), c.size[a], along_b, coefficient(b), c.size[b]);
      continue;
    }
    const std::optional<u64> listed =
        asked_one_by_one(nest, high, unit, {a, b}, {c.size[a], c.size[b]}, {coefficient(a), coefficient(b)});
    if (!listed) return std::nullopt;
    words *= *listed;
  }
  return words;
}

}  // namespace heliolite
