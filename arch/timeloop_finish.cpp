#include <fmt/format.h>

#include <string>
#include <utility>

#include "arch/pat_energy.h"
#include "arch/timeloop_component.h"

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

void set_energy(const TimeloopStorage& storage, const EnergyReferenceTable& ert, StorageLevel& level,
                Diagnostics& errors) {
  if (storage.free_of_charge) return;
  if (storage.user_pj) {
    level.energy = {*storage.user_pj, *storage.user_pj, *storage.user_pj};
    return;
  }
  if (const std::optional<TableEnergy> table = storage_energy(ert, level.name, level.cluster_size)) {
    level.energy = table->access;
    level.leak_pj_per_cycle = table->leak_pj_per_cycle;
    const std::string& gate = storage.power_gated_at;
    if (level.leak_pj_per_cycle != 0 && !gate.empty() && gate != level.name)
      errors.push_back(storage.place.error(
          fmt::format("{} leaks and is power gated at {}: leakage that follows another memory's use is not modelled; "
                      "take has_power_gating away, or the action 'leak' of {} out of the ERT",
                      level.name, gate, level.name)));
    return;
  }
  refuse_scale(storage.energy_scale, level.name, storage.place, errors);
  const double pj = built_in_energy(level);
  level.energy = {pj, pj, pj};
}

}  // namespace

void finish_machine(const TimeloopMachine& machine, const EnergyReferenceTable& ert, Architecture& architecture,
                    Diagnostics& errors) {
  if (!machine.compute) return;
  architecture.compute = machine.compute->compute;
  Compute& compute = architecture.compute;
  if (const std::optional<double> pj = compute_energy(ert, compute.name)) {
    compute.op_pj = *pj;
  } else {
    refuse_scale(machine.compute->energy_scale, compute.name, machine.compute->place, errors);
    compute.op_pj = machine.compute->user_pj.value_or(pat_mac_pj(compute.word_bits));
  }
  u64 instances = compute.instances;
  u64 mesh_x = compute.mesh_x;
  std::string inner = compute.name;
  for (const TimeloopStorage& storage : machine.storage) {
    StorageLevel level = storage.level;
    connect(level, instances, mesh_x, inner, storage.place, errors);
    set_energy(storage, ert, level, errors);
    instances = level.instances;
    mesh_x = level.mesh_x;
    inner = level.name;
    architecture.levels.push_back(std::move(level));
  }
}

}  // namespace heliolite
