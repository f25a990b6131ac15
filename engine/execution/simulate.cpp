#include "engine/execution/simulate.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/execution/tiled_nest.h"

namespace heliolite {

Scratchpad::Scratchpad(const LoopNest& nest, u8 level, bool outputs_read)
    : nest_(nest), level_(level), outputs_read_(outputs_read), traffic_(nest.arrays.size()) {
  for (const NestAccess& access : nest.accesses) {
    HeldBox& box = boxes_.emplace_back();
    box.last_tile.assign(nest.arrays[access.array].words, 0);
    box.ranks = ranks_of(access);
  }
}

std::vector<Scratchpad::HeldRank> Scratchpad::ranks_of(const NestAccess& access) const {
  const std::vector<u64>& extents = nest_.arrays[access.array].extents;
  std::vector<HeldRank> ranks(extents.size());
  u64 stride = 1;
  for (std::size_t r = ranks.size(); r-- > 0;) {
    ranks[r].stride = std::exchange(stride, stride * extents[r]);
    ranks[r].extent = extents[r];
    ranks[r].touched.assign(extents[r], 0);
  }
  return ranks;
}

// [variable]: how many values a tile of the access has, at most.
std::vector<u32> Scratchpad::box_extents(const NestAccess& access) const {
  std::vector<u32> extents;
  for (const LoopRange& range : part_->range) extents.push_back(range.end - range.begin);
  for (const BoxLoop& l : part_->loops)
    if (l.level >= level_ && !contains(l.held, access.tensor)) extents[l.variable] = l.step;
  return extents;
}

void Scratchpad::begin(const LoopNestPart& part) {
  part_ = &part;
  for (std::size_t a = 0; a < boxes_.size(); ++a) {
    HeldBox& box = boxes_[a];
    // Between parts nothing stays: they are tilings of their own.
    ++box.tile;
    box.turned = true;
    box.words.clear();
    box.before.clear();
    // A rank is held as in the model of tilings (LevelTraffic::as_interval()). Quotients and remainders leave no holes.
    if (nest_.guarded) continue;
    const std::vector<u32> extents = box_extents(nest_.accesses[a]);
    const Tensor& tensor = nest_.workload.tensors[nest_.accesses[a].tensor];
    for (std::size_t r = 0; r < box.ranks.size(); ++r) {
      u64 interval = 1, pairs = 1;
      for (const Term& term : tensor.ranks[r].terms) {
        interval += term.coefficient * (extents[term.dimension] - 1);
        pairs *= extents[term.dimension];
      }
      box.ranks[r].as_interval = interval <= pairs;
    }
  }
}

void Scratchpad::advance(std::size_t loop, u32 /*index*/) {
  const BoxLoop& l = part_->loops[loop];
  if (l.level < level_) return;
  for (std::size_t a = 0; a < nest_.accesses.size(); ++a)
    if (!contains(l.held, nest_.accesses[a].tensor)) boxes_[a].turned = true;
}

// Keeps what the tile before held and this one passed over, and begins the next.
void Scratchpad::end_tile(HeldBox& box) {
  const auto in_box = [&](u64 word) {
    return std::ranges::all_of(box.ranks, [&](const HeldRank& rank) {
      const u64 value = rank.value(word);
      return rank.as_interval ? rank.least <= value && value <= rank.largest : rank.touched[value] == box.tile;
    });
  };
  for (const u64 word : box.before) {
    if (box.last_tile[word] == box.tile || !in_box(word)) continue;
    box.last_tile[word] = box.tile;
    box.words.push_back(word);
  }
  std::swap(box.before, box.words);
  box.words.clear();
  ++box.tile;
  box.turned = false;
}

// Notes a word that the present tile touches for the first time.
void Scratchpad::touch(HeldBox& box, u64 word) {
  const bool first = box.words.empty();
  box.last_tile[word] = box.tile;
  box.words.push_back(word);
  for (HeldRank& rank : box.ranks) {
    const u64 value = rank.value(word);
    rank.touched[value] = box.tile;
    rank.least = first ? value : std::min(rank.least, value);
    rank.largest = first ? value : std::max(rank.largest, value);
  }
}

void Scratchpad::visit(const TouchedWords& words) {
  for (std::size_t a = 0; a < nest_.accesses.size(); ++a) {
    const NestAccess& access = nest_.accesses[a];
    HeldBox& box = boxes_[a];
    if (box.turned) end_tile(box);
    const u64 word = words[a] - nest_.arrays[access.array].first;
    const u32 last_tile = box.last_tile[word];
    if (last_tile == box.tile) continue;
    touch(box, word);
    if (last_tile != 0 && last_tile + 1 == box.tile) continue;
    if (!access.is_output || outputs_read_ || last_tile != 0) ++traffic_.loads[access.array];
    if (access.is_output) ++traffic_.stores[access.array];
  }
}

namespace {

double touches_of(const LoopNest& nest) {
  return static_cast<double>(nest.workload.macs()) * static_cast<double>(nest.accesses.size());
}

}  // namespace

Diagnostics check_simulation(const LoopNest& nest, std::span<const SimulatedCache> caches, SimulationLimits limits) {
  Diagnostics errors = check_caches(caches, nest.accesses.size(), touches_of(nest), limits);
  if (nest.words > limits.words)
    errors.push_back(
        {"", 0, nest.workload.name,
         fmt::format("arrays of {} words are too large to be executed; at most {}", nest.words, limits.words)});
  return errors;
}

namespace {

// All that look at the nest while it is executed once.
class Audience {
 public:
  Audience(const LoopNest& nest, std::span<const SimulatedCache> caches, bool outputs_read)
      : nest_(nest), bank_(nest.arrays, caches, outputs_read) {
    for (const SimulatedCache& cache : caches)
      if (cache.policy == CachePolicy::Scratchpad) scratchpads_.emplace_back(nest, cache.level, outputs_read);
  }

  void begin(const LoopNestPart& part) {
    for (Scratchpad& s : scratchpads_) s.begin(part);
  }
  void advance(std::size_t loop, u32 index) {
    for (Scratchpad& s : scratchpads_) s.advance(loop, index);
  }
  void visit(const TouchedWords& words) {
    for (std::size_t a = 0; a < nest_.accesses.size(); ++a) {
      const NestAccess& access = nest_.accesses[a];
      bank_.touch(access.array, words[a], access.is_output ? TouchKind::Update : TouchKind::Read,
                  a + 1 == nest_.accesses.size());
    }
    for (Scratchpad& s : scratchpads_) s.visit(words);
  }

  std::vector<CacheTraffic> answers() {
    std::vector<CacheTraffic> answers = bank_.answers();
    auto scratchpad = scratchpads_.begin();
    for (std::size_t c = 0; c < answers.size(); ++c)
      if (bank_.caches()[c].policy == CachePolicy::Scratchpad) answers[c] = (scratchpad++)->traffic();
    return answers;
  }

 private:
  const LoopNest& nest_;
  CacheBank bank_;
  std::vector<Scratchpad> scratchpads_;
};

}  // namespace

std::vector<CacheTraffic> simulate(const LoopNest& nest, std::span<const SimulatedCache> caches, bool outputs_read) {
  Audience audience(nest, caches, outputs_read);
  walk(nest, audience);
  return audience.answers();
}

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
