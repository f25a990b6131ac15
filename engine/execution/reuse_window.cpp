#include "engine/execution/reuse_window.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/execution/loop_nest.h"
#include "engine/execution/tiled_nest.h"

namespace heliolite {
namespace {

constexpr u64 kMostSampleTouches = 50'000'000;
constexpr u64 kShortTouches = 1'000'000;

// Distinct words since the last touch of a word: a tree of counts over the touches that were the last of their words.
class StackDistances {
 public:
  explicit StackDistances(const LoopNest& nest)
      : nest_(nest), last_(nest.words, 0), loads_(nest.words + 1, 0), marks_(capacity_ + 1, 0) {}

  void visit(const TouchedWords& words) {
    for (std::size_t a = 0; a < nest_.accesses.size(); ++a) touch(words[a]);
  }

  // [words]: touches of words that so large a cache no longer has.
  std::vector<u64> loads() {
    for (std::size_t s = loads_.size() - 1; s > 0; --s) loads_[s - 1] += loads_[s];
    return std::move(loads_);
  }

 private:
  void touch(u64 word) {
    if (now_ == capacity_) renumber();
    ++now_;
    u64& last = last_[word];
    // In a cache of s words it is missing if s or more other words were touched since.
    if (last == 0) {
      ++loads_.back();
    } else {
      ++loads_[live_ - before(last)];
      add(last, -1);
    }
    live_ += last == 0 ? 1 : 0;
    last = now_;
    add(now_, 1);
  }

  void add(u64 i, int n) {
    for (; i <= capacity_; i += i & (~i + 1)) marks_[i] += n;
  }
  // Words whose last touch is not after i.
  u64 before(u64 i) const {
    i64 sum = 0;
    for (; i > 0; i &= i - 1) sum += marks_[i];
    return static_cast<u64>(sum);
  }

  // Numbers the last touches afresh, in their order: there are never more of them than words.
  void renumber() {
    std::vector<std::pair<u64, u64>> order;
    for (u64 w = 0; w < last_.size(); ++w)
      if (last_[w] != 0) order.emplace_back(last_[w], w);
    std::sort(order.begin(), order.end());
    std::ranges::fill(marks_, 0);
    now_ = 0;
    for (const auto& [time, word] : order) {
      last_[word] = ++now_;
      add(now_, 1);
    }
  }

  const LoopNest& nest_;
  std::vector<u64> last_;   // [word]: number of its last touch; 0: none
  std::vector<u64> loads_;  // [distance]
  u64 now_ = 0, live_ = 0;
  u64 capacity_ = std::max<u64>(1024, 4 * nest_.words);
  std::vector<i64> marks_;
};

// The workload with at most three tiles along each dimension, if all of it would take long.
Workload clipped(Workload workload, const TiledLevel& tile) {
  if (workload.macs() <= kShortTouches / workload.tensors.size()) return workload;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
    u64& size = workload.dimensions[d].size;
    size = std::min(size, 3 * u64{tile.tile[d]});
  }
  return workload;
}

}  // namespace

std::vector<u64> lru_loads(const LoopNest& nest) {
  StackDistances distances(nest);
  walk(nest, distances);
  return distances.loads();
}

std::optional<u64> reuse_window(const Workload& workload, const TiledLevel& tile) {
  const Workload sample = clipped(workload, tile);
  if (sample.macs() > kMostSampleTouches / sample.tensors.size()) return std::nullopt;
  const TilingProblem problem = tiling_problem(sample, {false, true});
  CacheTiling model{tile};
  price(problem, model);
  const std::vector<u64> loads = lru_loads(tiled_nest(sample, problem, model));
  const auto enough =
      std::ranges::find_if(loads, [&](u64 words) { return static_cast<double>(words) <= model.front().words; });
  return enough == loads.end() ? std::nullopt : std::optional(static_cast<u64>(enough - loads.begin()));
}

std::optional<TiledLevel> best_lru_tile(const Workload& workload, u64 capacity, TrafficRule rule) {
  const TilingProblem problem = tiling_problem(workload, rule);
  std::optional<TiledLevel> best;
  // Tiles for `fits` words have a window that fits; those for `too_many` have not.
  u64 fits = 0, too_many = capacity + 1, words = capacity;
  for (int step = 0; step < 24 && fits + 1 < too_many; ++step) {
    const std::optional<TiledLevel> tile = best_tile(problem, static_cast<double>(words));
    if (!tile) {
      // Nothing as small as this: smaller ones are not worth a look.
      fits = words;
    } else if (const auto window = reuse_window(workload, *tile); window && *window <= capacity) {
      if (!best || tile->words < best->words) best = tile;
      fits = words;
    } else {
      too_many = words;
      // Before anything fits: as much smaller as the window was too large.
      if (fits == 0 && window) {
        words = std::min(words - 1, std::max<u64>(1, words * capacity / *window));
        continue;
      }
    }
    words = fits + (too_many - fits) / 2;
  }
  return best;
}

}  // namespace heliolite
