#include "engine/sweep/sweep_facts.h"

#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/search/core/factors.h"

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

namespace {

// The value of an option in the sweep's file; none if it is not there.
std::optional<YamlNode> option_of(const SweepRecord& sweep, std::string_view name) {
  const Result<YamlNode> document = YamlNode::parse(sweep.text, sweep.name);
  if (!document) return std::nullopt;
  const std::optional<YamlNode> node = document->find("sweep");
  return node ? node->find(std::string(name)) : std::nullopt;
}

}  // namespace

Counts counts_of(const SweepRecord& sweep) {
  const std::optional<YamlNode> factors = option_of(sweep, "factors");
  const bool any = factors && parse_factors(lower(factors->text())) == Factors::Any;
  return any ? Counts::True : Counts::Timeloop;
}

bool imperfect_factors(const SweepRecord& sweep) {
  if (counts_of(sweep) == Counts::True) return true;
  const std::optional<YamlNode> imperfect = option_of(sweep, "imperfect");
  return imperfect && imperfect->as_bool().value_or(false);
}

Tiles tiles_of(const SweepRecord& sweep) {
  const std::optional<YamlNode> tiles = option_of(sweep, "tiles");
  return tiles ? parse_tiles(lower(tiles->text())).value_or(Tiles::Even) : Tiles::Even;
}

}  // namespace heliolite
