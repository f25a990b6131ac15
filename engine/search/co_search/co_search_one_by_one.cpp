// The co-search of machines that cannot share a traversal: of a network's own objective, whose energies and cycles are
// summed up before they are multiplied; of machines with several compute units; where ramps count. Each is searched as
// map_network() does, the most promising first, and those are left out whose compulsory energy and cycles already make
// too much (docs/rules/co_search.md).
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/search/co_search/co_searches.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/map.h"

namespace heliolite {
namespace {

// Sums of doubles are compared: a bound that is one is taken to be this much less.
constexpr double kSumRoundedDown = 1 - 1e-12;

class OneByOne {
 public:
  OneByOne(std::span<const WeightedLayer> layers, const MachineFamily& family, const SearchOptions& options)
      : layers_(layers), family_(family), options_(options) {
    for (const WeightedLayer& layer : layers) {
      network_.layers.push_back({layer.workload, 1});
      weights_.push_back(layer.weight);
    }
    out_.machines.resize(family.size());
  }

  Result<CoSearchResult> run(bool every) {
    const Gate gate(options_.rules, out_.statistics.rules);
    for (std::size_t m = 0; m < family_.size(); ++m) out_.machines[m].lower_bound = least_value(m);
    for (const std::size_t m : most_promising_first()) {
      if (options_.stop != nullptr && options_.stop->load()) break;
      const double least = out_.machines[m].lower_bound;
      // The first of equal machines is the answer.
      const auto too_dear = [&] { return found_ && (least > out_.value || (least == out_.value && m > out_.best)); };
      if (!every && gate.prunes(Rule::MemoryBound, too_dear)) continue;
      if (Diagnostics errors = search(m); !errors.empty()) return errors;
    }
    conclude();
    return std::move(out_);
  }

 private:
  // What nothing on the machine is below. 0: its constraints cannot be obeyed, which the search says.
  double least_value(std::size_t machine) const {
    double energy_pj = 0, cycles = 0, sum = 0;
    for (const WeightedLayer& layer : layers_) {
      const Result<Cost> least = least_cost(layer.workload, family_.machine(machine), options_);
      if (!least) return 0;
      energy_pj += layer.weight * least->energy.picojoules();
      cycles += layer.weight * static_cast<double>(least->cycles);
      sum += layer.weight * objective_number(options_.objective, *least, family_.machine(machine), layer.workload);
    }
    if (!options_.network) return sum * kSumRoundedDown;
    const double factor = machine_factor(options_.objective, family_.machine(machine).area_um2(), 1);
    return objective_number(options_.objective, energy_pj, cycles) * factor;
  }

  std::vector<std::size_t> most_promising_first() const {
    std::vector<std::size_t> order(family_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t m) { return out_.machines[m].lower_bound; });
    return order;
  }

  Diagnostics search(std::size_t m) {
    Result<NetworkResult> result = map_network(network_, family_.machine(m), options_, weights_);
    if (!result) return result.errors();
    CoSearchMachine& machine = out_.machines[m];
    ++out_.configurations;
    std::vector<MappingResult> mapped;
    bool feasible = true;
    double value = 0, bound = 0;  // of the sum over layers
    for (std::size_t j = 0; j < layers_.size(); ++j) {
      MappingResult& layer = result->layers[j].result;
      out_.statistics += layer.statistics;
      feasible &= layer.status != Status::Infeasible;
      value += layers_[j].weight * layer.value;
      bound += layers_[j].weight * layer.lower_bound;
      mapped.push_back(std::move(layer));
    }
    if (options_.network && result->optimum) value = result->optimum->value, bound = result->optimum->lower_bound;
    if (!feasible || (options_.network && !result->optimum)) {
      machine.state = CoSearchMachine::State::Infeasible;
      if (out_.layers.empty()) out_.layers = std::move(mapped);
      return {};
    }
    machine.state = CoSearchMachine::State::Searched;
    machine.value = value;
    machine.lower_bound = std::max(machine.lower_bound, bound);
    if (found_ && (machine.value > out_.value || (machine.value == out_.value && m > out_.best))) return {};
    found_ = true;
    out_.best = m;
    out_.value = machine.value;
    out_.layers = std::move(mapped);
    return {};
  }

  void conclude() {
    if (!found_) return;
    conclude_bounds(out_, out_.value);
  }

  std::span<const WeightedLayer> layers_;
  const MachineFamily& family_;
  const SearchOptions& options_;
  Network network_;
  std::vector<double> weights_;
  bool found_ = false;  // `best`, `value` and `layers` of the answer are of a machine
  CoSearchResult out_;
};

}  // namespace

Result<CoSearchResult> co_search_one_by_one(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                            const SearchOptions& options, bool every) {
  return OneByOne(layers, family, options).run(every);
}

}  // namespace heliolite
