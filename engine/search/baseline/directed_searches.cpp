// Searches in the manner of dMazeRunner and of Interstellar, which look at tilings that use enough of the machine.
#include "engine/search/baseline/strategies.h"

#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/search/baseline/directed_walk.h"
#include "engine/search/core/pricing.h"

namespace heliolite {
namespace {

// Least use that dMazeRunner's automatic optimizer asks for, in percent.
constexpr int kUnits = 80, kInnermostUse = 80, kOuter = 50, kStep = 10, kOuterFollowsFrom = 60, kRulesEndAt = 30;
constexpr u64 kFewestTilings = 100;

int percent_or(const std::optional<double>& share, int usual) {
  return share ? static_cast<int>(std::lround(*share * 100)) : usual;
}

class DMazeRunner {
 public:
  DMazeRunner(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem), writer_(problem.space), orders_(problem), pricing_(problem, budget), walk_(problem, [this] {
          return pricing_.over();
        }) {
    mapping_.keep = walk_.keep();
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

  const LayerProblem& problem_;
  NestWriter writer_;
  OrderChoices orders_;
  Pricing pricing_;
  DirectedWalk walk_;
  DimensionMask output_ = 0, sliding_ = 0;     // dimensions that index the output; that share a rank
  std::vector<OrderChoices::Orders> choices_;  // [level]: of the tiling that is looked at
  LevelOrders nest_;
  Mapping mapping_;
  u64 tilings_ = 0;  // tilings of this round
};

}  // namespace

LayerAnswer dmazerunner_search(const LayerProblem& problem, const SearchBudget& budget) {
  return DMazeRunner(problem, budget).run();
}

namespace {

constexpr int kAlongAxis = 2;  // dimensions

class Interstellar {
 public:
  Interstellar(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem), writer_(problem.space), orders_(problem), pricing_(problem, budget), walk_(problem, [this] {
          return pricing_.over();
        }) {
    mapping_.keep = walk_.keep();
  }

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

  const LayerProblem& problem_;
  NestWriter writer_;
  OrderChoices orders_;
  Pricing pricing_;
  DirectedWalk walk_;
  LevelOrders nest_;
  Mapping mapping_;
};

}  // namespace

LayerAnswer interstellar_search(const LayerProblem& problem, const SearchBudget& budget) {
  return Interstellar(problem, budget).run();
}

}  // namespace heliolite
