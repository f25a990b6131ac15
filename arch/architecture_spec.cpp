#include "arch/architecture_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "arch/check.h"
#include "arch/cost_resolver.h"
#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

using Names = std::vector<std::string>;

// Takes over these fields of the variant where it states them.
template <class Spec, class... T>
void replace(Spec& base, const Spec& by, std::optional<T> Spec::*... fields) {
  const auto take_over = [&](auto field) {
    if (by.*field) base.*field = by.*field;
  };
  (take_over(fields), ...);
}

bool holds(const Names& words, const std::string& word) { return std::ranges::find(words, word) != words.end(); }

// The roles that none of the lists names.
Names other_roles(const Names& a, const Names& b) {
  Names rest;
  for (const char* role : {"inputs", "weights", "outputs"})
    if (!holds(a, role) && !holds(b, role)) rest.emplace_back(role);
  return rest;
}

// A rule selects what is open by selecting everything else, so `all` among other selectors becomes the roles that
// these leave: a role beats `all`, also where the role is open.
void spell_out_all(Names& words, const Names& other, const Names& open) {
  if (!holds(words, "all")) return;
  Names rest = other_roles(words, other);
  std::erase_if(rest, [&](const std::string& role) { return holds(open, role); });
  std::erase(words, "all");
  words.insert(words.end(), rest.begin(), rest.end());
}

void vary_keep(KeepSpec& base, const KeepSpec& by) {
  constexpr std::array kKeys{&KeepSpec::keep, &KeepSpec::bypass, &KeepSpec::open};
  for (const auto key : kKeys)
    for (const auto other : kKeys) {
      if (key == other || !(by.*key) || !(base.*other)) continue;
      if (holds(*(by.*key), "all")) (base.*other).reset();
      else std::erase_if(*(base.*other), [&](const std::string& word) { return holds(*(by.*key), word); });
    }
  for (const auto key : kKeys) replace(base, by, key);
}

void vary_level(LevelSpec& base, const LevelSpec& by) {
  base.place = by.place;
  replace(base, by, &LevelSpec::capacity, &LevelSpec::multiple_buffering, &LevelSpec::word_bits,
          &LevelSpec::block_words, &LevelSpec::cluster_size, &LevelSpec::fanout_x, &LevelSpec::fanout_y,
          &LevelSpec::energy, &LevelSpec::leakage, &LevelSpec::area, &LevelSpec::network, &LevelSpec::dram,
          &LevelSpec::reduction, &LevelSpec::interconnect, &LevelSpec::loops_allowed, &LevelSpec::constraints);
  for (const LevelPrice& price : kLevelPrices) replace(base, by, price.stated);
  if (by.bandwidth || by.gigabytes_per_second) {
    base.bandwidth = by.bandwidth;
    base.gigabytes_per_second = by.gigabytes_per_second;
  }
  vary_keep(base.keep, by.keep);
}

void forget_energies(std::vector<LevelSpec>& levels, ComputeSpec& compute) {
  for (LevelSpec& level : levels) {
    if (level.interconnect.value_or(false)) continue;
    level.energy.reset();
    level.leakage.reset();
    level.area.reset();
  }
  compute.energy.reset();
  compute.area.reset();
}

void vary_levels(std::vector<LevelSpec>& base, const std::vector<LevelSpec>& variant, Diagnostics& errors) {
  const std::vector<std::string> names = names_of(base);
  for (const LevelSpec& level : variant) {
    const auto found = std::ranges::find(names, level.name);
    if (found == names.end())
      errors.push_back(level.place.error(fmt::format("the base has no level {}, it has {}{}", level.name, join(names),
                                                     did_you_mean(level.name, names))));
    else vary_level(base[found - names.begin()], level);
  }
}

void vary_compute(ComputeSpec& base, const ComputeSpec& by) {
  if (by.name || by.word_bits || by.energy || by.area || by.cycles_per_op || by.runs) base.place = by.place;
  replace(base, by, &ComputeSpec::name, &ComputeSpec::word_bits, &ComputeSpec::cycles_per_op, &ComputeSpec::energy,
          &ComputeSpec::area, &ComputeSpec::runs);
}

// A unit that the base does not have is added to it.
void vary_units(std::vector<UnitSpec>& base, const std::vector<UnitSpec>& variant, Diagnostics& errors) {
  for (const UnitSpec& unit : variant) {
    const auto found = std::ranges::find(base, unit.name, &UnitSpec::name);
    if (found == base.end()) {
      base.push_back(unit);
      continue;
    }
    found->place = unit.place;
    if (unit.below) found->below = unit.below;
    vary_level(found->feed, unit.feed);
    vary_levels(found->levels, unit.levels, errors);
    vary_compute(found->compute, unit.compute);
  }
}

// The rule of what is stated; everything is held if nothing is. A tensor that no key names is bypassed if there is a
// `keep`, unless both `keep` and `bypass` are there without `open`: then it is open; without a `keep` it is kept.
KeepRule keep_rule(const KeepSpec& stated) {
  if (!stated.states_any()) return {{"all"}, {}};
  const Names kept = stated.keep.value_or(Names{});
  const Names passed = stated.bypass.value_or(Names{});
  KeepRule rule{kept, passed};
  if (!stated.open) {
    if (stated.keep && !stated.bypass && !holds(kept, "all")) rule.bypass = {"all"};
    if (stated.bypass && !stated.keep && !holds(passed, "all")) rule.keep = {"all"};
    return rule;
  }
  spell_out_all(rule.keep, passed, *stated.open);
  spell_out_all(rule.bypass, kept, *stated.open);
  if (holds(*stated.open, "all")) return rule;
  if (stated.keep && !stated.bypass) rule.bypass = other_roles(rule.keep, *stated.open);
  if (!stated.keep) rule.keep = other_roles(rule.bypass, *stated.open);
  return rule;
}

}  // namespace

ArchitectureSpec vary(ArchitectureSpec base, const ArchitectureSpec& variant, Diagnostics& errors) {
  base.place = variant.place;
  base.base.reset();
  replace(base, variant, &ArchitectureSpec::name, &ArchitectureSpec::description, &ArchitectureSpec::technology_nm,
          &ArchitectureSpec::cycle_ns, &ArchitectureSpec::word_bits, &ArchitectureSpec::one_axis_per_dimension,
          &ArchitectureSpec::unit_loops_first, &ArchitectureSpec::constraints_for_channels_only,
          &ArchitectureSpec::min_parallelism, &ArchitectureSpec::peer_channel, &ArchitectureSpec::drain_reads,
          &ArchitectureSpec::all_leaks, &ArchitectureSpec::ramps, &ArchitectureSpec::timeloop_cycles);
  if (variant.energy) {
    forget_energies(base.levels, base.compute);
    for (UnitSpec& unit : base.units) forget_energies(unit.levels, unit.compute);
  }
  replace(base, variant, &ArchitectureSpec::energy);
  vary_levels(base.levels, variant.levels, errors);
  vary_compute(base.compute, variant.compute);
  vary_units(base.units, variant.units, errors);
  return base;
}

// From what is written to what the engine needs: capacities in words, energies, leakage, areas, instances.

namespace {

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
  void compute(Compute& compute);
  void arrange(Architecture& architecture);
  void check_tables_used();

  void complain(const Place& place, std::string message) { errors_.push_back(place.error(std::move(message))); }

  const ArchitectureSpec& spec_;
  const ReferenceTables& tables_;
  Diagnostics& errors_;
  CostResolver costs_{spec_, tables_, errors_};
};

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
  refuse(spec.reduction.has_value(), "reduction");
  refuse(spec.keep.states_any() && !keep_rule(spec.keep).keep.empty(), "keep', 'open");
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
  level.reduction = spec.reduction;
  level.is_interconnect = spec.interconnect.value_or(false);
  level.entries = entries(spec, level);
  for (const LevelPrice& price : kLevelPrices) level.*price.price = (spec.*price.stated).value_or(0);
  level.bandwidth = bandwidth(spec, level);
  level.network = spec.network.value_or(NetworkEnergy{});
  level.keep = keep_rule(spec.keep);
  level.loops_allowed = spec.loops_allowed.value_or(true);
  level.constraints = spec.constraints.value_or(LevelConstraints{});
  const std::size_t complaints = errors_.size();
  if (level.is_interconnect) interconnect(spec, level);
  if (errors_.size() == complaints) costs_.fill_in(spec, level);
  return level;
}

void Resolver::compute(Compute& compute) {
  const ComputeSpec& spec = spec_.compute;
  compute.name = spec.name.value_or("MAC");
  compute.word_bits = spec.word_bits.value_or(spec_.word_bits.value_or(kDefaultWordBits));
  compute.cycles_per_op = spec.cycles_per_op.value_or(1);
  compute.runs = spec.runs.value_or(spec_.units.empty() ? kAllOperations : kProducts);
  costs_.fill_in(compute);
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
  architecture.min_parallelism = spec_.min_parallelism.value_or(0);
  architecture.peer_channel = spec_.peer_channel.value_or(false);
  architecture.drain_reads = spec_.drain_reads.value_or(false);
  architecture.all_leaks = spec_.all_leaks.value_or(false);
  architecture.ramps = spec_.ramps.value_or(false);
  architecture.timeloop_cycles = spec_.timeloop_cycles.value_or(false);
  for (const LevelSpec& level_spec : spec_.levels) architecture.levels.push_back(level(level_spec));
  compute(architecture.compute);
  arrange(architecture);
  check_tables_used();
  architecture.notes = costs_.notes();
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
                                                : spec.levels[level].place;
    return place.error("");
  };
  // What could not be filled in is complained about once, not again by the checks.
  if (errors.empty()) errors = check(architecture, place_of);
  if (errors.empty()) errors = resolve_units(spec, tables, architecture);
  std::ranges::stable_sort(errors, {}, [](const Diagnostic& error) { return std::pair(error.file, error.line); });
  if (!errors.empty()) return errors;
  return architecture;
}

}  // namespace heliolite
