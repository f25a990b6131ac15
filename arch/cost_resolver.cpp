#include "arch/cost_resolver.h"

#include <fmt/format.h>
#include <variant>

#include "engine/base/text.h"

namespace heliolite {

double pat_sram_pj(u64 words, WordLength word_bits, u64 block_words, u64 cluster_size) {
  if (words == 0) return 0;
  const u64 rows = words / block_words + (words % block_words != 0);
  const double width = static_cast<double>(word_bits * (block_words * cluster_size));
  const double kilobytes = width * static_cast<double>(rows) / 8192;
  return (1.0 + (kilobytes - 0.5) * 5.0 / 99.5) * width / 16 / static_cast<double>(cluster_size);
}

double pat_dram_pj(WordLength word_bits, u64 block_words) {
  return 200.0 * static_cast<double>(word_bits * block_words) / 16;
}

double pat_mac_pj(WordLength word_bits) {
  const double ratio = static_cast<double>(word_bits) / 16;
  return ratio * ratio;
}

namespace {

CostSource of_model(EnergyModel model) { return model == EnergyModel::Pat ? CostSource::Pat : CostSource::Table; }

// The source of a cost for which a file states a number or a model.
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

AccessEnergy stated_energy(const std::variant<EnergyModel, AccessEnergy, PicojoulesPerBit>& stated,
                           const StorageLevel& level) {
  const PicojoulesPerBit* bit = std::get_if<PicojoulesPerBit>(&stated);
  if (bit == nullptr) return std::get<AccessEnergy>(stated);
  const double pj = bit->pj * static_cast<double>(level.word_bits * level.block_words);
  return {pj, pj, pj};
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

bool CostResolver::whole(WordLength length, const Place& place, std::string_view what) {
  if (!length.is_whole())
    complain(place, fmt::format("the tables know memories and units of whole bits: {} has {} bits, so give energy, "
                                "leakage and area as numbers, or choose another block_words",
                                what, length));
  return length.is_whole();
}

bool CostResolver::node_known(const Place& place) {
  if (!spec_.technology_nm)
    complain(place, "energies, leakage or areas from the tables need technology_nm of the machine");
  return spec_.technology_nm.has_value();
}

AccessEnergy CostResolver::pat_energy(const LevelSpec& spec, const StorageLevel& level) {
  double pj = 0;
  if (level.is_dram) pj = pat_dram_pj(level.word_bits, level.block_words);
  else if (level.entries) pj = pat_sram_pj(*level.entries, level.word_bits, level.block_words, level.cluster_size);
  else if (spec.capacity) complain(spec.place, "energies from a table need a bounded capacity, or give 'energy' in pJ");
  return {pj, pj, pj};
}

// One instance's share of the physical memory that `cluster_size` instances make up.
std::optional<MemoryCost> CostResolver::table_cost(const LevelSpec& spec, const StorageLevel& level) {
  const EnergyModel* const model = spec.energy ? std::get_if<EnergyModel>(&*spec.energy) : nullptr;
  const bool registers = model != nullptr && *model == EnergyModel::Registers;
  if (registers && level.is_dram) {
    complain(spec.place, "energy = registers, but the level is a DRAM, which flip-flops are not");
    return std::nullopt;
  }
  if (level.is_dram) {
    const std::optional<double> per_bit = dram_pj_per_bit(spec.dram->type);
    if (!per_bit) {
      complain(spec.place, fmt::format("table energies of DRAM need its type: dram = {}", join(dram_types(), "or")));
      return std::nullopt;
    }
    const double pj = *per_bit * static_cast<double>(level.word_bits * level.block_words);
    return MemoryCost{pj, pj, 0, 0};
  }
  if (!level.entries) {
    if (spec.capacity) complain(spec.place, "energies from a table need a bounded capacity, or give 'energy' in pJ");
    return std::nullopt;
  }
  if (!node_known(spec.place)) return std::nullopt;
  const u64 rows = *level.entries / level.block_words + (*level.entries % level.block_words != 0);
  const WordLength of_row = level.word_bits * (level.block_words * level.cluster_size);
  if (!whole(of_row, spec.place, "a row of it")) return std::nullopt;
  const u64 width = of_row.parts();
  const MemoryCost cost =
      registers ? register_cost(rows, width, *spec_.technology_nm) : memory_cost(rows, width, *spec_.technology_nm);
  const double share = 1.0 / static_cast<double>(level.cluster_size);
  return MemoryCost{cost.read_pj * share, cost.write_pj * share, cost.leakage_mw * share, cost.area_um2 * share};
}

void CostResolver::fill_in(const LevelSpec& spec, StorageLevel& level) {
  const CostSources from = cost_sources(spec, spec_, tables_);
  if (from.energy == CostSource::None)
    complain(spec.place, level.is_interconnect
                             ? "missing key 'energy' of an interconnect: '1.2 pJ/bit', or pJ of block_words words"
                             : "missing key 'energy': pJ per access, 'pat' or 'table' (here or for the whole machine)");
  const bool asks_table =
      from.energy == CostSource::Table || from.leakage == CostSource::Table || from.area == CostSource::Table;
  const MemoryCost table = asks_table ? table_cost(spec, level).value_or(MemoryCost{}) : MemoryCost{};
  TableEnergy listed;
  if (from.energy == CostSource::Reference) {
    listed = *storage_energy(*tables_.ert, spec.name, level.cluster_size);
    dearest_.add(spec.name, listed);
  }
  switch (from.energy) {
    case CostSource::Stated: level.energy = stated_energy(*spec.energy, level); break;
    case CostSource::Reference: level.energy = listed.access; break;
    case CostSource::Pat: level.energy = pat_energy(spec, level); break;
    case CostSource::Table: level.energy = {table.read_pj, table.write_pj, table.write_pj}; break;
    case CostSource::None: break;
  }
  const double cycle_ns = spec_.cycle_ns.value_or(kDefaultCycleNs);  // mW x ns = pJ
  if (from.leakage == CostSource::Stated) level.leak_pj_per_cycle = std::get<double>(*spec.leakage);
  else if (from.leakage == CostSource::Table) level.leak_pj_per_cycle = table.leakage_mw * cycle_ns;
  else level.leak_pj_per_cycle = listed.leak_pj_per_cycle;
  level.area_um2 = area(from.area, spec.area, spec.name, table.area_um2);
}

double CostResolver::area(CostSource from, const std::optional<Amount>& stated, const std::string& name,
                          double in_table) const {
  if (from == CostSource::Stated) return std::get<double>(*stated);
  if (from == CostSource::Reference) return tables_.art->components.at(name);
  return from == CostSource::Table ? in_table : 0;
}

void CostResolver::fill_in(Compute& compute) {
  const ComputeSpec& spec = spec_.compute;
  const CostSources from = compute_cost_sources(spec_, tables_);
  if (from.energy == CostSource::None) {
    complain(spec.place, "missing key 'energy' of compute: pJ per operation, 'pat' or 'table'");
    return;
  }
  LogicCost table;
  if ((from.energy == CostSource::Table || from.area == CostSource::Table) && node_known(spec.place) &&
      whole(compute.word_bits, spec.place, "an operand of " + compute.name))
    table = mac_cost(compute.word_bits.parts(), *spec_.technology_nm);
  switch (from.energy) {
    case CostSource::Stated: compute.op_pj = std::get<double>(*spec.energy); break;
    case CostSource::Reference: {
      const ComputeEnergy listed = *compute_energy(*tables_.ert, compute.name);
      compute.op_pj = listed.op_pj;
      dearest_.add(compute.name, listed);
      break;
    }
    case CostSource::Pat: compute.op_pj = pat_mac_pj(compute.word_bits); break;
    case CostSource::Table: compute.op_pj = table.energy_pj; break;
    case CostSource::None: break;
  }
  compute.area_um2 = area(from.area, spec.area, compute.name, table.area_um2);
}

}  // namespace heliolite
