#include "engine/search/baseline/directed_walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/baseline/strategies.h"
#include "engine/search/core/pricing.h"
#include "engine/space/footprint.h"

namespace heliolite {

OrderChoices::OrderChoices(const LayerProblem& problem) {
  const ReuseTable reuse = infer_reuse(problem.workload, UnitDimensions::Skip);
  for (const LevelSpace& level : problem.space.levels) {
    OrderOptions options;
    options.loops = problem.space.non_unit;
    const auto innermost = level.temporal.order.dimensions();
    options.innermost.assign(innermost.begin(), innermost.end());
    kept_.push_back(build_order_trie(reuse, options).kept);
    if (kept_.back().empty()) kept_.back().emplace_back();
  }
}

OrderChoices::Orders OrderChoices::of(const PlaceFactors& factors, int level) const {
  Orders out;
  const auto& loops = factors[place_of(level, false)];
  for (const LoopOrder& order : kept_[level]) {
    std::vector<u8> present;
    for (const u8 d : order.loops())
      if (loops[d].x > 1) present.push_back(d);
    if (std::ranges::find(out, present) == out.end()) out.push_back(std::move(present));
    if (level == 0) break;
  }
  return out;
}

void set_order(LevelOrders& orders, int level, const std::vector<u8>& loops) {
  std::ranges::copy(loops, orders.loop[level].begin());
  orders.count[level] = static_cast<u8>(loops.size());
}

namespace {

constexpr u64 kLooksAround = 1024;  // steps from one look at the clock to the next

bool enough(u64 used, u64 all, double share) {
  constexpr double kRounding = 1e-9;
  return static_cast<double>(used) >= share * static_cast<double>(all) * (1 - kRounding);
}

}  // namespace

DirectedWalk::DirectedWalk(const LayerProblem& problem, std::function<bool()> over)
    : problem_(problem), is_over_(std::move(over)), splits_(problem.space, false), keep_(problem.keep_range().may) {
  const Compiled& c = problem.model.compiled();
  TensorMask held = 0;  // by the memory that is being put together
  for (int i = 0; i < c.level_count; ++i) {
    const SpatialSpace& fanout = problem.space.levels[i].spatial;
    if (fanout.exists()) {
      fanouts_.push_back(i);
      units_ *= fanout.fanout();
    }
    const u64 room = c.level[i].room;
    if (room == CompiledLevel::kUnbounded || keep_[i] == 0) continue;
    const bool beside = !memory_.empty() && memory_.back().last == i - 1 && !fanout.exists() && (held & keep_[i]) == 0;
    if (!beside) {
      memory_.push_back({i, i, 0});
      held = 0;
    }
    memory_.back().last = i;
    memory_.back().words += c.level[i].capacity_words();
    held |= keep_[i];
  }
}

bool DirectedWalk::run(const LeastUse& least, const DirectedRules& rules, const Visit& visit) {
  least_ = least;
  rules_ = &rules;
  visit_ = &visit;
  for (auto& place : factors_) place.fill({});
  for (std::size_t d = 0; d < left_.size(); ++d) left_[d] = static_cast<u32>(problem_.space.size[d]);
  for (const int i : fanouts_)
    room_[i] = {problem_.space.levels[i].spatial.fanout_x, problem_.space.levels[i].spatial.fanout_y};
  tile_ = unit_extents();
  return unroll(0, 0);
}

bool DirectedWalk::over() { return ++steps_ % kLooksAround == 0 && is_over_(); }

bool DirectedWalk::unroll(std::size_t fanout, int d) {
  if (over()) return false;
  if (fanout == fanouts_.size()) return unrolled();
  if (d == problem_.space.dimension_count) return unroll(fanout + 1, 0);
  const int level = fanouts_[fanout], place = place_of(level, true);
  // No structured binding: clang 14 captures none in a lambda.
  u64& x = room_[level][0];
  u64& y = room_[level][1];
  const u32 left = left_[d];
  PlaceFactor& factor = factors_[place][d];
  const bool keep_going = splits_.for_each_choice(d, place, left, [&](const FactorRun& run) {
    if (run.first > x || run.y > y) return true;
    const auto saved = std::pair(x, y);
    x /= run.first;
    y /= run.y;
    factor = {run.first, run.y};
    left_[d] = run.left;
    const bool more = unroll(fanout, d + 1);
    std::tie(x, y) = saved;
    return more;
  });
  factor = {};
  left_[d] = left;
  return keep_going;
}

bool DirectedWalk::unrolled() {
  u64 used = 1;
  for (const int i : fanouts_)
    for (const PlaceFactor& f : factors_[place_of(i, true)]) used *= u64{f.x} * f.y;
  if (!enough(used, units_, least_.units)) return true;
  if (rules_->unrolling && !rules_->unrolling(factors_)) return true;
  return loops(0, -1);
}

// d = -1: the fan-out below the level comes first.
bool DirectedWalk::loops(int level, int d) {
  if (over()) return false;
  const Mapspace& space = problem_.space;
  if (d == -1) {
    const Extents inside = tile_;
    for (std::size_t k = 0; k < space.dimension_count; ++k) {
      const PlaceFactor& f = factors_[place_of(level, true)][k];
      tile_[k] *= f.x * f.y;
    }
    const bool keep_going = used(level) > problem_.model.compiled().level[level].room || loops(level, 0);
    tile_ = inside;
    return keep_going;
  }
  if (d == space.dimension_count) return level_done(level);
  const int place = place_of(level, false);
  const bool outermost = level + 1 == space.level_count();
  const u32 left = left_[d], extent = tile_[d];
  bool more = true;
  splits_.for_each_choice(d, place, left, [&](const FactorRun& run) {
    if (outermost && run.left != 1) return true;
    tile_[d] = extent * run.first;
    if (used(level) > problem_.model.compiled().level[level].room) return false;  // larger ones neither
    factors_[place][d].x = run.first;
    left_[d] = run.left;
    return more = loops(level, d + 1);
  });
  tile_[d] = extent;
  factors_[place][d] = {};
  left_[d] = left;
  return more;
}

bool DirectedWalk::level_done(int level) {
  used_[level] = ceil_div(used(level), u64{problem_.model.compiled().level[level].parts.of_word});
  for (std::size_t m = 0; m < memory_.size(); ++m) {
    if (memory_[m].last != level) continue;
    u64 used = 0;
    for (int i = memory_[m].first; i <= level; ++i) used += used_[i];
    if (!enough(used, memory_[m].words, m == 0 ? least_.inner : least_.outer)) return true;
  }
  if (level + 1 < problem_.space.level_count()) return loops(level + 1, -1);
  if (rules_->tiling && !rules_->tiling(factors_)) return true;
  return (*visit_)(factors_);
}

u64 DirectedWalk::used(int level) const {
  const Compiled& c = problem_.model.compiled();
  const CompiledLevel& machine = c.level[level];
  if (machine.room == CompiledLevel::kUnbounded) return 0;
  u64 parts = 0;
  for (const int v : bits(keep_[level])) parts += machine.taken(v, box_words(c.tensor[v], tile_));
  return parts;
}

// Searches in the manner of dMazeRunner and of Interstellar, which look at tilings that use enough of the machine.

namespace {

// Least use that dMazeRunner's automatic optimizer asks for, in percent.
constexpr int kUnits = 80, kInnermostUse = 80, kOuter = 50, kStep = 10, kOuterFollowsFrom = 60, kRulesEndAt = 30;
constexpr u64 kFewestTilings = 100;

int percent_or(const std::optional<double>& share, int usual) {
  return share ? static_cast<int>(std::lround(*share * 100)) : usual;
}

// What both walk with.
class DirectedSearch {
 public:
  DirectedSearch(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem), writer_(problem.space), orders_(problem), pricing_(problem, budget), walk_(problem, [this] {
          return pricing_.over();
        }) {
    mapping_.keep = walk_.keep();
  }

 protected:
  const LayerProblem& problem_;
  NestWriter writer_;
  OrderChoices orders_;
  Pricing pricing_;
  DirectedWalk walk_;
  LevelOrders nest_;
  Mapping mapping_;
};

class DMazeRunner : DirectedSearch {
 public:
  DMazeRunner(const LayerProblem& problem, const SearchBudget& budget) : DirectedSearch(problem, budget) {
    const Compiled& c = problem.model.compiled();
    for (int v = 0; v < c.tensor_count; ++v) {
      const CompiledTensor& tensor = c.tensor[v];
      if (tensor.is_output) output_ |= tensor.indexing;
      for (int r = 0; r < tensor.rank_count; ++r) sliding_ |= tensor.sharing[r];
    }
  }

  LayerAnswer run() {
    const LeastUseOptions& asked = problem_.options.directed;
    int units = percent_or(asked.units, kUnits), inner = percent_or(asked.inner, kInnermostUse),
        outer = percent_or(asked.outer, kOuter);
    DirectedRules rules{[this](const PlaceFactors& f) { return reduces_nowhere(f); },
                        [this](const PlaceFactors& f) { return windows_inside(f); }};
    u64 fewest = kFewestTilings;
    while (!pricing_.over()) {
      tilings_ = 0;
      const LeastUse least{units / 100.0, inner / 100.0, outer / 100.0};
      if (!walk_.run(least, rules, [this](const PlaceFactors& f) { return tiling(f); })) break;
      if (tilings_ >= fewest) break;
      if (units > 0 && inner > 0) units -= kStep, inner -= kStep;
      if (units <= kOuterFollowsFrom || inner <= kOuterFollowsFrom) outer -= kStep;
      if (units <= kRulesEndAt || inner <= kRulesEndAt) rules = {}, fewest = 1;
      if (units < 0 || inner < 0 || outer < 0) break;
    }
    return pricing_.answer();
  }

 private:
  bool reduces_nowhere(const PlaceFactors& factors) const {
    for (int i = 0; i < problem_.space.level_count(); ++i)
      for (const int d : bits(problem_.space.non_unit)) {
        const PlaceFactor& f = factors[place_of(i, true)][d];
        if (f.x * f.y > 1 && !contains(output_, d)) return false;
      }
    return true;
  }

  bool windows_inside(const PlaceFactors& factors) const {
    const auto& outermost = factors[place_of(problem_.space.level_count() - 1, false)];
    for (const int d : bits(static_cast<DimensionMask>(sliding_ & ~output_)))
      if (outermost[d].x > 1) return false;
    return true;
  }

  bool tiling(const PlaceFactors& factors) {
    ++tilings_;
    choices_.clear();
    for (int i = 0; i < problem_.space.level_count(); ++i) choices_.push_back(orders_.of(factors, i));
    return all_orders(factors, problem_.space.level_count() - 1);
  }

  // Tries all loop orders of this level and those inside it. False: the search is over.
  bool all_orders(const PlaceFactors& factors, int level) {
    if (level < 0) {
      if (pricing_.over()) return false;
      writer_.write(mapping_, factors, nest_);
      pricing_.price(mapping_);
      return true;
    }
    return std::ranges::all_of(choices_[level], [&](const std::vector<u8>& order) {
      set_order(nest_, level, order);
      return all_orders(factors, level - 1);
    });
  }

  DimensionMask output_ = 0, sliding_ = 0;     // dimensions that index the output; that share a rank
  std::vector<OrderChoices::Orders> choices_;  // [level]: of the tiling that is looked at
  u64 tilings_ = 0;                            // tilings of this round
};

}  // namespace

LayerAnswer dmazerunner_search(const LayerProblem& problem, const SearchBudget& budget) {
  return DMazeRunner(problem, budget).run();
}

namespace {

constexpr int kAlongAxis = 2;  // dimensions

class Interstellar : DirectedSearch {
 public:
  using DirectedSearch::DirectedSearch;

  LayerAnswer run() {
    const DirectedRules rules{[this](const PlaceFactors& f) { return few_dimensions(f); }, {}};
    const std::optional<double>& asked = problem_.options.directed.units;
    const std::vector<double> shares = asked ? std::vector{*asked} : std::vector{1.0, 0.8, 0.0};
    for (const double share : shares) {
      if (pricing_.over() || pricing_.answer().found) break;
      walk_.run({share, 0, 0}, rules, [this](const PlaceFactors& f) { return tiling(f); });
    }
    return pricing_.answer();
  }

 private:
  bool few_dimensions(const PlaceFactors& factors) const {
    for (int i = 0; i < problem_.space.level_count(); ++i) {
      int x = 0, y = 0;
      for (const PlaceFactor& f : factors[place_of(i, true)]) {
        x += f.x > 1 ? 1 : 0;
        y += f.y > 1 ? 1 : 0;
      }
      if (x > kAlongAxis || y > kAlongAxis) return false;
    }
    return true;
  }

  // Step 3. False: the search is over.
  bool tiling(const PlaceFactors& factors) {
    const int levels = problem_.space.level_count();
    std::vector<OrderChoices::Orders> choices;
    for (int i = 0; i < levels; ++i) {
      choices.push_back(orders_.of(factors, i));
      set_order(nest_, i, choices.back().front());
    }
    Value best = Value::worst();
    for (int i = 0; i < levels; ++i) {
      const std::vector<u8>* chosen = &choices[i].front();
      for (const std::vector<u8>& order : choices[i]) {
        if (&order == &choices[i].front() && i > 0) continue;  // priced with the level inside
        if (pricing_.over()) return false;
        set_order(nest_, i, order);
        writer_.write(mapping_, factors, nest_);
        const Priced priced = pricing_.price(mapping_);
        if (!priced.fits) return true;
        if (priced.value < best) {
          best = priced.value;
          chosen = &order;
        }
      }
      set_order(nest_, i, *chosen);
    }
    return true;
  }
};

}  // namespace

LayerAnswer interstellar_search(const LayerProblem& problem, const SearchBudget& budget) {
  return Interstellar(problem, budget).run();
}

}  // namespace heliolite
