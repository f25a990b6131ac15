#include "arch/architecture_yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "arch/architecture_fields.h"
#include "arch/energy_tables.h"
#include "arch/level_yaml.h"
#include "arch/limits.h"
#include "engine/base/energy.h"
#include "engine/base/field_reader.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

ComputeSpec read_compute(const YamlNode& node, Diagnostics& errors) {
  FieldReader reader(node, compute_fields(), errors);
  ComputeSpec compute;
  compute.place = place_of(node);
  compute.name = reader.string("name");
  if (const std::optional<i64> bits = reader.integer("word_bits")) compute.word_bits = static_cast<u64>(*bits);
  compute.energy = read_amount(reader.child("energy"), kMaxAccessPicojoules, {"pat", "table"}, errors);
  compute.area = read_amount(reader.child("area_um2"), kMaxAreaUm2, {"table"}, errors);
  reader.finish();
  return compute;
}

// Outermost first in the file, innermost first inside.
std::vector<LevelSpec> read_levels(const YamlNode& node, Diagnostics& errors) {
  std::vector<LevelSpec> levels;
  if (!node.is_sequence() || node.size() == 0) {
    errors.push_back(node.error("levels must be a list of storage levels, outermost first"));
    return levels;
  }
  for (std::size_t i = node.size(); i-- > 0;) {
    for (LevelSpec& level : read_level(node.at(i), errors)) {
      if (levels.size() < kMaxLevels) levels.push_back(std::move(level));
      else if (i == 0) errors.push_back(node.error(fmt::format("at most {} storage levels are supported", kMaxLevels)));
    }
  }
  return levels;
}

void check_names(const std::vector<LevelSpec>& levels, Diagnostics& errors) {
  for (std::size_t i = 0; i < levels.size(); ++i)
    for (std::size_t outer = i + 1; outer < levels.size(); ++outer)
      if (!levels[i].name.empty() && levels[i].name == levels[outer].name)
        errors.push_back(levels[i].place.error(fmt::format("two levels are called {}", levels[i].name)));
}

}  // namespace

bool is_architecture_yaml(const YamlNode& document) {
  const std::optional<YamlNode> architecture = document.find("architecture");
  return architecture && (architecture->has("levels") || architecture->has("base"));
}

Result<ArchitectureSpec> read_architecture_yaml(const YamlNode& document) {
  Diagnostics errors;
  ArchitectureSpec spec;
  FieldReader root(document, machine_file_fields(), errors);
  const std::optional<YamlNode> node = root.child("architecture");
  root.finish();
  if (!node) return errors;

  FieldReader reader(*node, architecture_fields(), errors);
  spec.place = place_of(*node);
  spec.base = reader.string("base");
  spec.ert = reader.string("ert");
  spec.art = reader.string("art");
  spec.name = reader.string("name");
  spec.description = reader.string("description");
  spec.technology_nm = reader.number("technology_nm");
  spec.cycle_ns = reader.number("cycle_ns");
  if (const std::optional<i64> bits = reader.integer("word_bits")) spec.word_bits = static_cast<u64>(*bits);
  if (const std::optional<YamlNode> energy = reader.child("energy")) spec.energy = read_energy_model(*energy, errors);
  spec.one_axis_per_dimension = reader.boolean("one_axis_per_dimension");
  spec.unit_loops_first = reader.boolean("unit_loops_first");
  if (const std::optional<std::string> whom = reader.choice("constraints_for"))
    spec.constraints_for_channels_only = *whom == "channels";
  spec.min_parallelism = reader.number("min_parallelism");
  if (const std::optional<std::string> links = reader.choice("link_transfers")) spec.link_transfers = *links == "on";
  const std::optional<YamlNode> levels = spec.base ? reader.child("levels") : reader.needed("levels");
  if (levels) spec.levels = read_levels(*levels, errors);
  check_names(spec.levels, errors);
  spec.compute.place = spec.place;
  if (const std::optional<YamlNode> compute = reader.child("compute")) spec.compute = read_compute(*compute, errors);
  reader.finish();
  std::ranges::stable_sort(errors, {}, &Diagnostic::line);
  if (!errors.empty()) return errors;
  return spec;
}

}  // namespace heliolite
