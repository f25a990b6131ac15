#include "arch/architecture_spec.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

using Names = std::vector<std::string>;

template <class T>
void replace(std::optional<T>& value, const std::optional<T>& by) {
  if (by) value = by;
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
  for (const auto key : kKeys) replace(base.*key, by.*key);
}

void vary_level(LevelSpec& base, const LevelSpec& by) {
  base.place = by.place;
  replace(base.capacity, by.capacity);
  replace(base.multiple_buffering, by.multiple_buffering);
  replace(base.word_bits, by.word_bits);
  replace(base.block_words, by.block_words);
  replace(base.cluster_size, by.cluster_size);
  replace(base.fanout_x, by.fanout_x);
  replace(base.fanout_y, by.fanout_y);
  replace(base.energy, by.energy);
  replace(base.leakage, by.leakage);
  replace(base.area, by.area);
  for (const LevelPrice& price : kLevelPrices) replace(base.*price.stated, by.*price.stated);
  if (by.bandwidth || by.gigabytes_per_second) {
    base.bandwidth = by.bandwidth;
    base.gigabytes_per_second = by.gigabytes_per_second;
  }
  replace(base.network, by.network);
  replace(base.dram, by.dram);
  replace(base.reduction, by.reduction);
  replace(base.interconnect, by.interconnect);
  vary_keep(base.keep, by.keep);
  replace(base.loops_allowed, by.loops_allowed);
  replace(base.constraints, by.constraints);
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
  replace(base.name, by.name);
  replace(base.word_bits, by.word_bits);
  replace(base.cycles_per_op, by.cycles_per_op);
  replace(base.energy, by.energy);
  replace(base.area, by.area);
  replace(base.runs, by.runs);
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
    replace(found->below, unit.below);
    vary_level(found->feed, unit.feed);
    vary_levels(found->levels, unit.levels, errors);
    vary_compute(found->compute, unit.compute);
  }
}

}  // namespace

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

ArchitectureSpec vary(ArchitectureSpec base, const ArchitectureSpec& variant, Diagnostics& errors) {
  base.place = variant.place;
  base.base.reset();
  replace(base.name, variant.name);
  replace(base.description, variant.description);
  replace(base.technology_nm, variant.technology_nm);
  replace(base.cycle_ns, variant.cycle_ns);
  replace(base.word_bits, variant.word_bits);
  replace(base.one_axis_per_dimension, variant.one_axis_per_dimension);
  replace(base.unit_loops_first, variant.unit_loops_first);
  replace(base.constraints_for_channels_only, variant.constraints_for_channels_only);
  replace(base.min_parallelism, variant.min_parallelism);
  replace(base.peer_channel, variant.peer_channel);
  replace(base.drain_reads, variant.drain_reads);
  replace(base.all_leaks, variant.all_leaks);
  replace(base.ramps, variant.ramps);
  replace(base.timeloop_cycles, variant.timeloop_cycles);
  if (variant.energy) {
    forget_energies(base.levels, base.compute);
    for (UnitSpec& unit : base.units) forget_energies(unit.levels, unit.compute);
  }
  replace(base.energy, variant.energy);
  vary_levels(base.levels, variant.levels, errors);
  vary_compute(base.compute, variant.compute);
  vary_units(base.units, variant.units, errors);
  return base;
}

}  // namespace heliolite
