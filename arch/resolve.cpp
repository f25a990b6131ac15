// From what is written to what the engine needs: capacities in words, energies, leakage, areas, instances.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "arch/architecture_spec.h"
#include "arch/bandwidth_units.h"
#include "arch/check.h"
#include "arch/cost_source.h"
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

AccessEnergy stated_energy(const std::variant<EnergyModel, AccessEnergy, PicojoulesPerBit>& stated,
                           const StorageLevel& level) {
  const PicojoulesPerBit* bit = std::get_if<PicojoulesPerBit>(&stated);
  if (bit == nullptr) return std::get<AccessEnergy>(stated);
  const double pj = bit->pj * static_cast<double>(level.word_bits * level.block_words);
  return {pj, pj, pj};
}

// Fills in one architecture; complaints are collected, so that all are reported.
class Resolver {
 public:
  Resolver(const ArchitectureSpec& spec, const ReferenceTables& tables, Diagnostics& errors)
      : spec_(spec), tables_(tables), errors_(errors) {}
  Architecture run();

 private:
  StorageLevel level(const LevelSpec& spec);
  std::optional<u64> entries(const LevelSpec& spec, const StorageLevel& level);
  Bandwidth bandwidth(const LevelSpec& spec, const StorageLevel& level);
  void interconnect(const LevelSpec& spec, StorageLevel& level);
  void costs(const LevelSpec& spec, StorageLevel& level);
  AccessEnergy pat_energy(const LevelSpec& spec, const StorageLevel& level);
  std::optional<MemoryCost> table_cost(const LevelSpec& spec, const StorageLevel& level);
  void compute(Compute& compute);
  void arrange(Architecture& architecture);
  bool node_known(const Place& place);
  double area(CostSource from, const std::optional<Amount>& stated, const std::string& name, double in_table) const;
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
    if (!level.is_dram && !level.is_interconnect)
      complain(spec.place, "missing key 'entries' (words) or 'capacity' ('108 KB', or 'unbounded')");
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

// By the sources of arch/cost_source.h.
void Resolver::costs(const LevelSpec& spec, StorageLevel& level) {
  const CostSources from = cost_sources(spec, spec_, tables_);
  if (from.energy == CostSource::None)
    complain(spec.place, level.is_interconnect
                             ? "missing key 'energy' of an interconnect: '1.2 pJ/bit', or pJ of block_words words"
                             : "missing key 'energy': pJ per access, 'pat' or 'table' (here or for the whole machine)");
  const bool asks_table =
      from.energy == CostSource::Table || from.leakage == CostSource::Table || from.area == CostSource::Table;
  const MemoryCost table = asks_table ? table_cost(spec, level).value_or(MemoryCost{}) : MemoryCost{};
  TableEnergy listed;
  if (from.energy == CostSource::Reference) listed = *storage_energy(*tables_.ert, spec.name, level.cluster_size);
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

double Resolver::area(CostSource from, const std::optional<Amount>& stated, const std::string& name,
                      double in_table) const {
  if (from == CostSource::Stated) return std::get<double>(*stated);
  if (from == CostSource::Reference) return tables_.art->components.at(name);
  return from == CostSource::Table ? in_table : 0;
}

// In words per cycle. What is stated in GB/s needs a clock and a word that are stated, too: a default would silently
// decide what the machine can do.
Bandwidth Resolver::bandwidth(const LevelSpec& spec, const StorageLevel& level) {
  Bandwidth words = spec.bandwidth.value_or(Bandwidth{});
  const Bandwidth bytes = spec.gigabytes_per_second.value_or(Bandwidth{});
  const auto fill_in = [&](std::optional<double>& rate, const std::optional<double>& gigabytes) {
    if (rate || !gigabytes) return;
    rate = words_per_cycle(*gigabytes, static_cast<double>(level.word_bits), spec_.cycle_ns.value_or(kDefaultCycleNs));
  };
  fill_in(words.read, bytes.read);
  fill_in(words.write, bytes.write);
  fill_in(words.shared, bytes.shared);
  if (!bytes.read && !bytes.write && !bytes.shared) return words;
  if (!spec_.cycle_ns)
    complain(spec.place, "a bandwidth in GB/s needs cycle_ns, the length of a cycle, of the machine");
  if (!spec.word_bits && !spec_.word_bits)
    complain(spec.place, "a bandwidth in GB/s needs word_bits of the level or of the machine");
  return words;
}

// It holds nothing and has no loops; whatever is about holding has no meaning.
void Resolver::interconnect(const LevelSpec& spec, StorageLevel& level) {
  const auto refuse = [&](bool given, std::string_view key) {
    if (given) complain(spec.place, fmt::format("an interconnect holds nothing: it has no '{}'", key));
  };
  refuse(spec.capacity.has_value(), "capacity', 'entries");
  refuse(spec.multiple_buffering.has_value(), "multiple_buffering");
  refuse(spec.cluster_size.has_value(), "cluster_size");
  refuse(spec.address_generation_pj.has_value(), "address_generation_pj");
  refuse(spec.dram && spec.dram->is_dram, "dram");
  refuse(spec.keep && !spec.keep->keep.empty(), "keep', 'open");
  refuse(spec.loops_allowed.value_or(false), "loops");
  const auto of_model = [](const auto& stated) { return stated && std::holds_alternative<EnergyModel>(*stated); };
  if (of_model(spec.energy) || of_model(spec.leakage) || of_model(spec.area))
    complain(spec.place, "no table knows interconnects: energy is '1.2 pJ/bit' or pJ, leakage pJ, area um2");
  level.keep = {{}, {"all"}};
  level.loops_allowed = false;
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
  level.is_interconnect = spec.interconnect.value_or(false);
  level.entries = entries(spec, level);
  for (const LevelPrice& price : kLevelPrices) level.*price.price = (spec.*price.stated).value_or(0);
  level.bandwidth = bandwidth(spec, level);
  level.network = spec.network.value_or(NetworkEnergy{});
  level.keep = spec.keep.value_or(KeepRule{{"all"}, {}});
  level.loops_allowed = spec.loops_allowed.value_or(true);
  level.constraints = spec.constraints.value_or(LevelConstraints{});
  const std::size_t complaints = errors_.size();
  if (level.is_interconnect) interconnect(spec, level);
  if (errors_.size() == complaints) costs(spec, level);
  return level;
}

void Resolver::compute(Compute& compute) {
  const ComputeSpec& spec = spec_.compute;
  compute.name = spec.name.value_or("MAC");
  compute.word_bits = spec.word_bits.value_or(spec_.word_bits.value_or(kDefaultWordBits));
  const CostSources from = compute_cost_sources(spec_, tables_);
  if (from.energy == CostSource::None) {
    complain(spec.place, "missing key 'energy' of compute: pJ per operation, 'pat' or 'table'");
    return;
  }
  LogicCost table;
  if ((from.energy == CostSource::Table || from.area == CostSource::Table) && node_known(spec.place))
    table = mac_cost(compute.word_bits, *spec_.technology_nm);
  switch (from.energy) {
    case CostSource::Stated: compute.op_pj = std::get<double>(*spec.energy); break;
    case CostSource::Reference: compute.op_pj = *compute_energy(*tables_.ert, compute.name); break;
    case CostSource::Pat: compute.op_pj = pat_mac_pj(compute.word_bits); break;
    case CostSource::Table: compute.op_pj = table.energy_pj; break;
    case CostSource::None: break;
  }
  compute.area_um2 = area(from.area, spec.area, compute.name, table.area_um2);
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
  architecture.unit_loops_first = spec_.unit_loops_first.value_or(false);
  architecture.constraints_for_channels_only = spec_.constraints_for_channels_only.value_or(false);
  architecture.link_transfers = spec_.link_transfers.value_or(false);
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
