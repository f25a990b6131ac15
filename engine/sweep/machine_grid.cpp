#include "engine/sweep/machine_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/check.h"
#include "engine/base/integers.h"
#include "engine/base/split_mix.h"
#include "engine/model/fingerprint.h"
#include "engine/search/core/machine_family.h"

namespace heliolite {
namespace {

constexpr std::size_t kMostParts = 50'000;
constexpr u64 kBases = 64;    // points that are tried for the values of what a part does not depend on
constexpr u64 kProbes = 100;  // points whose machine is compared with the one made from parts
constexpr std::string_view kComputeName = "compute";

// Instances follow from the fan-outs of all levels outside.
void arrange_instances(Architecture& machine) {
  u64 x = 1, y = 1;
  for (auto level = machine.levels.rbegin(); level != machine.levels.rend(); ++level) {
    level->instances = x * y, level->mesh_x = x;
    x *= level->fanout_x, y *= level->fanout_y;
  }
  machine.compute.instances = x * y, machine.compute.mesh_x = x;
}

// The best of both, of each number by itself.
void take_best(StorageLevel& all, const StorageLevel& one) {
  widen(all, one);
  all.area_um2 = std::min(all.area_um2, one.area_um2);
  all.fanout_x = std::max(all.fanout_x, one.fanout_x);
  all.fanout_y = std::max(all.fanout_y, one.fanout_y);
}

// What machines of one shape may differ in, taken out.
void forget_numbers(StorageLevel& level, bool fanouts, bool word_bits) {
  const WordLength bits = level.word_bits;
  forget_memory(level);
  if (!word_bits) level.word_bits = bits;
  level.instances = level.mesh_x = 1;
  if (fanouts) level.fanout_x = level.fanout_y = 1;
}

// "As large as there is room for" says less where there is more room.
bool asks_for_largest(const StorageLevel& level) {
  const auto largest = [](const std::vector<FactorConstraint>& factors) {
    return std::ranges::any_of(factors, [](const FactorConstraint& f) { return f.value == kLargestFactor; });
  };
  return largest(level.constraints.temporal.factors) || largest(level.constraints.spatial.factors);
}

// Whether the cost of a mapping depends on units that it leaves idle.
bool counts_idle_units(const StorageLevel& level) {
  return level.network.hop_pj != 0 || level.network.router_pj != 0 || level.cluster_size != 1;
}

bool states_word_bits(const SweepSpec& spec) {
  return std::ranges::any_of(spec.layers, [](const SweepLayer& layer) {
    return std::ranges::any_of(layer.layer.workload.tensors, [](const Tensor& t) { return t.word_bits.has_value(); });
  });
}

}  // namespace

MachineGrid::MachineGrid(const SweepSpec& spec, const DesignPoints& points) : spec_(spec) {
  u64 stride = points.grid();
  for (const SweepParameter& parameter : spec.parameters) {
    size_.push_back(parameter.values.size());
    stride_.push_back(stride /= size_.back());
  }
  levels_ = spec.machine.levels.size();
  for (std::size_t part = 0; part < levels_ + 2; ++part) {
    Part one;
    const auto sets_part = [&](const FieldPath& field) {
      if (field.level.empty()) return true;
      if (part < levels_) return field.level == spec.machine.levels[part].name;
      return part == levels_ && field.level == kComputeName;
    };
    for (std::size_t p = 0; p < spec.parameters.size(); ++p)
      if (std::ranges::any_of(spec.parameters[p].fields, sets_part)) one.parameters.push_back(p);
    parts_.push_back(std::move(one));
  }
}

Result<MachineGrid> MachineGrid::create(const SweepSpec& spec, const DesignPoints& points) {
  MachineGrid out(spec, points);
  if (Diagnostics errors = out.fill(points); !errors.empty()) return errors;
  out.find_shapes();
  return out;
}

std::size_t MachineGrid::combination(const Part& part, u64 point) const {
  std::size_t out = 0;
  for (const std::size_t p : part.parameters) out = out * size_[p] + choice(point, p);
  return out;
}

// Step 1. How many parts there are. Step 2. Each, with the other parameters as in a point that is a machine. Step 3.
// Machines made from them are what the sweep's reader makes.
Diagnostics MachineGrid::fill(const DesignPoints& points) {
  if (!spec_.machine.units.empty())
    return {{"", 0, "parameters", "the machine has further units, whose levels are those of several parts"}};
  std::size_t all = 0;
  for (Part& part : parts_) {
    std::size_t combinations = 1;
    for (const std::size_t p : part.parameters)
      combinations = std::min<std::size_t>(combinations * size_[p], kMostParts + 1);
    all += combinations;
    if (all > kMostParts)
      return {{"", 0, "parameters", fmt::format("one level has more than {} variants", kMostParts)}};
    part.values.resize(combinations);
  }
  std::optional<u64> base;
  for (u64 k = 0; k < kBases && !base; ++k)
    if (const u64 point = static_cast<u64>(static_cast<u128>(k) * points.grid() / kBases); points.machine(point).ok())
      base = point;
  if (!base) return {{"", 0, "parameters", "none of the first machines looked at is one"}};
  for (std::size_t part = 0; part < parts_.size(); ++part)
    if (!fill_part(part, *base, points)) return {{"", 0, "parameters", "they change how many levels a machine has"}};
  for (u64 k = 0; k < kProbes; ++k) {
    const u64 point = static_cast<u64>(static_cast<u128>(k) * points.grid() / kProbes);
    const std::optional<Architecture> ours = machine(point);
    const Result<Architecture> read = points.machine(point);
    if (ours && read && fingerprint(*ours) != fingerprint(*read))
      return {{"", 0, "parameters", "a level depends on what is set of another one"}};
  }
  return {};
}

bool MachineGrid::fill_part(std::size_t number, u64 base, const DesignPoints& points) {
  Part& part = parts_[number];
  for (std::size_t c = 0; c < part.values.size(); ++c) {
    u64 point = base;
    std::size_t left = c;
    for (auto p = part.parameters.rbegin(); p != part.parameters.rend(); ++p) {
      point += (left % size_[*p]) * stride_[*p];
      point -= choice(base, *p) * stride_[*p];
      left /= size_[*p];
    }
    const Result<Architecture> read = points.machine(point);
    if (!read) continue;
    if (read->levels.size() != levels_) return false;
    Architecture one = *read;
    if (number < levels_) {
      one = Architecture();
      one.levels = {read->levels[number]};
    } else if (number == levels_) {
      one = Architecture();
      one.compute = read->compute;
    } else {
      one.levels.clear();
      one.compute = Compute();
    }
    part.values[c] = std::move(one);
  }
  return true;
}

void MachineGrid::find_shapes() {
  bool relaxes_fanouts = true;  // points of one shape differ in them, too: they are then ends that only help
  for (const Part& part : parts_)
    for (const std::optional<Architecture>& value : part.values) {
      if (!value) continue;
      relaxes_fanouts &= value->min_parallelism == 0 && !value->all_leaks;
      alone_ |= value->peer_channel;
      for (const StorageLevel& level : value->levels) {
        relaxes_fanouts &= !counts_idle_units(level);
        alone_ |= asks_for_largest(level);
      }
    }
  const bool word_bits = !states_word_bits(spec_);
  for (Part& part : parts_)
    for (const std::optional<Architecture>& value : part.values) {
      Architecture shape = value.value_or(Architecture());
      for (StorageLevel& level : shape.levels) forget_numbers(level, relaxes_fanouts, word_bits);
      shape.compute.op_pj = shape.compute.area_um2 = 0;
      shape.compute.instances = shape.compute.mesh_x = 1;
      if (word_bits) shape.compute.word_bits = 0;
      part.shapes.push_back(value ? fingerprint(shape) : 0);
    }
}

u64 MachineGrid::shape(u64 point) const {
  u64 out = alone_ ? split_mix_final(point) : 0;
  for (const Part& part : parts_) {
    const u64 shape = part.shapes[combination(part, point)];
    if (shape == 0) return 0;
    out = split_mix_final(out + shape);
  }
  return std::max<u64>(1, out);
}

Architecture MachineGrid::assembled(std::span<const std::size_t> combinations) const {
  Architecture out = *parts_.back().values[combinations.back()];
  for (std::size_t i = 0; i < levels_; ++i) out.levels.push_back(parts_[i].values[combinations[i]]->levels.front());
  out.compute = parts_[levels_].values[combinations[levels_]]->compute;
  arrange_instances(out);
  return out;
}

std::optional<Architecture> MachineGrid::machine(u64 point) const {
  std::vector<std::size_t> combinations;
  for (const Part& part : parts_) {
    combinations.push_back(combination(part, point));
    if (!part.values[combinations.back()]) return std::nullopt;
  }
  return assembled(combinations);
}

double MachineGrid::area_um2(u64 point) const {
  double out = 0;
  u64 instances = 1;
  for (std::size_t i = levels_; i-- > 0;) {
    const std::optional<Architecture>& part = parts_[i].values[combination(parts_[i], point)];
    if (!part) return 0;
    out += part->levels.front().area_um2 * static_cast<double>(instances);
    instances *= part->levels.front().fanout();
  }
  const std::optional<Architecture>& units = parts_[levels_].values[combination(parts_[levels_], point)];
  return units ? out + units->compute.area_um2 * static_cast<double>(instances) : 0;
}

Architecture MachineGrid::envelope(std::span<const u64> points) const {
  std::vector<std::vector<bool>> has;
  for (const Part& part : parts_) has.emplace_back(part.values.size());
  for (const u64 point : points)
    for (std::size_t i = 0; i < parts_.size(); ++i) has[i][combination(parts_[i], point)] = true;
  std::vector<std::size_t> first;
  for (const auto& combinations : has)
    first.push_back(static_cast<std::size_t>(std::ranges::find(combinations, true) - combinations.begin()));
  Architecture out = assembled(first);
  for (std::size_t i = 0; i < levels_; ++i)
    for (std::size_t c = first[i] + 1; c < has[i].size(); ++c)
      if (has[i][c]) take_best(out.levels[i], parts_[i].values[c]->levels.front());
  for (std::size_t c = 0; c < has[levels_].size(); ++c) {
    if (!has[levels_][c]) continue;
    const Compute& compute = parts_[levels_].values[c]->compute;
    out.compute.op_pj = std::min(out.compute.op_pj, compute.op_pj);
    out.compute.area_um2 = std::min(out.compute.area_um2, compute.area_um2);
  }
  arrange_instances(out);
  return out;
}

}  // namespace heliolite
