// What the three formats of Timeloop machines end with: levels and fan-outs made one machine (component.h).
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "arch/cost_resolver.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/component.h"

namespace heliolite {
namespace {

// Fan-out from a level with that mesh to what lies below it (rule 1).
void connect(StorageLevel& level, u64 inner_instances, u64 inner_x, const std::string& inner, const YamlNode& place,
             Diagnostics& errors) {
  const u64 mesh_y = level.instances / level.mesh_x;
  const u64 inner_y = inner_instances / inner_x;
  if (inner_x % level.mesh_x != 0 || inner_y % mesh_y != 0) {
    errors.push_back(
        place.error(fmt::format("{} of {} x {} instances (meshX x meshY) do not divide {} of {} x {} below", level.name,
                                level.mesh_x, mesh_y, inner, inner_x, inner_y)));
    return;
  }
  level.fanout_x = inner_x / level.mesh_x;
  level.fanout_y = inner_y / mesh_y;
}

double built_in_energy(const StorageLevel& level) {
  if (level.is_dram) return pat_dram_pj(level.word_bits, level.block_words);
  return pat_sram_pj(level.entries.value_or(0), level.word_bits, level.block_words, level.cluster_size);
}

void refuse_scale(const std::optional<double>& scale, const std::string& name, const YamlNode& place,
                  Diagnostics& errors) {
  if (scale)
    errors.push_back(place.error(fmt::format(
        "energy_scale = {} of {} is Accelergy's: give its ERT, the built-in energies are not scaled", *scale, name)));
}

// What of a machine's energies nobody states.
struct Guessed {
  std::vector<std::string> built_in;  // whose energies are from the built-in table
  DearestActions dearest;
};

CostSource set_energy(const TimeloopStorage& storage, const EnergyReferenceTable& ert, StorageLevel& level,
                      Guessed& guessed, Diagnostics& errors) {
  if (storage.free_of_charge) return CostSource::None;
  if (storage.user_pj) {
    level.energy = {*storage.user_pj, *storage.user_pj, *storage.user_pj};
    return CostSource::Stated;
  }
  if (const std::optional<TableEnergy> table = storage_energy(ert, level.name, level.cluster_size)) {
    level.energy = table->access;
    level.leak_pj_per_cycle = table->leak_pj_per_cycle;
    guessed.dearest.add(level.name, *table);
    const std::string& gate = storage.power_gated_at;
    if (level.leak_pj_per_cycle != 0 && !gate.empty() && gate != level.name)
      errors.push_back(storage.place.error(
          fmt::format("{} leaks and is power gated at {}: leakage that follows another memory's use is not modelled; "
                      "take has_power_gating away, or the action 'leak' of {} out of the ERT",
                      level.name, gate, level.name)));
    return CostSource::Reference;
  }
  refuse_scale(storage.energy_scale, level.name, storage.place, errors);
  const double pj = built_in_energy(level);
  level.energy = {pj, pj, pj};
  guessed.built_in.push_back(level.name);
  return CostSource::Pat;
}

CostSource set_energy(const TimeloopCompute& unit, const EnergyReferenceTable& ert, Compute& compute, Guessed& guessed,
                      Diagnostics& errors) {
  if (const std::optional<ComputeEnergy> table = compute_energy(ert, compute.name)) {
    compute.op_pj = table->op_pj;
    guessed.dearest.add(compute.name, *table);
    return CostSource::Reference;
  }
  refuse_scale(unit.energy_scale, compute.name, unit.place, errors);
  if (unit.user_pj) {
    compute.op_pj = *unit.user_pj;
    return CostSource::Stated;
  }
  compute.op_pj = pat_mac_pj(compute.word_bits);
  guessed.built_in.push_back(compute.name);
  return CostSource::Pat;
}

std::vector<std::string> notes_of(const Guessed& guessed, const EnergyReferenceTable& ert) {
  std::vector<std::string> notes = guessed.dearest.notes();
  if (!guessed.built_in.empty())
    notes.push_back(fmt::format("energies of {} are from Timeloop's built-in table: the files state none, and {}",
                                join(guessed.built_in),
                                ert.components.empty() ? "there is no ERT" : "the ERT does not have them"));
  return notes;
}

}  // namespace

TimeloopCosts finish_machine(const TimeloopMachine& machine, const EnergyReferenceTable& ert,
                             Architecture& architecture, Diagnostics& errors) {
  TimeloopCosts costs;
  if (!machine.compute) return costs;
  architecture.compute = machine.compute->compute;
  Compute& compute = architecture.compute;
  Guessed guessed;
  u64 instances = compute.instances;
  u64 mesh_x = compute.mesh_x;
  std::string inner = compute.name;
  for (const TimeloopStorage& storage : machine.storage) {
    StorageLevel level = storage.level;
    connect(level, instances, mesh_x, inner, storage.place, errors);
    instances = level.instances;
    mesh_x = level.mesh_x;
    inner = level.name;
    architecture.levels.push_back(std::move(level));
  }
  costs.levels.resize(machine.storage.size());
  for (std::size_t i = machine.storage.size(); i-- > 0;) {
    CostSources& from = costs.levels[i];
    StorageLevel& level = architecture.levels[i];
    from.energy = set_energy(machine.storage[i], ert, level, guessed, errors);
    if (from.energy == CostSource::Reference && level.leak_pj_per_cycle != 0) from.leakage = CostSource::Reference;
    if (level.area_um2 != 0) from.area = CostSource::Stated;
  }
  costs.compute.energy = set_energy(*machine.compute, ert, compute, guessed, errors);
  if (compute.area_um2 != 0) costs.compute.area = CostSource::Stated;
  costs.notes = notes_of(guessed, ert);
  return costs;
}

}  // namespace heliolite
