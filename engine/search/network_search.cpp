#include "engine/search/network_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "engine/search/schedule.h"

namespace heliolite {
namespace {

class NetworkSearch {
 public:
  NetworkSearch(std::vector<ShapeOfNetwork>& shapes, const Architecture& machine, const SearchOptions& options)
      : shapes_(shapes), machine_(machine), options_(options), objective_(options.objective) {
    double operations = 0;
    for (const ShapeOfNetwork& shape : shapes) operations += shape.runs * static_cast<double>(workload(shape).macs());
    factor_ = machine_factor(objective_, machine.area_um2(), operations);
  }

  NetworkOptimum run(const NetworkProgress& report) {
    const Stopwatch clock;
    if (info(objective_).degree() == 1) add_up();
    else choose(report);
    out_.gap = out_.lower_bound > 0 ? out_.value / out_.lower_bound - 1 : 0;
    if (out_.status != Status::Optimal) {
      out_.status = Status::Bounded;
      out_.why_not_proven = why_not_proven();
    }
    out_.value *= factor_, out_.lower_bound *= factor_;
    out_.seconds = clock.seconds();
    return std::move(out_);
  }

 private:
  static const Workload& workload(const ShapeOfNetwork& shape) {
    return shape.units.front().search->problem().workload;
  }
  static MappingResult& own(const ShapeOfNetwork& shape) { return *shape.units.front().own; }

  // What no mapping of the shape is below, in units of objective_number().
  double least_value(const ShapeOfNetwork& shape) const {
    return own(shape).lower_bound / machine_factor(objective_, machine_, workload(shape));
  }

  // On any unit.
  static Cost compulsory(const ShapeOfNetwork& shape) {
    std::vector<Cost> least;
    for (const ShapeOfNetwork::Unit& unit : shape.units) least.push_back(unit.search->least_cost());
    return least_of_units(least);
  }

  // Energy, or cycles, of a sum are least where each term's are. As a line: cycles count more than all energy, or
  // nothing.
  void add_up() {
    bool optimal = true;
    for (ShapeOfNetwork& shape : shapes_) {
      const double runs = shape.runs;
      const MappingResult& best = own(shape);
      shape.proven.least = compulsory(shape);
      const double lambda =
          objective_ == Objective::Delay ? std::ceil(2 * static_cast<double>(best.cost.energy.units)) : 0;
      shape.proven.lines = {{lambda, {}, UnitMapping{best.mapping, best.unit}}};
      out_.value += runs * objective_number(objective_, best.cost);
      out_.lower_bound += runs * least_value(shape);
      optimal &= best.status == Status::Optimal;
    }
    if (optimal) out_.status = Status::Optimal, out_.lower_bound = out_.value;
  }

  void choose(const NetworkProgress& report) {
    std::vector<NetworkLayer> layers;
    for (const ShapeOfNetwork& shape : shapes_) {
      NetworkLayer layer{LayerHull(compulsory(shape), shape.runs), {}};
      const MappingResult& best = own(shape);
      layer.hull.add_mapping(best.cost);
      layer.known.push_back({best.mapping, best.cost, shape.units.front().number});
      layer.least_value = least_value(shape);
      layer.work = static_cast<double>(best.statistics.evaluated + 1);
      layers.push_back(std::move(layer));
    }
    const SearchBudget whole(options_);  // asked whether to stop
    const auto search = [&](std::size_t shape, double lambda, const KnownMapping& known) {
      return search_for_sum(shape, lambda, known);
    };
    ProductQuestion question{objective_, options_.rules, options_.threads, [&] { return whole.stopped(); }};
    if (report) question.report = [&](double value, double bound) { report(value * factor_, bound * factor_); };
    const LeastProduct best = find_least_product(layers, search, question);
    out_.value = best.value, out_.lower_bound = best.lower_bound, out_.lambda = best.lambda;
    out_.searches = best.searches, out_.rules = best.rules;
    if (best.optimal) out_.status = Status::Optimal;
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      take(shapes_[k], layers[k].known[best.chosen[k]]);
      shapes_[k].proven = proven(layers[k]);
    }
  }

  static CostLines proven(const NetworkLayer& layer) {
    CostLines out{layer.hull.least(), {}};
    for (const LayerHull::Line& line : layer.hull.lines()) {
      const std::size_t best = layer.hull.best_at(line.lambda);
      CostLine& proven = out.lines.emplace_back();
      proven.lambda = line.lambda;
      proven.value = {static_cast<u128>(boost::multiprecision::cpp_int(line.value))};
      // A line that is as close to a mapping touches it.
      if (line.value >= layer.hull.value_at(best, line.lambda) * Wide(kSumRounding))
        proven.touches = {layer.known[best].mapping, layer.known[best].unit};
    }
    return out;
  }

  // The best of all units, and what no mapping of any of them is below.
  SumAnswer search_for_sum(std::size_t k, double lambda, const KnownMapping& known) {
    std::vector<SumAnswer> answers;
    for (const ShapeOfNetwork::Unit& unit : shapes_[k].units) answers.push_back(search_on(unit, lambda, known));
    return least_of_units(answers, lambda);
  }

  SumAnswer search_on(const ShapeOfNetwork::Unit& unit, double lambda, const KnownMapping& known) const {
    const Stopwatch clock;
    MappingResult& own = *unit.own;
    if (own.status == Status::Infeasible) return {{}, false, unit.search->least_sum(lambda)};
    const SearchBudget left = SearchBudget(options_).after(own.statistics.evaluated, own.seconds);
    if (left.end(0) != SearchEnd::Done) return {};
    const Mapping& from = known.unit == unit.number ? known.mapping : own.mapping;
    const MappingResult found = unit.search->search_for_sum(lambda, from, share::kOneLambda.of(left));
    own.statistics += found.statistics;
    own.seconds += clock.seconds();
    SumAnswer out;
    out.complete = found.status == Status::Optimal;
    out.lower_bound_pj = found.lower_bound;
    out.found = KnownMapping{found.mapping, found.cost, unit.number};
    return out;
  }

  // The result of a shape whose mapping is that of the network's optimum.
  void take(ShapeOfNetwork& shape, const KnownMapping& chosen) const {
    MappingResult& result = own(shape);
    if (chosen.cost == result.cost) return;
    shape.before = result.cost;
    result.mapping = chosen.mapping, result.cost = chosen.cost, result.unit = chosen.unit;
    const auto unit = std::ranges::find(shape.units, chosen.unit, &ShapeOfNetwork::Unit::number);
    result.utilization = unit->search->problem().utilization(chosen.cost.cycles);
    const double before = result.value;
    result.value = objective_number(objective_, chosen.cost, machine_, workload(shape));
    result.gap = result.lower_bound > 0 ? result.value / result.lower_bound - 1 : 0;
    if (result.value > before) {
      result.status = Status::Bounded;
      result.why_not_proven = fmt::format("the best for the network; for the layer alone {} is {:.3g} % lower",
                                          info(objective_).label, 100 * (1 - before / result.value));
    }
  }

  std::string why_not_proven() const {
    for (const ShapeOfNetwork& shape : shapes_)
      if (!shape.before && own(shape).status != Status::Optimal && !own(shape).why_not_proven.empty())
        return fmt::format("layer {}: {}", workload(shape).name, own(shape).why_not_proven);
    return "a limit ended the search of a layer for energy + lambda x cycles";
  }

  std::vector<ShapeOfNetwork>& shapes_;
  const Architecture& machine_;
  const SearchOptions& options_;
  Objective objective_;
  double factor_ = 1;
  NetworkOptimum out_;
};

}  // namespace

NetworkOptimum search_for_network(std::vector<ShapeOfNetwork>& shapes, const Architecture& machine,
                                  const SearchOptions& options, const NetworkProgress& report) {
  return NetworkSearch(shapes, machine, options).run(report);
}

}  // namespace heliolite
