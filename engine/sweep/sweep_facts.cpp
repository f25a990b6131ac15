#include "engine/sweep/sweep_facts.h"

#include "engine/base/yaml_node.h"
#include "engine/search/core/objective.h"

namespace heliolite {

double value_of_totals(const SweepRecord& sweep, double energy_pj, double cycles) {
  switch (parse_objective(sweep.objective).value_or(Objective::Edp)) {
    case Objective::Energy: return energy_pj;
    case Objective::Delay: return cycles;
    case Objective::Edp: return energy_pj * cycles;
    case Objective::Ed2p: return energy_pj * cycles * cycles;
  }
  return 0;
}

bool sums_differ(const SweepRecord& sweep) { return sweep.objective == "edp" || sweep.objective == "ed2p"; }

bool imperfect_factors(const SweepRecord& sweep) {
  const Result<YamlNode> document = YamlNode::parse(sweep.text, sweep.name);
  if (!document) return false;
  const std::optional<YamlNode> node = document->find("sweep");
  const std::optional<YamlNode> imperfect = node ? node->find("imperfect") : std::nullopt;
  return imperfect && imperfect->as_bool().value_or(false);
}

}  // namespace heliolite
