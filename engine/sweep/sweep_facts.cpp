#include "engine/sweep/sweep_facts.h"

#include "engine/base/yaml_node.h"

namespace heliolite {

// Records are checked when they are read.
const ObjectiveInfo& objective_of(const SweepRecord& sweep) {
  return info(parse_objective(sweep.objective).value_or(Objective::Edp));
}

double value_of_totals(const SweepRecord& sweep, double energy_pj, double cycles) {
  return objective_number(objective_of(sweep).objective, energy_pj, cycles);
}

bool sums_differ(const SweepRecord& sweep) {
  const ObjectiveInfo& powers = objective_of(sweep);
  return powers.energy_power + powers.cycles_power > 1;
}

bool imperfect_factors(const SweepRecord& sweep) {
  const Result<YamlNode> document = YamlNode::parse(sweep.text, sweep.name);
  if (!document) return false;
  const std::optional<YamlNode> node = document->find("sweep");
  const std::optional<YamlNode> imperfect = node ? node->find("imperfect") : std::nullopt;
  return imperfect && imperfect->as_bool().value_or(false);
}

}  // namespace heliolite
