// A machine with several compute units: the chain of each, and what stands beside it.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "arch/architecture_spec.h"
#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

// Area, and leakage in a cycle, of levels and compute units.
struct Standing {
  double um2 = 0, pj_per_cycle = 0;

  void add(const StorageLevel& level) {
    um2 += level.area_um2 * static_cast<double>(level.instances);
    pj_per_cycle += level.leak_pj_per_cycle * static_cast<double>(level.instances);
  }
  void add(const Compute& compute) { um2 += compute.area_um2 * static_cast<double>(compute.instances); }
};

Standing standing(const Architecture& chain, std::size_t levels) {
  Standing out;
  for (std::size_t i = 0; i < levels; ++i) out.add(chain.levels[i]);
  out.add(chain.compute);
  return out;
}

// Mappings name levels and units: no two have one name.
Diagnostics same_names(const ArchitectureSpec& spec, const Architecture& machine) {
  Diagnostics errors;
  std::vector<std::string> taken{machine.compute.name};
  for (const StorageLevel& level : machine.levels) taken.push_back(level.name);
  const auto take = [&](const std::string& name, const Place& place) {
    if (std::ranges::find(taken, name) != taken.end())
      errors.push_back(place.error(fmt::format("the machine has another level or unit {}", name)));
    taken.push_back(name);
  };
  for (const UnitSpec& unit : spec.units) {
    take(unit.name, unit.place);
    for (const LevelSpec& level : unit.levels) take(level.name, level.place);
  }
  return errors;
}

}  // namespace

Result<ArchitectureSpec> chain_spec(const ArchitectureSpec& machine, const UnitSpec& unit) {
  const std::vector<std::string> names = names_of(machine.levels);
  if (!unit.below)
    return unit.place.error(
        fmt::format("unit {} needs 'below', the level that feeds it: {}", unit.name, join(names, "or")));
  const auto feed = std::ranges::find(machine.levels, *unit.below, &LevelSpec::name);
  if (feed == machine.levels.end())
    return unit.place.error(fmt::format("below = {}, must be a level of the machine: {}{}", *unit.below, join(names),
                                        did_you_mean(*unit.below, names)));
  ArchitectureSpec out = machine;
  out.place = unit.place;
  out.units.clear();
  out.min_parallelism.reset();
  out.compute = unit.compute;
  out.levels = unit.levels;
  out.levels.insert(out.levels.end(), feed, machine.levels.end());
  LevelSpec& shared = out.levels[unit.levels.size()];
  shared.fanout_x = unit.feed.fanout_x, shared.fanout_y = unit.feed.fanout_y;
  shared.network = unit.feed.network;
  shared.constraints = unit.feed.constraints;
  if (!out.compute.runs) out.compute.runs = static_cast<OperationMask>(kAllOperations & ~kProducts);
  return out;
}

Diagnostics resolve_units(const ArchitectureSpec& spec, const ReferenceTables& tables, Architecture& machine) {
  Diagnostics errors = same_names(spec, machine);
  if (!errors.empty()) return errors;
  const auto collect = [&](const Diagnostics& more) { errors.insert(errors.end(), more.begin(), more.end()); };
  for (const UnitSpec& unit : spec.units) {
    const Result<ArchitectureSpec> chain = chain_spec(spec, unit);
    if (!chain) {
      collect(chain.errors());
      continue;
    }
    Result<Architecture> resolved = resolve(*chain, tables);
    if (resolved) machine.units.push_back(*std::move(resolved));
    else collect(resolved.errors());
  }
  if (!errors.empty()) return errors;
  std::vector<Standing> own;  // [chain]: all of the machine's, then each unit's
  Standing all;
  for (std::size_t unit = 0; unit < machine.chains(); ++unit) {
    const Architecture& chain = machine.chain(unit);
    own.push_back(standing(chain, unit == 0 ? chain.levels.size() : own_levels(machine, chain)));
    all.um2 += own.back().um2, all.pj_per_cycle += own.back().pj_per_cycle;
  }
  for (std::size_t unit = 0; unit < machine.chains(); ++unit) {
    Architecture& chain = unit == 0 ? machine : machine.units[unit - 1];
    const Standing here = standing(chain, chain.levels.size());
    chain.beside_um2 = std::max(0.0, all.um2 - here.um2);
    chain.beside_pj_per_cycle = std::max(0.0, all.pj_per_cycle - here.pj_per_cycle);
  }
  return {};
}

std::size_t own_levels(const Architecture& machine, const Architecture& unit) {
  const auto shared = [&](const StorageLevel& level) { return machine.find_level(level.name).has_value(); };
  return static_cast<std::size_t>(std::ranges::find_if(unit.levels, shared) - unit.levels.begin());
}

std::vector<const StorageLevel*> all_levels(const Architecture& machine) {
  std::vector<const StorageLevel*> out;
  for (std::size_t unit = 0; unit < machine.chains(); ++unit) {
    const Architecture& chain = machine.chain(unit);
    for (std::size_t i = unit == 0 ? chain.levels.size() : own_levels(machine, chain); i-- > 0;)
      out.push_back(&chain.levels[i]);
  }
  return out;
}

Diagnostics refuse_units(const Architecture& machine, std::string_view who) {
  if (machine.units.empty()) return {};
  std::vector<std::string> names;
  for (const Architecture& unit : machine.units) names.push_back(unit.compute.name);
  return {{"", 0, "units",
           fmt::format("{} beside {}: {} one kind of compute units, leave out the machine's `units`", join(names),
                       machine.compute.name, who)}};
}

}  // namespace heliolite
