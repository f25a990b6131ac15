#include "engine/sweep/point_evaluator.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "arch/architecture_yaml.h"
#include "engine/base/yaml_node.h"
#include "engine/model/fingerprint.h"
#include "engine/search/core/objective.h"
#include "workloads/network_writer.h"

namespace heliolite {
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
