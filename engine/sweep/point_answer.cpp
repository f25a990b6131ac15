#include "engine/sweep/point_answer.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "arch/architecture_yaml.h"
#include "engine/base/yaml_node.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_model.h"
#include "engine/model/fingerprint.h"
#include "engine/search/core/objective.h"
#include "engine/search/map.h"
#include "engine/search/network_search.h"
#include "engine/sweep/totals.h"
#include "workloads/workload_yaml.h"

namespace heliolite {

namespace {

// 1 W is 1e12 pJ in 1e9 ns.
constexpr double kPjPerNsOfWatt = 1e3;
constexpr double kNsPerSecond = 1e9;

// The layers of one network. Of one that is mapped by itself the name says nothing of who asked first: others of this
// shape get its answer.
Network network_of(const SweepSpec& spec, std::size_t begin, std::size_t end) {
  Network out;
  for (std::size_t l = begin; l < end; ++l)
    out.layers.push_back({spec.layers[l].layer.workload, spec.layers[l].layer.count});
  if (!maps_together(spec))
    for (Layer& layer : out.layers) layer.workload.name = "layer";
  return out;
}

std::vector<double> weights_of(const SweepSpec& spec, std::size_t begin, std::size_t end) {
  std::vector<double> out;
  for (std::size_t l = begin; l < end; ++l) out.push_back(spec.mean == SweepMean::Total ? spec.layers[l].weight : 1);
  return out;
}

// The mappings with the least value within limits.
class WithinLimits {
 public:
  WithinLimits(const SweepSpec& spec, const SweptNetwork& network, const Architecture& machine,
               const SearchOptions& options)
      : spec_(spec),
        machine_(machine),
        options_(options),
        objective_(options.objective),
        limits_(limits_in_cycles(spec, machine.cycle_ns)),
        network_(network_of(spec, network.begin, network.end)) {
    for (std::size_t l = 0; l < network_.layers.size(); ++l)
      network_.layers[l].count = static_cast<u64>(runs_of(spec.layers[network.begin + l], spec.mean));
    options_.network = false;
  }

  // Appends to the point's layers and returns the bound of the network's value.
  Result<double> run(PointMappings& out) {
    const Result<NetworkWithin> found = map_within(network_, machine_, options_, objective_, limits_);
    if (!found) return found.errors();
    const TradeOff& whole = found->curve.network;
    const std::vector<KnownMapping>& best = found->choice.layers;
    out.proven &= whole.points.empty() || whole.certain;
    for (std::size_t l = 0; l < network_.layers.size(); ++l) {
      const LayerTradeOff& layer = found->curve.layers[l];
      out.layers.push_back(best.empty() ? outside(layer, whole) : result_of(layer, best[l], l));
    }
    out.outside.resize(out.layers.size(), !whole.points.empty() && best.empty());
    return std::isinf(found->choice.lower_bound) ? 0 : found->choice.lower_bound * factor();
  }

 private:
  // What the value has beside energy and cycles: of machine, operations and clock.
  double factor() const {
    double operations = 0;
    for (const Layer& layer : network_.layers)
      operations += static_cast<double>(layer.count) * static_cast<double>(layer.workload.macs());
    return machine_factor(objective_, machine_.area_um2(), operations) *
           in_value_unit(1, ranking_of(spec_), machine_.cycle_ns);
  }

  MappingResult result_of(const LayerTradeOff& layer, const KnownMapping& best, std::size_t l) const {
    const Workload& workload = network_.layers[l].workload;
    MappingResult out;
    out.status = Status::Bounded;
    out.mapping = best.mapping;
    out.cost = best.cost;
    out.unit = best.unit;
    const Architecture& chain = machine_.chain(out.unit);
    out.utilization = utilization(CostModel(workload, chain).compiled(), chain, out.cost.cycles);
    out.value = objective_number(objective_, out.cost, machine_, workload);
    out.lower_bound = std::min(out.value, objective_number(objective_, layer.curve.least, machine_, workload));
    if (out.lower_bound == out.value) out.status = Status::Optimal;
    else out.why_not_proven = "the best for the network within its limits";
    out.gap = out.lower_bound > 0 ? out.value / out.lower_bound - 1 : 0;
    out.statistics.evaluated = layer.evaluated;
    out.seconds = layer.seconds;
    out.strategy = options_.strategy;
    return out;
  }

  MappingResult outside(const LayerTradeOff& layer, const TradeOff& whole) const {
    MappingResult out;
    out.statistics.evaluated = layer.evaluated;
    out.seconds = layer.seconds;
    out.why_infeasible = layer.why_infeasible;
    if (out.why_infeasible.empty() && !whole.points.empty()) {
      const Cost &fast = whole.points.front().cost, &cheap = whole.points.back().cost;
      out.why_infeasible.push_back(
          {"", 0, "limits",
           fmt::format("no mappings of the layers' trade-off curves keep to them: at least {} cycles and {:.4g} pJ, "
                       "{:.4g} to {:.4g} pJ a cycle",
                       fast.cycles, cheap.energy.picojoules(), cheap.energy.picojoules() / double(cheap.cycles),
                       fast.energy.picojoules() / double(fast.cycles))});
    }
    if (out.why_infeasible.empty()) out.why_infeasible.push_back({"", 0, "", "another layer has no mapping"});
    return out;
  }

  const SweepSpec& spec_;
  const Architecture& machine_;
  SearchOptions options_;
  Objective objective_;
  CostLimits limits_;
  Network network_;
};

Result<PointMappings> map_within_limits(const SweepSpec& spec, const Architecture& machine,
                                        const SearchOptions& options) {
  PointMappings out;
  std::vector<WeightedValue> bounds;
  for (const SweptNetwork& network : networks_of(spec)) {
    const Result<double> bound = WithinLimits(spec, network, machine, options).run(out);
    if (!bound) return bound.errors();
    bounds.push_back({network.weight, *bound});
  }
  out.lower_bound = mean_of(spec.mean, bounds);
  return out;
}

}  // namespace

bool maps_together(const SweepSpec& spec) { return spec.options.network || spec.limits.any(); }

CostLimits limits_in_cycles(const SweepSpec& spec, std::optional<double> cycle_ns) {
  const double ns = spec.seconds ? cycle_ns.value_or(1) : 1;
  CostLimits out;
  if (spec.limits.energy_pj) out.energy_pj = *spec.limits.energy_pj;
  if (spec.limits.delay) out.cycles = spec.seconds ? *spec.limits.delay * kNsPerSecond / ns : *spec.limits.delay;
  if (spec.limits.power) out.pj_per_cycle = *spec.limits.power * (spec.seconds ? kPjPerNsOfWatt * ns : 1);
  return out;
}

Result<PointMappings> map_layers(const SweepSpec& spec, std::size_t first, std::size_t count,
                                 const Architecture& machine, const SearchOptions& options) {
  if (spec.limits.any()) return map_within_limits(spec, machine, options);
  PointMappings out;
  const std::vector<SweptNetwork> networks =
      options.network ? networks_of(spec) : std::vector<SweptNetwork>{{first, first + count, 1}};
  std::vector<WeightedValue> bounds;
  for (const SweptNetwork& network : networks) {
    Result<NetworkResult> found = map_network(network_of(spec, network.begin, network.end), machine, options,
                                              weights_of(spec, network.begin, network.end));
    if (!found) return found.errors();
    for (LayerResult& layer : found->layers) {
      out.proven &= options.network || layer.result.status == Status::Optimal;
      out.layers.push_back(std::move(layer.result));
    }
    if (!options.network) continue;
    if (!found->optimum) {
      out.proven = false;
      continue;
    }
    out.proven &= found->optimum->status == Status::Optimal;
    bounds.push_back({network.weight, in_value_unit(found->optimum->lower_bound, ranking_of(spec), machine.cycle_ns)});
  }
  if (options.network && bounds.size() == networks.size()) out.lower_bound = mean_of(spec.mean, bounds);
  return out;
}

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson scalar_json(const YamlNode& node) {
  if (node.quoted()) return node.text();
  if (const auto on = node.as_bool()) return *on;
  if (const auto whole = node.as_integer()) return *whole;
  if (const auto number = node.as_number()) return *number;
  return node.text();
}

OrderedJson json_of(const YamlNode& node) {
  if (node.is_scalar()) return scalar_json(node);
  OrderedJson out = node.is_map() ? OrderedJson::object() : node.is_sequence() ? OrderedJson::array() : OrderedJson();
  if (node.is_sequence())
    for (std::size_t k = 0; k < node.size(); ++k) out.push_back(json_of(node.at(k)));
  if (node.is_map())
    for (const std::string& key : node.keys()) out[key] = json_of(*node.find(key));
  return out;
}

// A document of the program's own.
OrderedJson json_of(const std::string& text) {
  const Result<YamlNode> document = YamlNode::parse(text, "");
  return document ? json_of(*document) : OrderedJson(text);
}

// In one line.
std::string text_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

std::string PointEvaluator::parameters_text(const PointRecord& point) const {
  OrderedJson parameters = OrderedJson::object();
  for (std::size_t p = 0; p < point.values.size(); ++p) parameters[spec_.parameters[p].name] = point.values[p];
  return text_of(parameters);
}

std::string PointEvaluator::question(const std::string& own, const std::string& parameters) const {
  return to_hex(fingerprint(fmt::format("{}\n{}\n{}", own, spec_.evaluator.command, parameters)));
}

bool PointEvaluator::evaluate(LayerRecord& row, const SweepLayer& layer, const Architecture& machine,
                              const std::string& parameters) {
  if (row.mapping.empty()) return true;
  const OrderedJson told = {{"heliolite_machine", kMachineProtocol},
                            {"parameters", OrderedJson::parse(parameters)},
                            {"machine", json_of(write_architecture(machine))},
                            {"layer", row.name},
                            {"workload", json_of(write_workload(layer.layer.workload))},
                            {"mapping", json_of(row.mapping)},
                            {"model", {{"energy_pj", row.energy_pj}, {"cycles", row.cycles}}}};
  const EvaluatorAnswer answer = evaluator_.ask(text_of(told) + "\n", std::nullopt, spec_.options.stop);
  if (answer.cut) return false;
  row.breakdown = "{}";
  row.lower_bound = 0;
  if (!answer.value) {
    row.status = kFailedEvaluation;
    row.reason = fmt::format("evaluator: {}", answer.failure);
    row.energy_pj = row.cycles = row.value = 0;
    return true;
  }
  row.status = name(Status::Measured);
  row.reason.clear();
  row.energy_pj = answer.values[0];
  row.cycles = answer.values[1];
  const Objective objective = spec_.options.objective;
  row.value =
      objective_number(objective, row.energy_pj, row.cycles) * machine_factor(objective, machine, layer.layer.workload);
  return true;
}

}  // namespace heliolite
