#include "engine/search/exact/open_ranges.h"

#include <algorithm>

namespace heliolite {

void OpenRanges::divide(const OpenRange& whole, std::vector<SearchRange> parts, const ObjectiveKey& bound, u64 after) {
  int division = whole.division;
  if (division < 0) {
    division = static_cast<int>(divisions_.size());
    divisions_.push_back({whole.range, 0, after});
  }
  for (SearchRange& part : parts) add({bound, std::move(part), division});
}

OpenRange OpenRanges::take() {
  OpenRange out = std::move(open_.begin()->second);
  open_.erase(open_.begin());
  return out;
}

void OpenRanges::clear() {
  open_.clear();
  divisions_.clear();
}

void OpenRanges::took(const OpenRange& searched, u64 evaluations) {
  if (searched.division >= 0) divisions_[at(searched.division)].evaluations += evaluations;
}

std::optional<WholeTry> OpenRanges::due() {
  for (std::size_t k = 0; k < divisions_.size(); ++k) {
    Division& division = divisions_[k];
    const int number = static_cast<int>(k);
    const auto is_part = [&](const auto& open) { return open.second.division == number; };
    if (division.evaluations < division.next_try || std::ranges::none_of(open_, is_part)) continue;
    division.next_try = 2 * division.evaluations;
    return WholeTry{number, division.evaluations};
  }
  return std::nullopt;
}

void OpenRanges::raise(int division, const ObjectiveKey& bound) {
  std::multimap<ObjectiveKey, OpenRange> raised;
  for (auto& [old, open] : open_) {
    if (open.division == division) open.bound = std::max(open.bound, bound);
    if (open.bound < ObjectiveKey()) raised.emplace(open.bound, std::move(open));
  }
  open_ = std::move(raised);
}

}  // namespace heliolite
