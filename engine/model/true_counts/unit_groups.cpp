#include "engine/model/true_counts/unit_groups.h"

#include <algorithm>
#include <tuple>

#include "engine/model/temporal_traffic.h"

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
constexpr u64 kOtherInstance = ~u64{0};  // the moment of an element that another instance works on

std::vector<Stand> stands(const TrueNest& nest, int high, const UnitDigits& unit, int d, u64 size, u64 coefficient,
                          const std::array<u64, kMaxLevels>& weight) {
  std::vector<Stand> out(size, Stand{0, 0});
  for (const int l : bits(nest.of[d])) {
    const TruePlace& p = nest.place[l];
    const bool apart = contains(nest.spatial, l) && p.level <= high;
    for (u64 x = 0; x < size; ++x) {
      const u64 digit = x / p.inside % p.end;
      if (contains(unit.fixed, l) && digit != unit.digit[l]) out[x].moment = kOtherInstance;
      if (out[x].moment == kOtherInstance) continue;
      if (apart) out[x].distance += digit * p.inside * coefficient * weight[p.level];
      else out[x].moment = out[x].moment * p.end + digit;
    }
  }
  std::erase_if(out, [](const Stand& s) { return s.moment == kOtherInstance; });
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

u64 distinct_units(const CompiledTensor& t, const Extents& stride, std::span<const u8> dimension,
                   std::span<const u32> run) {
  if (t.entangled) return 0;
  constexpr int kNone = -1, kTwo = -2;
  u64 n = 1;
  std::array<int, kMaxRanks> met;  // [rank]: the dimension with several units, none yet, or two
  met.fill(kNone);
  for (std::size_t k = 0; k < dimension.size(); ++k) {
    if (run[k] == 1) continue;
    const CompiledTerm& term = t.by_dimension[t.first_of[dimension[k]]];
    int& other = met[term.rank];
    if (other == kTwo) return 0;
    if (other == kNone) {
      n *= run[k];
      other = static_cast<int>(k);
      continue;
    }
    const CompiledTerm& first = t.by_dimension[t.first_of[dimension[other]]];
    n = n / run[other] *
        distinct_sums(u64{term.coefficient} * stride[dimension[k]], run[k],
                      u64{first.coefficient} * stride[dimension[other]], run[other]);
    other = kTwo;
  }
  return n;
}

void UnitGroups::add(const BoxStep& box, const BoxFetch& fetch, std::span<const TileStep* const> tiles) {
  Leaf& leaf = leaf_.emplace_back();
  leaf.count = box.count;
  leaf.words = fetch.words;
  leaf.keeps = fetch.keeps;
  leaf.dimensions = static_cast<u8>(tiles.size());
  for (std::size_t r = 0; r < t_.rank_count; ++r) {
    leaf.extent[r] = box.extent[r];
    leaf.low[r] = fetch.keeps ? fetch.low[r] : 0;
    leaf.high[r] = fetch.keeps ? fetch.high[r] : 0;
  }
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    leaf.context[k] = tiles[k]->context;
    leaf.run[k] = tiles[k]->run;
    leaf.first[k] = tiles[k]->low;
  }
}

bool UnitGroups::less(const Leaf& a, const Leaf& b) const {
  for (std::size_t k = 0; k < a.dimensions; ++k)
    if (a.context[k] != b.context[k]) return a.context[k] < b.context[k];
  for (std::size_t r = 0; r < t_.rank_count; ++r) {
    const auto key = [r](const Leaf& l) { return std::tuple(l.extent[r], l.low[r], l.high[r]); };
    if (key(a) != key(b)) return key(a) < key(b);
  }
  return false;
}

u64 UnitGroups::words(std::span<const u8> dimension) {
  std::sort(leaf_.begin(), leaf_.end(), [this](const Leaf& a, const Leaf& b) { return less(a, b); });
  u64 words = 0;
  for (std::size_t begin = 0, end = 0; begin < leaf_.size(); begin = end) {
    while (end < leaf_.size() && !less(leaf_[begin], leaf_[end])) ++end;
    const std::span<const Leaf> alike = std::span(leaf_).subspan(begin, end - begin);
    words += alike[0].count * alike[0].words * distinct(alike, dimension);
  }
  return words;
}

// Number of different boxes of fetches that are alike.
u64 UnitGroups::distinct(std::span<const Leaf> alike, std::span<const u8> dimension) {
  if (alike.size() == 1)
    if (const u64 n = distinct_units(t_, stride_, dimension, std::span(alike[0].run).first(dimension.size()))) return n;
  return listed(alike, dimension);
}

// Number of different boxes of fetches that are alike, counted one by one.
u64 UnitGroups::listed(std::span<const Leaf> alike, std::span<const u8> dimension) {
  std::array<u64, kMaxRanks> span;
  span.fill(1);
  for (const Leaf& leaf : alike) {
    std::array<u64, kMaxRanks> far{};
    for (std::size_t k = 0; k < dimension.size(); ++k)
      for (int j = t_.first_of[dimension[k]]; j < t_.first_of[dimension[k] + 1]; ++j)
        far[t_.by_dimension[j].rank] +=
            u64{t_.by_dimension[j].coefficient} *
            (static_cast<u64>(leaf.first[k]) + u64{leaf.run[k] - 1} * stride_[dimension[k]]);
    for (std::size_t r = 0; r < t_.rank_count; ++r) span[r] = std::max(span[r], far[r] + 1);
  }
  std::array<u64, kMaxRanks> weight{};
  u64 product = 1;
  for (std::size_t r = 0; r < t_.rank_count; ++r) weight[r] = product, product *= span[r];
  offset_.clear();
  for (const Leaf& leaf : alike) {
    const std::size_t begin = offset_.size();
    offset_.push_back(0);
    for (std::size_t k = 0; k < dimension.size(); ++k) {
      u64 step = 0;  // what one word of the dimension adds to the offset
      for (int j = t_.first_of[dimension[k]]; j < t_.first_of[dimension[k] + 1]; ++j)
        step += u64{t_.by_dimension[j].coefficient} * weight[t_.by_dimension[j].rank];
      const std::size_t here = offset_.size();
      for (std::size_t x = begin; x < here; ++x) offset_[x] += step * static_cast<u64>(leaf.first[k]);
      for (u32 u = 1; u < leaf.run[k]; ++u)
        for (std::size_t x = begin; x < here; ++x) offset_.push_back(offset_[x] + step * u * stride_[dimension[k]]);
    }
  }
  std::sort(offset_.begin(), offset_.end());
  return static_cast<u64>(std::unique(offset_.begin(), offset_.end()) - offset_.begin());
}

}  // namespace heliolite
