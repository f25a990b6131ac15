// What networks cost at least on a machine, up to a limit: their own objective, or the least one within limits; of
// several their mean.
#include <algorithm>
#include <mutex>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/search/core/parallel.h"
#include "engine/sweep/point_answer.h"
#include "engine/sweep/value_search.h"

namespace heliolite {
namespace {

// Chains this close to each other, as a part of a network's energy + lambda x cycles, meet.
constexpr double kChainsMeet = 1e-14;
// Energies are below this, in pJ, for one run of a layer (engine/search/core/objective.h).
constexpr double kMostPj = Objective::kMostLambda / Energy::kUnitsPerPicojoule;

}  // namespace

ValueSearch::OnNetwork ValueSearch::network_of(const MachineValues::Group& group) const {
  OnNetwork out{&group, {}, kNever, 0, {}};
  for (std::size_t k = 0; k < group.shapes.size(); ++k) {
    const OnMachine& layer = layers_[group.shapes[k]];
    NetworkLayer one{LayerHull(proven_least(layer), group.runs[k]), {}};
    for (const KnownMapping& known : layer.known)
      if (one.hull.add_mapping(known.cost) == one.known.size()) one.known.push_back(known);
    for (const auto& [lambda, value] : layer.lines) one.hull.add_line(lambda, value);
    out.layers.push_back(std::move(one));
  }
  return out;
}

// The ends of the trade-off: the least cycles decide at the steepest line, for energies are below its lambda, and the
// least energy at the flattest, where no cycles make a unit.
Cost ValueSearch::proven_least(const OnMachine& layer) {
  Cost out = layer.least;
  for (const auto& [lambda, value] : layer.lines) {
    if (lambda == Objective::kMostLambda)
      out.cycles = std::max(out.cycles, static_cast<u64>(Wide(value / Wide(lambda))));
    if (lambda == Objective::kLeastLambda && value > 1)
      out.energy.units = std::max(out.energy.units, static_cast<u128>(static_cast<double>(value) * kSameValue) - 1);
  }
  return out;
}

// The mappings that its search has found.
void ValueSearch::keep_known(const OnNetwork& network) {
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    std::vector<KnownMapping>& known = layers_[network.group->shapes[k]].known;
    for (const KnownMapping& found : network.layers[k].known)
      if (std::ranges::find(known, found.cost, &KnownMapping::cost) == known.end()) known.push_back(found);
  }
}

std::vector<ValueSearch::OnNetwork> ValueSearch::networks() const {
  return mapped(values_.groups_, [&](const MachineValues::Group& group) { return network_of(group); });
}

std::vector<CostChain> ValueSearch::chains(const OnNetwork& network, CostChain (LayerHull::*side)() const) {
  return mapped(network.layers, [&](const NetworkLayer& layer) { return (layer.hull.*side)(); });
}

std::vector<LimitedPoint> ValueSearch::corners(const OnNetwork& network, CostChain (LayerHull::*side)() const) const {
  return corners_of_sum(chains(network, side), network.group->runs, objective());
}

void ValueSearch::totals() {
  if (unknown_) return;
  std::vector<OnNetwork> all = networks();
  for (OnNetwork& network : all) look(network);
  note(all);
  if (out_.excluded) {
    out_.by_least_costs = nothing_inherited();
    return;
  }
  if (goal_ == ValueGoal::Estimate || enough()) return;
  std::mutex mutex;
  for (OnNetwork& network : all) {
    if (&network != &all.front()) network.layers = network_of(*network.group).layers;
    const auto search = [&](std::size_t k, double lambda, const KnownMapping& known) {
      const std::size_t l = network.group->shapes[k];
      const MappingResult found = search_of(l).search_for_sum(lambda, known.mapping, budget());
      SumAnswer answer{KnownMapping{found.mapping, found.cost}, found.status == Status::Optimal, found.lower_bound};
      const std::lock_guard lock(mutex);
      note_line(l, lambda, known, answer);
      return answer;
    };
    const auto tell = [&](double value, double bound) {
      network.value = value, network.bound = std::max(network.bound, bound);
      note(all);
    };
    const ProductQuestion question{objective(), values_.options_.rules, threads_, [&] { return stopped() || enough(); },
                                   tell};
    const LeastProduct best = find_least_product(network.layers, search, question);
    out_.searches += best.searches;
    tell(best.value, best.lower_bound);
    keep_known(network);
    if (enough()) break;
  }
  out_.exact = std::ranges::all_of(all, [](const OnNetwork& n) { return n.value * kSameValue <= n.bound; });
}

bool ValueSearch::nothing_inherited() const {
  return std::ranges::all_of(layers_, [](const OnMachine& l) { return l.lines.empty(); });
}

void ValueSearch::note(const std::vector<OnNetwork>& all) {
  const auto of = [&](const MachineValues::Group& group) -> const OnNetwork& {
    return all[at(&group - values_.groups_.data())];
  };
  out_.value = mean([&](const MachineValues::Group& group) { return of(group).value; });
  out_.lower_bound =
      std::max(out_.lower_bound, mean([&](const MachineValues::Group& group) { return of(group).bound; }));
  out_.excluded = beaten(out_.lower_bound);
}

// By what is known now.
void ValueSearch::look(OnNetwork& network) const {
  const auto least = [&](CostChain (LayerHull::*side)() const) {
    return std::ranges::min(corners(network, side), {}, &LimitedPoint::value).value;
  };
  network.value = least(&LayerHull::upper);
  network.bound = std::max(network.bound, std::min(least(&LayerHull::lower), network.value));
}

// The least value within limits: where the lines have it, the known mappings around are searched until the two meet
// there (docs/rules/network.md, "Within limits"). The value is that of mappings, or of what lies between them.
void ValueSearch::within_limits() {
  out_.value = kNever;
  if (unknown_ || !values_.options_.rules[Rule::MemoryBound]) return;
  std::vector<OnNetwork> all = networks();
  for (OnNetwork& network : all)
    if (!look_within(network)) return;
  note(all);
  if (out_.excluded) {
    out_.by_least_costs = nothing_inherited();
    return;
  }
  if (goal_ == ValueGoal::Estimate) return;
  for (OnNetwork& network : all) {
    while (!stopped() && !enough() && search_within(network)) {
      if (!look_within(network)) return;
      note(all);
    }
  }
}

// False: no mappings keep to the limits.
bool ValueSearch::look_within(OnNetwork& network) {
  CostLimits limits = limits_in_cycles(values_.spec_, machine_.cycle_ns);
  limits.energy_pj = std::min(limits.energy_pj, sum_of<double>(network.group->runs) * kMostPj);
  const std::optional<LimitedPoint> known = least_within(corners(network, &LayerHull::upper), objective(), limits);
  const std::optional<LimitedPoint> least = least_within(corners(network, &LayerHull::lower), objective(), limits);
  if (!least) {
    out_.infeasible = true;
    return false;
  }
  network.value = known ? known->value : kNever;
  network.bound = std::max(network.bound, std::min(least->value, network.value));
  network.at = *least;
  return true;
}

// Searches the layers whose chains are apart at the slope that the known mappings have where the bound is. False:
// there are none.
bool ValueSearch::search_within(OnNetwork& network) {
  const double lambda = slope_at(network);
  const Wide here = network.at.energy_pj * Energy::kUnitsPerPicojoule + Wide(lambda) * network.at.cycles;
  std::vector<std::size_t> due;
  for (std::size_t k = 0; k < network.layers.size(); ++k)
    if (!network.layers[k].exhausted &&
        network.group->runs[k] * network.layers[k].hull.open_at(lambda) > here * kChainsMeet)
      due.push_back(k);
  std::vector<SumAnswer> found(due.size());
  parallel_for(due.size(), threads_, [&](std::size_t d) {
    const NetworkLayer& layer = network.layers[due[d]];
    const std::size_t l = network.group->shapes[due[d]];
    const KnownMapping& known = layer.known[layer.hull.best_at(lambda)];
    const MappingResult best = search_of(l).search_for_sum(lambda, known.mapping, budget());
    found[d] = {KnownMapping{best.mapping, best.cost}, best.status == Status::Optimal, best.lower_bound};
  });
  for (std::size_t d = 0; d < due.size(); ++d) {
    NetworkLayer& layer = network.layers[due[d]];
    note_line(network.group->shapes[due[d]], lambda, layer.known[layer.hull.best_at(lambda)], found[d]);
    layer.known.push_back(*found[d].found);
    layer.exhausted |= !found[d].complete;
  }
  keep_known(network);
  OnNetwork now = network_of(*network.group);
  for (std::size_t k = 0; k < now.layers.size(); ++k) now.layers[k].exhausted = network.layers[k].exhausted;
  network.layers = std::move(now.layers);
  out_.searches += due.size();
  return !due.empty();
}

// The slope of the edge of the known mappings that the bound is under; beyond their ends the steepest and the flattest.
// At a corner of the bound within the limits, what the objective's own tangent has.
double ValueSearch::slope_at(const OnNetwork& network) const {
  const std::vector<LimitedPoint> known = corners(network, &LayerHull::upper);
  const double cycles = network.at.cycles;
  if (cycles < known.front().cycles * kSameValue) return Objective::kMostLambda;
  const double power = info(objective()).cycles_power, energy = info(objective()).energy_power;
  for (std::size_t k = 1; k < known.size(); ++k) {
    const LimitedPoint &a = known[k - 1], &b = known[k];
    if (cycles > b.cycles) continue;
    return std::clamp((a.energy_pj - b.energy_pj) / (b.cycles - a.cycles) * Energy::kUnitsPerPicojoule,
                      Objective::kLeastLambda, Objective::kMostLambda);
  }
  if (energy > 0 && power == 0) return Objective::kLeastLambda;
  return std::clamp(power * network.at.energy_pj / cycles * Energy::kUnitsPerPicojoule, Objective::kLeastLambda,
                    Objective::kMostLambda);
}

// What a search has proven of all mappings of the layer.
void ValueSearch::note_line(std::size_t l, double lambda, const KnownMapping& known, const SumAnswer& answer) {
  const auto value = [&](const Cost& cost) {
    LayerHull one(cost, 1);
    return one.value_at(one.add_mapping(cost), lambda);
  };
  Wide least = std::min<Wide>(value(known.cost), value(answer.found->cost));
  if (!answer.complete) least = std::min<Wide>(least, Wide(answer.lower_bound_pj * Energy::kUnitsPerPicojoule));
  if (answer.complete || answer.lower_bound_pj > 0) layers_[l].lines.emplace_back(lambda, least);
}

}  // namespace heliolite
