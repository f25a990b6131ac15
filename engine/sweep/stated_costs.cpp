#include "engine/sweep/stated_costs.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliolite {
namespace {

struct Follows {
  bool energy = false, area = false;
};

// Whether the costs of a level are computed from its size.
Follows follows(const LevelSpec& level, const SweepSpec& spec) {
  const bool in_ert = spec.tables.ert && spec.tables.ert->components.contains(level.name);
  const bool in_art = spec.tables.art && spec.tables.art->components.contains(level.name);
  const auto own = level.energy ? std::get_if<EnergyModel>(&*level.energy) : nullptr;
  const bool computed = level.energy ? own != nullptr : !in_ert && spec.machine.energy.has_value();
  const bool table = computed && (own ? *own : *spec.machine.energy) != EnergyModel::Pat;
  return {computed, level.area ? std::holds_alternative<EnergyModel>(*level.area) : table && !in_art};
}

// Whether some parameter sets this key of the level, or of the whole machine.
bool is_swept(const SweepSpec& spec, const std::string& level, std::string_view key) {
  return std::ranges::any_of(spec.parameters, [&](const SweepParameter& parameter) {
    return std::ranges::any_of(parameter.fields, [&](const FieldPath& field) {
      return field.key == key && (field.level == level || field.level.empty());
    });
  });
}

}  // namespace

Diagnostics stated_cost_warnings(const SweepSpec& spec) {
  Diagnostics out;
  for (const SweepParameter& parameter : spec.parameters) {
    for (const FieldPath& field : parameter.fields) {
      if (field.key != "entries" && field.key != "capacity") continue;
      const auto level = std::ranges::find(spec.machine.levels, field.level, &LevelSpec::name);
      if (level == spec.machine.levels.end()) continue;
      const Follows costs = follows(*level, spec);
      const bool energy_stays = !costs.energy && !is_swept(spec, field.level, "energy");
      const bool area_stays = !costs.area && !is_swept(spec, field.level, "area_um2");
      if (!energy_stays && !area_stays) continue;
      out.push_back(parameter.place.error(
          fmt::format("the {} of {} {} the same whatever {} is: not from the tables (energy: table)",
                      energy_stays && area_stays ? "energy and area"
                      : energy_stays             ? "energy"
                                                 : "area",
                      field.level, energy_stays && area_stays ? "stay" : "stays", field.text)));
    }
  }
  return out;
}

}  // namespace heliolite
