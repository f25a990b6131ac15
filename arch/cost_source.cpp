#include "arch/cost_source.h"

namespace heliolite {
namespace {

CostSource of_model(EnergyModel model) { return model == EnergyModel::Pat ? CostSource::Pat : CostSource::Table; }

// Of a number or a model that a file states.
template <class Stated>
CostSource of_stated(const Stated& stated) {
  const EnergyModel* model = std::get_if<EnergyModel>(&stated);
  return model ? of_model(*model) : CostSource::Stated;
}

CostSource of_area(const std::optional<Amount>& stated, const std::string& name, CostSource energy,
                   const ReferenceTables& tables) {
  if (stated) return of_stated(*stated);
  if (tables.art && tables.art->components.contains(name)) return CostSource::Reference;
  return energy == CostSource::Table ? CostSource::Table : CostSource::None;
}

}  // namespace

CostSources cost_sources(const LevelSpec& level, const ArchitectureSpec& machine, const ReferenceTables& tables) {
  CostSources from;
  if (level.energy) from.energy = of_stated(*level.energy);
  else if (tables.ert && storage_energy(*tables.ert, level.name, 1)) from.energy = CostSource::Reference;
  else if (machine.energy && !level.interconnect.value_or(false)) from.energy = of_model(*machine.energy);
  if (level.leakage) from.leakage = of_stated(*level.leakage);
  else if (from.energy == CostSource::Reference || from.energy == CostSource::Table) from.leakage = from.energy;
  from.area = of_area(level.area, level.name, from.energy, tables);
  return from;
}

CostSources compute_cost_sources(const ArchitectureSpec& machine, const ReferenceTables& tables) {
  CostSources from;
  const std::string name = machine.compute.name.value_or("MAC");
  if (machine.compute.energy) from.energy = of_stated(*machine.compute.energy);
  else if (tables.ert && compute_energy(*tables.ert, name)) from.energy = CostSource::Reference;
  else if (machine.energy) from.energy = of_model(*machine.energy);
  from.area = of_area(machine.compute.area, name, from.energy, tables);
  return from;
}

}  // namespace heliolite
