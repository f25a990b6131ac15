#include "engine/search/baseline/interstellar.h"

#include "engine/base/integers.h"
#include "engine/search/baseline/directed_walk.h"
#include "engine/search/baseline/level_orders.h"
#include "engine/search/core/pricing.h"

namespace heliolite {
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
    const std::optional<double>& asked = problem_.options.least_use.units;
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
      for (const PlaceFactor& f : factors[at(place_of(i, true))]) {
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
      const std::vector<u8>* chosen = &choices[at(i)].front();
      for (const std::vector<u8>& order : choices[at(i)]) {
        if (&order == &choices[at(i)].front() && i > 0) continue;  // priced with the level inside
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
