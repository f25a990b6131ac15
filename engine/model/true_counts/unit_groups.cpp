#include "engine/model/true_counts/unit_groups.h"
#include "engine/model/temporal_traffic.h"

#include <algorithm>
#include <tuple>

namespace heliolite {

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
