#include "arch/check.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "arch/architecture_spec.h"
#include "engine/base/text.h"

namespace heliolite {

std::string level_field(std::string_view level, std::string_view part) {
  return fmt::format("level '{}', {}", level, part);
}

namespace {

// Calls each(field, pJ) for every energy of a level.
template <class Each>
void each_price(const StorageLevel& level, Each&& each) {
  each("energy.read", level.energy.read_pj);
  each("energy.fill", level.energy.fill_pj);
  each("energy.update", level.energy.update_pj);
  for (const LevelPrice& price : kLevelPrices) each(price.key, level.*price.price);
  each("leak_pj_per_cycle", level.leak_pj_per_cycle);
  each("network.hop_pj", level.network.hop_pj);
  each("network.router_pj", level.network.router_pj);
  each("network.ingress_pj", level.network.ingress_pj);
}

// Complaints about one level (or the machine, or its compute units).
class Checker {
 public:
  Checker(const Architecture& architecture, const PlaceOf& place_of, Diagnostics& errors)
      : architecture_(architecture), place_of_(place_of), errors_(errors) {}

  void machine();
  void level(int index);
  void compute();

 private:
  void complain(std::string_view field, std::string message) {
    Diagnostic diagnostic = place_of_(at_);
    if (!field.empty()) diagnostic.field += (diagnostic.field.empty() ? "" : ".") + std::string(field);
    diagnostic.message = std::move(message);
    errors_.push_back(std::move(diagnostic));
  }
  void count(std::string_view field, u64 value, u64 low, u64 high) {
    if (value < low || value > high)
      complain(field, fmt::format("{} = {}, must be from {} to {}", field, value, low, high));
  }
  void length(std::string_view field, WordLength value) {
    if (const std::optional<std::string> why = refusal(value))
      complain(field, fmt::format("{} = {}, {}", field, value, *why));
  }
  void number(std::string_view field, double value, double low, double high) {
    if (!(value >= low && value <= high))
      complain(field, fmt::format("{} = {}, must be from {} to {}", field, value, low, high));
  }
  void energy(std::string_view field, double value) { number(field, value, 0, kMaxAccessPicojoules); }
  void bandwidth(std::string_view field, const std::optional<double>& value) {
    if (value) number(field, *value, kMinBandwidth, kMaxBandwidth);
  }

  void sizes(const StorageLevel& level);
  void energies(const StorageLevel& level);
  void keep(const StorageLevel& level, bool outermost);
  void interconnect(const StorageLevel& level, bool outermost);
  void constraints(const StorageLevel& level);
  void factors(std::string_view field, const std::vector<FactorConstraint>& factors, u64 most);
  void below(const StorageLevel& level, u64 instances, u64 mesh_x, const std::string& inner);

  const Architecture& architecture_;
  const PlaceOf& place_of_;
  Diagnostics& errors_;
  int at_ = kWholeMachine;
};

void Checker::machine() {
  at_ = kWholeMachine;
  const std::size_t count = architecture_.levels.size();
  if (count == 0) complain("levels", "a machine needs at least one storage level");
  if (count > std::size_t{kMaxLevels})
    complain("levels", fmt::format("{} storage levels (split ones count each buffer), at most {} are supported", count,
                                   kMaxLevels));
  number("min_parallelism", architecture_.min_parallelism, 0, 1);
}

void Checker::sizes(const StorageLevel& level) {
  if (level.entries) count("entries", *level.entries, 1, kMaxEntries);
  number("multiple_buffering", level.multiple_buffering, 1, kMaxMultipleBuffering);
  if (level.entries && *level.entries > 0 && level.multiple_buffering >= 1 && level.capacity_words() == 0)
    complain("multiple_buffering", fmt::format("multiple_buffering = {} leaves no room in {} words",
                                               level.multiple_buffering, *level.entries));
  length("word_bits", level.word_bits);
  count("block_words", level.block_words, 1, kMaxBlockWords);
  count("cluster_size", level.cluster_size, 1, kMaxClusterSize);
  count("instances", level.instances, 1, kMaxInstances);
  count("fanout_x", level.fanout_x, 1, kMaxFanout);
  count("fanout_y", level.fanout_y, 1, kMaxFanout);
  if (level.cluster_size >= 1 && level.instances % level.cluster_size != 0)
    complain("cluster_size",
             fmt::format("cluster_size = {} does not divide the {} instances", level.cluster_size, level.instances));
}

void Checker::energies(const StorageLevel& level) {
  each_price(level, [this](std::string_view field, double pj) { energy(field, pj); });
  number("area_um2", level.area_um2, 0, kMaxAreaUm2);
  bandwidth("bandwidth.read", level.bandwidth.read);
  bandwidth("bandwidth.write", level.bandwidth.write);
  bandwidth("bandwidth.shared", level.bandwidth.shared);
}

void Checker::keep(const StorageLevel& level, bool outermost) {
  if (outermost && !level.keep.bypass.empty())
    complain("bypass", fmt::format("the outermost level holds every tensor, but {} are told to pass by it",
                                   join(level.keep.bypass)));
  if (outermost && !level.loops_allowed)
    complain("loops", "the outermost level must allow loops: what is left of every dimension runs there");
}

void Checker::interconnect(const StorageLevel& level, bool outermost) {
  if (outermost) complain("interconnect", "the outermost level holds every tensor: it cannot be an interconnect");
  const auto is_all = [](const std::string& selector) { return lower(selector) == "all"; };
  if (!level.keep.keep.empty() || std::ranges::none_of(level.keep.bypass, is_all))
    complain("keep", "an interconnect holds nothing: every tensor passes by it");
  if (level.loops_allowed) complain("loops", "an interconnect has no loops");
  if (level.entries || level.multiple_buffering != 1 || level.cluster_size != 1 || level.is_dram || level.reduction ||
      level.address_generation_pj != 0)
    complain("interconnect", "an interconnect has no capacity, buffers, clusters, or addresses, and sums nothing");
  if (architecture_.peer_channel)
    complain("interconnect", fmt::format("{} are not counted on machines with interconnects: say {}: off",
                                         kPeerChannel.name, kPeerChannel.field));
}

void Checker::factors(std::string_view field, const std::vector<FactorConstraint>& factors, u64 most) {
  for (const FactorConstraint& factor : factors) {
    if (factor.dimension.empty()) complain(field, "a factor without a dimension");
    if (factor.value == kLargestFactor) continue;
    if (factor.value > kMaxDimensionSize)
      complain(field,
               fmt::format("factor {} of {}, must be at most {}", factor.value, factor.dimension, kMaxDimensionSize));
    else if (factor.relation != Relation::AtMost && factor.value > most)
      complain(field,
               fmt::format("{} unrolled by {}, but the fan-out has {} places", factor.dimension, factor.value, most));
    if (factor.relation == Relation::AtMost && factor.value == 0)
      complain(field, fmt::format("{} at most 0, must be at least 1", factor.dimension));
  }
}

void Checker::constraints(const StorageLevel& level) {
  const LevelConstraints& rules = level.constraints;
  factors("constraints.temporal.factors", rules.temporal.factors, kMaxDimensionSize);
  factors("constraints.spatial.factors", rules.spatial.factors, level.fanout());
  const bool free_of_rules = rules.temporal.factors.empty() && rules.temporal.order.empty() && !rules.temporal.allowed;
  if (!level.loops_allowed && !free_of_rules)
    complain("constraints.temporal", "no loops are allowed here, so there is nothing to constrain");
}

// What lies below `level` must be what its fan-out gives.
void Checker::below(const StorageLevel& level, u64 instances, u64 mesh_x, const std::string& inner) {
  const u128 want = u128{level.instances} * level.fanout_x * level.fanout_y;
  if (want != instances)
    complain("fanout", fmt::format("{} instances with a fan-out of {} x {} do not give the {} instances of {}",
                                   level.instances, level.fanout_x, level.fanout_y, instances, inner));
  else if (u128{level.mesh_x} * level.fanout_x != mesh_x)
    complain("fanout", fmt::format("{} instances along X with a fan-out of {} do not give the {} along X of {}",
                                   level.mesh_x, level.fanout_x, mesh_x, inner));
}

void Checker::level(int index) {
  at_ = index;
  const auto& levels = architecture_.levels;
  const StorageLevel& level = levels[index];
  if (level.name.empty()) complain("name", "a level needs a name");
  for (int other = index + 1; other < static_cast<int>(levels.size()); ++other)
    if (levels[other].name == level.name) complain("name", fmt::format("two levels are called {}", level.name));
  if (level.name == architecture_.compute.name)
    complain("name", fmt::format("{} is also the compute unit", level.name));
  sizes(level);
  energies(level);
  const bool outermost = index + 1 == static_cast<int>(levels.size());
  keep(level, outermost);
  if (level.is_interconnect) interconnect(level, outermost);
  constraints(level);
  if (level.mesh_x < 1 || level.instances % level.mesh_x != 0)
    complain("mesh_x", fmt::format("mesh_x = {} does not divide the {} instances", level.mesh_x, level.instances));
  if (index == 0) {
    below(level, architecture_.compute.instances, architecture_.compute.mesh_x, architecture_.compute.name);
  } else {
    const StorageLevel& inner = levels[index - 1];
    below(level, inner.instances, inner.mesh_x, inner.name);
  }
}

void Checker::compute() {
  at_ = kComputeUnits;
  const Compute& compute = architecture_.compute;
  count("instances", compute.instances, 1, kMaxInstances);
  length("word_bits", compute.word_bits);
  energy("energy", compute.op_pj);
  number("area_um2", compute.area_um2, 0, kMaxAreaUm2);
  if (compute.mesh_x < 1 || compute.instances % compute.mesh_x != 0)
    complain("mesh_x", fmt::format("mesh_x = {} does not divide the {} instances", compute.mesh_x, compute.instances));
}

}  // namespace

Diagnostics check(const Architecture& architecture, const PlaceOf& place_of) {
  Diagnostics errors;
  Checker checker(architecture, place_of, errors);
  checker.machine();
  for (int i = 0; i < static_cast<int>(architecture.levels.size()); ++i) checker.level(i);
  checker.compute();
  return errors;
}

Diagnostics check(const Architecture& architecture) {
  return check(architecture, [&](int level) {
    Diagnostic diagnostic;
    if (level == kComputeUnits) diagnostic.field = "compute";
    if (level >= 0) diagnostic.field = fmt::format("levels[{}]", architecture.levels[level].name);
    return diagnostic;
  });
}

std::optional<std::string> rounded_prices(const Architecture& architecture) {
  constexpr double kTold = 1e-4;     // share of a price from which a change is told
  constexpr std::size_t kNamed = 4;  // changes told one by one
  std::vector<std::string> changed;
  const auto look = [&](const std::string& owner, std::string_view field, double pj) {
    const double counted = Energy::from_picojoules(pj).picojoules();
    if (std::abs(counted - pj) > kTold * pj)
      changed.push_back(fmt::format("{} of {}, {:.6g} pJ, becomes {:.6g}", field, owner, pj, counted));
  };
  for (const StorageLevel& level : architecture.levels)
    each_price(level, [&](std::string_view field, double pj) { look(level.name, field, pj); });
  look(architecture.compute.name, "energy", architecture.compute.op_pj);
  if (changed.empty()) return std::nullopt;
  const std::size_t more = changed.size() > kNamed ? changed.size() - kNamed : 0;
  changed.resize(changed.size() - more);
  return fmt::format("energies are counted in units of 2^-32 pJ: {}{}", fmt::join(changed, "; "),
                     more == 0 ? "" : fmt::format("; and {} more", more));
}

}  // namespace heliolite
