#pragma once
// Boxes of words for the oracle of the cost model (reference_walk.h): sizes, differences and moves, word by word
// counted.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/types.h"

namespace heliolite::testing {

// Words [low, high) of every rank.
using ReferenceBox = std::vector<std::pair<i64, i64>>;
using ReferenceOffset = std::vector<i64>;  // per rank

inline i64 reference_volume(const ReferenceBox& box) {
  i64 words = 1;
  for (const auto& [low, high] : box) words *= high - low;
  return words;
}

using ReferenceBoxes = std::set<ReferenceBox>;

// `box` without `other`, cut rank by rank.
inline ReferenceBoxes reference_rest(ReferenceBox box, const ReferenceBox& other) {
  ReferenceBoxes out;
  for (std::size_t r = 0; r < box.size(); ++r)
    if (box[r].second <= other[r].first || other[r].second <= box[r].first) return {box};
  for (std::size_t r = 0; r < box.size(); ++r) {
    const auto [low, high] = box[r];
    if (low < other[r].first) {
      box[r] = {low, other[r].first};
      out.insert(box);
      box[r] = {other[r].first, high};
    }
    if (other[r].second < high) {
      box[r] = {other[r].second, high};
      out.insert(box);
      box[r] = {std::max(low, other[r].first), other[r].second};
    }
  }
  return out;
}

inline ReferenceBoxes reference_moved(const ReferenceBoxes& boxes, const ReferenceOffset& by) {
  ReferenceBoxes out;
  for (ReferenceBox box : boxes) {
    for (std::size_t r = 0; r < box.size(); ++r) box[r] = {box[r].first + by[r], box[r].second + by[r]};
    out.insert(box);
  }
  return out;
}

// Words of `box` that are not in `other`.
inline i64 reference_difference(const ReferenceBox& box, const ReferenceBox& other) {
  i64 common = 1;
  for (std::size_t r = 0; r < box.size(); ++r)
    common *= std::max<i64>(0, std::min(box[r].second, other[r].second) - std::max(box[r].first, other[r].first));
  return reference_volume(box) - common;
}

}  // namespace heliolite::testing
