#include "engine/sweep/sweep_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/search/core/factors.h"
#include "workloads/network.h"

namespace heliolite {

double value_of_totals(const SweepRecord& sweep, const PointRecord& point) {
  const Ranking ranking = ranking_of(sweep);
  return objective_number(ranking.objective, point.energy_pj, delay(ranking, point));
}

std::string value_title(const SweepRecord& sweep) {
  const Ranking ranking = ranking_of(sweep);
  const std::string_view title = info(ranking.objective).title;
  std::string name(title.substr(0, title.find(" [")));
  if (ranks_differ(ranking)) name = ranking.rank == SweepRank::Totals ? name + " of totals" : "sum of " + name;
  return fmt::format("{} [{}]", name, value_unit(ranking));
}

std::string layers_alone_note(const SweepRecord& sweep) {
  std::string note = layers_alone_note(kOutermostMemory);
  return std::ranges::find(sweep.notes, note) == sweep.notes.end() ? "" : note;
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
