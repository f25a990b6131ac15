#include "engine/search/network/least_product.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

// Sums of doubles are not exact: what is this close below the best answer counts as equal to it.
constexpr double kEqualValue = 1 - 1e-12;
// Chains this close to each other, as a part of the network's energy + lambda x cycles, meet.
constexpr double kChainsMeet = 1e-14;
// A layer's searches that are not completed: at most kMostIncomplete, and none after one that brings its chains no
// closer than by kMuchCloser.
constexpr int kMostIncomplete = 4;
constexpr double kMuchCloser = 0.9;

class Optimum {
 public:
  Optimum(std::vector<NetworkLayer>& layers, const SearchForSum& search, const ProductQuestion& question)
      : question_(question),
        power_(info(question.objective).cycles_power),
        layers_(layers),
        search_(search),
        gate_(question.rules, out_.rules) {
    for (const NetworkLayer& layer : layers) runs_.push_back(layer.hull.runs());
  }

  LeastProduct run() {
    // Step 1. The sum of the layers' own optima is an answer, and its tangent close to that of the best.
    update();
    if (!out_.optimal) search_at(best_, false);
    // Step 2. The least corner of the bounds, until none is below the best answer.
    while (true) {
      update();
      if (out_.optimal || stopped() || !search_at(least_, true)) break;
    }
    out_.lambda = tangent(best_) / Energy::kUnitsPerPicojoule;
    return std::move(out_);
  }

 private:
  struct Sum {
    double energy = 0, cycles = 0;  // units of 2^-32 pJ
  };
  struct Due {
    std::size_t layer;
    double lambda;
    Wide open;
  };

  bool stopped() const { return question_.stop && question_.stop(); }

  double value(const Sum& s) const {
    return objective_number(question_.objective, s.energy / Energy::kUnitsPerPicojoule, s.cycles);
  }

  // Lambda of the tangent, at a point, of all points that have its value.
  double tangent(const Sum& s) const {
    return std::clamp(power_ * s.energy / s.cycles, Objective::kLeastLambda, Objective::kMostLambda);
  }
  // The least energy + lambda x cycles, in units, of all points whose value is `value`.
  double least_sum(double value, double lambda) const {
    const double in_units = value * Energy::kUnitsPerPicojoule;
    const double cycles = std::pow(power_ * in_units / lambda, 1.0 / (power_ + 1));
    return lambda * cycles * (1 + 1.0 / power_);
  }

  // The best answer and the least bound by what is known now.
  void update() {
    std::vector<CostChain> upper;
    lower_.clear();
    for (const NetworkLayer& layer : layers_) {
      upper.push_back(layer.hull.upper());
      lower_.push_back(layer.hull.lower());
    }
    const auto sum_of = [](const CostPoint& p) {
      return Sum{static_cast<double>(p.energy), static_cast<double>(p.cycles)};
    };
    double best = std::numeric_limits<double>::infinity(), least = best;
    for_each_corner_of_sum(upper, runs_, [&](const CostPoint& p, const std::vector<std::size_t>& corner) {
      const Sum sum = sum_of(p);
      if (value(sum) >= best) return;
      best = value(sum), best_ = sum;
      out_.chosen.clear();
      for (std::size_t l = 0; l < corner.size(); ++l) out_.chosen.push_back(upper[l].mapping[corner[l]]);
    });
    for_each_corner_of_sum(lower_, runs_, [&](const CostPoint& p, const std::vector<std::size_t>& corner) {
      const Sum sum = sum_of(p);
      if (value(sum) >= least) return;
      least = value(sum), least_ = sum, least_corner_ = corner;
    });
    out_.value = best;
    out_.optimal = least >= best * kEqualValue;
    out_.lower_bound = out_.optimal ? best : least;
    if (question_.report) question_.report(out_.value, out_.lower_bound);
  }

  // Searches layers whose chains are apart at the tangent of a sum. False: there are none. `at_corner`: the sum is the
  // least corner of the bounds.
  bool search_at(const Sum& sum, bool at_corner) {
    const double lambda = tangent(sum);
    // Step 1. What is known of a layer's own objective.
    for (NetworkLayer& layer : layers_)
      if (gate_.prunes(Rule::OwnValue, [&] { return layer.least_value > 0; }))
        layer.hull.add_line(lambda, Wide(least_sum(layer.least_value, lambda) * kEqualValue));
    // Step 2. The layers that can lift the bound, those that can lift it furthest for their work first.
    const Wide here = sum.energy + Wide(lambda) * sum.cycles;
    std::vector<Due> due;
    bool apart = false;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (layers_[l].exhausted) continue;
      const Wide open = runs_[l] * layers_[l].hull.open_at(lambda);
      const bool meet = open <= here * kChainsMeet;
      apart |= !meet;
      if (gate_.prunes(Rule::ChainsMeet, [&] { return meet; })) continue;
      due.push_back({l, at_corner ? lambda_between(l, lambda) : lambda, open});
    }
    const auto by_work = [this](const Due& d) { return static_cast<double>(d.open) / layers_[d.layer].work; };
    std::ranges::stable_sort(due, std::greater(), by_work);
    // Step 3. Of these as many as are needed: to lift it to the best answer's tangent is enough.
    if (gate_.on(Rule::LiftEnough)) keep_needed(due, Wide(least_sum(out_.value, lambda)) - here);
    // Step 4. All of them, in any order: each has its own place.
    std::vector<SumAnswer> found(due.size());
    parallel_for(due.size(), question_.threads, [&](std::size_t k) {
      const NetworkLayer& layer = layers_[due[k].layer];
      found[k] = search_(due[k].layer, due[k].lambda, layer.known[layer.hull.best_at(due[k].lambda)]);
    });
    for (std::size_t k = 0; k < due.size(); ++k) take(due[k], found[k]);
    out_.searches += due.size();
    return apart;
  }

  // The first that together can lift the bound by `wanted`, at least one, without those that the others can do without.
  void keep_needed(std::vector<Due>& due, const Wide& wanted) {
    const std::size_t all = due.size();
    Wide lifted = 0;
    std::size_t needed = 0;
    while (needed < due.size() && (needed == 0 || lifted < wanted)) lifted += due[needed++].open;
    due.resize(needed);
    for (std::size_t k = 0; k < due.size();) {
      if (due.size() > 1 && lifted - due[k].open >= wanted) {
        lifted -= due[k].open;
        due.erase(due.begin() + k);
      } else {
        ++k;
      }
    }
    gate_.pruned(Rule::LiftEnough, all - due.size());
  }

  // Where the chain of bounds has a corner between two lines that each touch a known mapping, the lambda of the line
  // through both mappings: nothing is below it, or a mapping is found that the hull has between them.
  double lambda_between(std::size_t l, double lambda) const {
    const std::size_t corner = least_corner_[l];
    const LayerHull& hull = layers_[l].hull;
    const CostChain& lower = lower_[l];
    if (corner == 0 || corner >= lower.slope.size()) return lambda;
    const Cost& a = hull.mappings()[hull.best_at(lower.slope[corner - 1])];
    const Cost& b = hull.mappings()[hull.best_at(lower.slope[corner])];
    if (a.cycles >= b.cycles || a.energy <= b.energy) return lambda;
    const double slope =
        static_cast<double>(a.energy.units - b.energy.units) / static_cast<double>(b.cycles - a.cycles);
    return slope < lower.slope[corner - 1] && slope > lower.slope[corner] ? slope : lambda;
  }

  void take(const Due& due, const SumAnswer& answer) {
    NetworkLayer& layer = layers_[due.layer];
    const double lambda = answer.lambda.value_or(due.lambda);
    const Wide apart = layer.hull.open_at(lambda);
    bool better = false;
    if (answer.found) {
      const std::size_t number = layer.hull.add_mapping(answer.found->cost);
      better = number == layer.known.size();
      if (better) layer.known.push_back(*answer.found);
    }
    const Wide value = layer.hull.value_at(layer.hull.best_at(lambda), lambda);
    if (answer.complete) return layer.hull.add_line(lambda, value);
    if (answer.lower_bound_pj > 0)
      layer.hull.add_line(lambda, std::min<Wide>(value, Wide(answer.lower_bound_pj * Energy::kUnitsPerPicojoule)));
    if (layer.goes_on) return;
    const bool closer = better || layer.hull.open_at(lambda) < apart * kMuchCloser;
    if (++layer.incomplete == kMostIncomplete || !closer) layer.exhausted = true;
  }

  const ProductQuestion& question_;
  double power_;
  std::vector<NetworkLayer>& layers_;
  const SearchForSum& search_;
  std::vector<double> runs_;  // [layer]
  Sum best_, least_;
  std::vector<CostChain> lower_;           // [layer]
  std::vector<std::size_t> least_corner_;  // [layer]: of its chain in `lower_`
  LeastProduct out_;
  Gate gate_;
};

}  // namespace

Cost least_of_units(std::span<const Cost> units) {
  Cost out = units.front();
  for (const Cost& unit : units.subspan(1))
    out = {std::min(out.energy, unit.energy), std::min(out.cycles, unit.cycles)};
  return out;
}

SumAnswer least_of_units(std::span<const SumAnswer> units, double lambda) {
  const Objective sum = Objective::weighted_sum(lambda);
  SumAnswer out = units.front();
  for (const SumAnswer& unit : units.subspan(1)) {
    out.complete &= unit.complete;
    out.lower_bound_pj = std::min(out.lower_bound_pj, unit.lower_bound_pj);
    if (unit.found && (!out.found || objective_number(sum, unit.found->cost) < objective_number(sum, out.found->cost)))
      out.found = unit.found;
  }
  return out;
}

LeastProduct find_least_product(std::vector<NetworkLayer>& layers, const SearchForSum& search,
                                const ProductQuestion& question) {
  return Optimum(layers, search, question).run();
}

}  // namespace heliolite
