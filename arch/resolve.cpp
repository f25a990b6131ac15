// From what is written to what the engine needs: capacities in words, energies, leakage, areas, instances.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "arch/architecture_spec.h"
#include "arch/check.h"
#include "arch/energy_tables.h"
#include "arch/level_price.h"
#include "arch/limits.h"
#include "arch/pat_energy.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr u64 kDefaultWordBits = 16;
constexpr double kDefaultCycleNs = 1;

// Fills in one architecture; complaints are collected, so that all are reported.
class Resolver {
 public:
  Resolver(const ArchitectureSpec& spec, const ReferenceTables& tables, Diagnostics& errors)
      : spec_(spec), tables_(tables), errors_(errors) {}
  Architecture run();

 private:
  StorageLevel level(const LevelSpec& spec);
  std::optional<u64> entries(const LevelSpec& spec, const StorageLevel& level);
  void costs(const LevelSpec& spec, StorageLevel& level);
  AccessEnergy pat_energy(const LevelSpec& spec, const StorageLevel& level);
  std::optional<MemoryCost> table_cost(const LevelSpec& spec, const StorageLevel& level);
  void compute(Compute& compute);
  void arrange(Architecture& architecture);
  bool node_known(const Place& place);
  Amount area_source(const std::optional<Amount>& stated, const std::string& name, bool energy_from_table) const;
  void check_tables_used();

  void complain(const Place& place, std::string message) { errors_.push_back(place.error(std::move(message))); }

  const ArchitectureSpec& spec_;
  const ReferenceTables& tables_;
  Diagnostics& errors_;
};

bool Resolver::node_known(const Place& place) {
  if (!spec_.technology_nm)
    complain(place, "energies, leakage or areas from the tables need technology_nm of the machine");
  return spec_.technology_nm.has_value();
}

std::optional<u64> Resolver::entries(const LevelSpec& spec, const StorageLevel& level) {
  if (!spec.capacity) {
    if (!level.is_dram) complain(spec.place, "missing key 'entries' (words) or 'capacity' ('108 KB', or 'unbounded')");
    return std::nullopt;
  }
  if (const Words* words = std::get_if<Words>(&*spec.capacity)) return words->count;
  if (const Bytes* bytes = std::get_if<Bytes>(&*spec.capacity)) {
    const double words = std::floor(bytes->count * 8 / static_cast<double>(level.word_bits));
    if (words >= 1 && words <= static_cast<double>(kMaxEntries)) return static_cast<u64>(words);
    complain(spec.place, fmt::format("capacity of {} bytes is {} words of {} bits, must be from 1 to {}", bytes->count,
                                     words, level.word_bits, kMaxEntries));
  }
  return std::nullopt;
}

AccessEnergy Resolver::pat_energy(const LevelSpec& spec, const StorageLevel& level) {
  double pj = 0;
  if (level.is_dram) {
    pj = pat_dram_pj(level.word_bits, level.block_words);
  } else if (level.entries) {
    pj = pat_sram_pj(*level.entries, level.word_bits, level.block_words, level.cluster_size);
  } else if (spec.capacity) {
    complain(spec.place, "energies from a table need a bounded capacity, or give 'energy' in pJ");
  }
  return {pj, pj, pj};
}

// One instance's share of the physical memory that `cluster_size` instances make up.
std::optional<MemoryCost> Resolver::table_cost(const LevelSpec& spec, const StorageLevel& level) {
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
  MemoryCost cost = memory_cost(rows, level.word_bits * level.block_words * level.cluster_size, *spec_.technology_nm);
  const double share = 1.0 / static_cast<double>(level.cluster_size);
  return MemoryCost{cost.read_pj * share, cost.write_pj * share, cost.leakage_mw * share, cost.area_um2 * share};
}

// What the level states, else the reference tables, else the machine's model. Leakage and area come from the capacity
// tables when the energy does, unless stated.
void Resolver::costs(const LevelSpec& spec, StorageLevel& level) {
  std::optional<TableEnergy> fixed;
  bool from_pat = false;
  bool from_table = false;
  const auto follow = [&](EnergyModel model) { (model == EnergyModel::Pat ? from_pat : from_table) = true; };
  if (spec.energy) {
    if (const AccessEnergy* stated = std::get_if<AccessEnergy>(&*spec.energy)) fixed = TableEnergy{*stated, 0};
    else follow(std::get<EnergyModel>(*spec.energy));
  } else {
    if (tables_.ert) fixed = storage_energy(*tables_.ert, spec.name, level.cluster_size);
    if (!fixed && spec_.energy) follow(*spec_.energy);
  }
  if (!fixed && !from_pat && !from_table)
    complain(spec.place, "missing key 'energy': pJ per access, 'pat' or 'table' (here or for the whole machine)");

  const Amount leakage =
      spec.leakage.value_or(from_table ? Amount(EnergyModel::Table) : Amount(fixed ? fixed->leak_pj_per_cycle : 0.0));
  const Amount area = area_source(spec.area, spec.name, from_table);
  const bool asks_table = from_table || leakage.index() == 1 || area.index() == 1;
  const MemoryCost table = asks_table ? table_cost(spec, level).value_or(MemoryCost{}) : MemoryCost{};

  if (fixed) level.energy = fixed->access;
  if (from_pat) level.energy = pat_energy(spec, level);
  if (from_table) level.energy = {table.read_pj, table.write_pj, table.write_pj};
  const double cycle_ns = spec_.cycle_ns.value_or(kDefaultCycleNs);  // mW x ns = pJ
  level.leak_pj_per_cycle = leakage.index() == 1 ? table.leakage_mw * cycle_ns : std::get<double>(leakage);
  level.area_um2 = area.index() == 1 ? table.area_um2 : std::get<double>(area);
}

Amount Resolver::area_source(const std::optional<Amount>& stated, const std::string& name,
                             bool energy_from_table) const {
  if (stated) return *stated;
  if (tables_.art) {
    const auto found = tables_.art->components.find(name);
    if (found != tables_.art->components.end()) return found->second;
  }
  return energy_from_table ? Amount(EnergyModel::Table) : Amount(0.0);
}

StorageLevel Resolver::level(const LevelSpec& spec) {
  StorageLevel level;
  level.name = spec.name;
  level.multiple_buffering = spec.multiple_buffering.value_or(1);
  level.word_bits = spec.word_bits.value_or(spec_.word_bits.value_or(kDefaultWordBits));
  level.block_words = spec.block_words.value_or(1);
  level.cluster_size = spec.cluster_size.value_or(1);
  level.fanout_x = spec.fanout_x.value_or(1);
  level.fanout_y = spec.fanout_y.value_or(1);
  level.is_dram = spec.dram && spec.dram->is_dram;
  level.entries = entries(spec, level);
  for (const LevelPrice& price : kLevelPrices) level.*price.price = (spec.*price.stated).value_or(0);
  level.bandwidth = spec.bandwidth.value_or(Bandwidth{});
  level.network = spec.network.value_or(NetworkEnergy{});
  level.keep = spec.keep.value_or(KeepRule{{"all"}, {}});
  level.loops_allowed = spec.loops_allowed.value_or(true);
  level.constraints = spec.constraints.value_or(LevelConstraints{});
  costs(spec, level);
  return level;
}

void Resolver::compute(Compute& compute) {
  const ComputeSpec& spec = spec_.compute;
  compute.name = spec.name.value_or("MAC");
  compute.word_bits = spec.word_bits.value_or(spec_.word_bits.value_or(kDefaultWordBits));
  std::optional<Amount> energy = spec.energy;
  if (!energy && tables_.ert)
    if (const std::optional<double> pj = compute_energy(*tables_.ert, compute.name)) energy = *pj;
  if (!energy && spec_.energy) energy = Amount(*spec_.energy);
  if (!energy) {
    complain(spec.place, "missing key 'energy' of compute: pJ per operation, 'pat' or 'table'");
    return;
  }
  const bool from_table = *energy == Amount(EnergyModel::Table);
  const Amount area = area_source(spec.area, compute.name, from_table);
  LogicCost table;
  if ((from_table || area.index() == 1) && node_known(spec.place))
    table = mac_cost(compute.word_bits, *spec_.technology_nm);
  if (const double* pj = std::get_if<double>(&*energy)) compute.op_pj = *pj;
  else compute.op_pj = from_table ? table.energy_pj : pat_mac_pj(compute.word_bits);
  compute.area_um2 = area.index() == 1 ? table.area_um2 : std::get<double>(area);
}

// Instances and meshes follow from the fan-outs, one instance of the outermost level.
void Resolver::arrange(Architecture& architecture) {
  u64 x = 1;
  u64 y = 1;
  for (auto level = architecture.levels.rbegin(); level != architecture.levels.rend(); ++level) {
    level->instances = x * y;
    level->mesh_x = x;
    x *= level->fanout_x;
    y *= level->fanout_y;
    if (u128{x} * y > kMaxInstances) {
      complain(spec_.place, fmt::format("more than {} instances below {}", kMaxInstances, level->name));
      x = y = 1;
    }
  }
  architecture.compute.instances = x * y;
  architecture.compute.mesh_x = x;
}

// A reference table that names nothing of this machine is the wrong file.
void Resolver::check_tables_used() {
  std::vector<std::string> names{spec_.compute.name.value_or("MAC")};
  for (const LevelSpec& level : spec_.levels) names.push_back(level.name);
  const auto names_none = [&](const auto& components) {
    return std::ranges::none_of(names, [&](const std::string& name) { return components.contains(name); });
  };
  if (tables_.ert && names_none(tables_.ert->components))
    complain(spec_.place, fmt::format("the ERT names none of {}", join(names)));
  if (tables_.art && names_none(tables_.art->components))
    complain(spec_.place, fmt::format("the ART names none of {}", join(names)));
}

Architecture Resolver::run() {
  Architecture architecture;
  architecture.name = spec_.name.value_or("");
  architecture.description = spec_.description.value_or("");
  architecture.technology_nm = spec_.technology_nm;
  architecture.cycle_ns = spec_.cycle_ns;
  if (spec_.technology_nm && !spec_.cycle_ns) architecture.cycle_ns = kDefaultCycleNs;
  architecture.one_axis_per_dimension = spec_.one_axis_per_dimension.value_or(false);
  architecture.constraints_for_channels_only = spec_.constraints_for_channels_only.value_or(false);
  for (const LevelSpec& level_spec : spec_.levels) architecture.levels.push_back(level(level_spec));
  compute(architecture.compute);
  arrange(architecture);
  check_tables_used();
  return architecture;
}

// A bounded memory around one without bounds: the list was written the other way round.
bool written_innermost_first(const std::vector<LevelSpec>& levels) {
  if (levels.size() < 2) return false;
  const auto is_dram = [](const LevelSpec& level) { return level.dram && level.dram->is_dram; };
  const auto bounded = [&](const LevelSpec& level) {
    return !is_dram(level) && level.capacity && !std::holds_alternative<Unbounded>(*level.capacity);
  };
  return bounded(levels.back()) && !bounded(levels.front()) && (is_dram(levels.front()) || levels.front().capacity);
}

}  // namespace

Result<Architecture> resolve(const ArchitectureSpec& spec, const ReferenceTables& tables) {
  if (written_innermost_first(spec.levels))
    return spec.levels.front().place.error(
        fmt::format("levels are listed outermost first, but {} is the last and {} the first: reverse the list",
                    spec.levels.front().name, spec.levels.back().name));
  Diagnostics errors;
  Architecture architecture = Resolver(spec, tables, errors).run();
  const auto place_of = [&](int level) {
    const Place& place = level == kComputeUnits ? spec.compute.place
                         : level < 0            ? spec.place
                                                : spec.levels[at(level)].place;
    return place.error("");
  };
  // What could not be filled in is complained about once, not again by the checks.
  if (errors.empty()) errors = check(architecture, place_of);
  std::ranges::stable_sort(errors, {}, [](const Diagnostic& error) { return std::pair(error.file, error.line); });
  if (!errors.empty()) return errors;
  return architecture;
}

}  // namespace heliolite
