#include "engine/search/exact/parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {

namespace {

// The range with its unrollings written out.
SearchRange listed(std::span<const FanoutChoices> all, const SearchRange& range) {
  SearchRange out = range;
  if (!out.unrollings.empty()) return out;
  for (const FanoutChoices& fanout : all) {
    std::vector<u32>& every = out.unrollings.emplace_back(fanout.choices.size());
    std::iota(every.begin(), every.end(), u32{0});
  }
  return out;
}

}  // namespace

std::vector<SearchRange> peer_ranges(std::span<const FanoutChoices> all, const KeepRange& keep) {
  std::vector<SearchRange> out;
  for (std::size_t i = 1; i < all.size(); ++i) {
    SearchRange range = listed(all, {keep});
    range.peer_fanout = static_cast<int>(i);
    std::erase_if(range.unrollings[i], [&](u32 k) { return all[i].choices[k].peers == 0; });
    if (!range.unrollings[i].empty()) out.push_back(std::move(range));
  }
  return out;
}

int open_places(const LayerProblem& problem) {
  int places = 0;
  for (const LevelSpace& level : problem.space.levels) places += std::popcount(level.open);
  return places;
}

std::vector<KeepMasks> one_tensor_each(const LayerProblem& problem) {
  constexpr std::size_t kMost = 256;
  const KeepRange range = problem.keep_range();
  std::vector<int> levels;
  for (int i = 0; i < problem.space.level_count(); ++i)
    if (problem.space.levels[i].open != 0) levels.push_back(i);
  std::vector<KeepMasks> out{range.must};
  out.front()[levels.back()] = range.may[levels.back()];
  levels.pop_back();
  for (const int i : levels) {
    std::vector<KeepMasks> longer;
    for (const KeepMasks& keep : out)
      for (const int v : bits(problem.space.levels[i].open)) {
        longer.push_back(keep);
        longer.back()[i] |= static_cast<TensorMask>(1u << v);
      }
    out = std::move(longer);
    if (out.size() > kMost) return {};
  }
  return out;
}

std::vector<SearchRange> split_keeps(const SearchRange& range) {
  for (std::size_t i = range.keep.may.size(); i-- > 0;) {
    const TensorMask free = range.keep.may[i] & static_cast<TensorMask>(~range.keep.must[i]);
    if (free == 0) continue;
    const auto first = static_cast<TensorMask>(free & -free);
    std::vector<SearchRange> out{range, range};
    out[0].keep.must[i] |= first;
    out[1].keep.may[i] &= static_cast<TensorMask>(~first);
    return out;
  }
  return {};
}

SearchRange without_idle_unrollings(std::span<const FanoutChoices> all, const SearchRange& range,
                                    const std::function<bool(double)>& useless) {
  SearchRange out = listed(all, range);
  const auto instances = [&](std::size_t i, u32 k) { return all[i].choices[k].instances; };
  double units = 1;  // most, of all fan-outs
  std::vector<double> most(all.size(), 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const u32 k : out.unrollings[i]) most[i] = std::max(most[i], instances(i, k));
    units *= most[i];
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    std::erase_if(out.unrollings[i], [&](u32 k) { return useless(units / most[i] * instances(i, k)); });
  return out;
}

std::optional<std::vector<SearchRange>> split_unrollings(const Compiled& c, std::span<const FanoutChoices> all,
                                                         const SearchRange& range) {
  const SearchRange whole = listed(all, range);
  double widest = 1, middle = 1;
  std::size_t level = 0, tensor = 0;
  const auto spread = [&](std::size_t i, std::size_t v, u32 k) { return least_spread(c.tensor[v], all[i].choices[k]); };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].exists) continue;
    if (whole.unrollings[i].empty()) return std::vector<SearchRange>();
    for (std::size_t v = 0; v < at(c.tensor_count); ++v) {
      double least = std::numeric_limits<double>::infinity(), most = 0;
      for (const u32 k : whole.unrollings[i]) {
        least = std::min(least, spread(i, v, k));
        most = std::max(most, spread(i, v, k));
      }
      if (most / least <= widest) continue;
      widest = most / least, middle = std::sqrt(least * most);
      level = i, tensor = v;
    }
  }
  if (widest == 1) return std::nullopt;
  std::vector<SearchRange> out{whole, whole};
  std::erase_if(out[0].unrollings[level], [&](u32 k) { return spread(level, tensor, k) >= middle; });
  std::erase_if(out[1].unrollings[level], [&](u32 k) { return spread(level, tensor, k) < middle; });
  return out;
}

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
  if (searched.division >= 0) divisions_[searched.division].evaluations += evaluations;
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
