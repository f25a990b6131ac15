#include "engine/sweep/design_points.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "engine/base/split_mix.h"
#include "engine/sweep/expression.h"

namespace heliolite {
namespace {

constexpr int kRounds = 6;

}  // namespace

Permutation::Permutation(u64 size, u64 seed) : size_(size), seed_(split_mix(seed)) {
  while (u64{1} << (2 * half_bits_) < size_) ++half_bits_;
}

u64 Permutation::operator()(u64 index) const {
  do index = shuffle(index);
  while (index >= size_);
  return index;
}

u64 Permutation::shuffle(u64 index) const {
  const u64 mask = (u64{1} << half_bits_) - 1;
  u64 left = index >> half_bits_, right = index & mask;
  for (u64 round = 0; round < kRounds; ++round) {
    const u64 next = left ^ (split_mix_final(seed_ + right + (round << half_bits_) * 0x632be59bd9b4e019ULL) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

namespace {

// The first condition that does not hold.
const Expression* broken(const std::vector<Expression>& conditions, std::span<const double> values) {
  const auto found = std::ranges::find_if(conditions, [&](const Expression& c) { return !c.holds(values); });
  return found == conditions.end() ? nullptr : &*found;
}

u64 combinations(const SweepSpec& spec) {
  u64 points = 1;
  for (const SweepParameter& parameter : spec.parameters) points *= parameter.values.size();
  return points;
}

}  // namespace

DesignPoints::DesignPoints(const SweepSpec& spec)
    : spec_(spec), grid_(combinations(spec)), sample_(grid_, spec.options.seed) {
  planned_ = std::min(spec.sample.value_or(grid_), grid_);
  for (const SweepParameter& parameter : spec.parameters) {
    memory_only_.push_back(std::ranges::all_of(parameter.fields, is_memory_field));
    if (!memory_only_.back()) families_ *= parameter.values.size();
  }
  const std::vector<std::string> names = constraint_names(spec);
  for (const SweepConstraint& constraint : spec.constraints) {
    Expression condition = *Expression::parse(constraint.text, names);  // the reader has checked it
    bool derived = false;
    for (std::size_t k = spec.parameters.size(); k < names.size(); ++k) derived |= condition.uses(k);
    (derived ? late_ : early_).push_back(std::move(condition));
  }
}

u64 DesignPoints::id(u64 k) const { return planned_ < grid_ ? sample_(k) : k; }

std::vector<std::size_t> DesignPoints::choice(u64 id) const {
  std::vector<std::size_t> out(spec_.parameters.size());
  for (std::size_t p = out.size(); p-- > 0;) {
    const u64 values = spec_.parameters[p].values.size();
    out[p] = id % values;
    id /= values;
  }
  return out;
}

u64 DesignPoints::family(u64 id) const {
  const std::vector<std::size_t> chosen = choice(id);
  u64 family = 0;
  for (std::size_t p = 0; p < chosen.size(); ++p)
    if (!memory_only_[p]) family = family * spec_.parameters[p].values.size() + chosen[p];
  return family;
}

u64 DesignPoints::member(u64 family, u64 k) const {
  u64 id = 0, stride = 1;
  for (std::size_t p = spec_.parameters.size(); p-- > 0;) {
    const u64 values = spec_.parameters[p].values.size();
    u64& digits = memory_only_[p] ? k : family;
    id += stride * (digits % values);
    digits /= values;
    stride *= values;
  }
  return id;
}

const ParameterValue& DesignPoints::value(std::size_t parameter, std::size_t choice) const {
  return spec_.parameters[parameter].values[choice];
}

std::vector<std::string> DesignPoints::values(u64 id) const {
  const std::vector<std::size_t> chosen = choice(id);
  std::vector<std::string> out;
  for (std::size_t p = 0; p < chosen.size(); ++p) out.push_back(value(p, chosen[p]).text);
  return out;
}

Result<Architecture> DesignPoints::machine(u64 id) const {
  const std::vector<std::size_t> chosen = choice(id);
  ArchitectureSpec varied = spec_.machine;
  Diagnostics errors;
  for (std::size_t p = 0; p < chosen.size(); ++p)
    for (const Setting& setting : value(p, chosen[p]).settings)
      varied = with_setting(std::move(varied), setting, errors);
  if (!errors.empty()) return errors;
  return resolve(varied, spec_.tables);
}

u64 DesignPoints::off_origin(std::size_t parameter, std::size_t k) const {
  u64 id = k;
  for (std::size_t p = parameter + 1; p < spec_.parameters.size(); ++p) id *= spec_.parameters[p].values.size();
  return id;
}

DesignPoint DesignPoints::make(u64 id) const {
  DesignPoint point;
  point.id = id;
  const auto exclude = [&](const Expression& condition) {
    point.state = PointState::Excluded;
    point.reason = "constraint: " + condition.text();
    return point;
  };
  const std::vector<std::size_t> chosen = choice(id);
  std::vector<double> numbers;
  for (std::size_t p = 0; p < chosen.size(); ++p)
    numbers.push_back(value(p, chosen[p]).number.value_or(std::numeric_limits<double>::quiet_NaN()));
  if (const Expression* condition = broken(early_, numbers)) return exclude(*condition);
  Result<Architecture> machine = this->machine(id);
  if (!machine) {
    point.state = PointState::Invalid;
    point.reason = fmt::format("machine: {}", machine.errors().front().message);
    return point;
  }
  if (!late_.empty()) {
    const std::vector<double> derived = derived_values(*machine);
    numbers.insert(numbers.end(), derived.begin(), derived.end());
    if (const Expression* condition = broken(late_, numbers)) return exclude(*condition);
  }
  point.machine = *std::move(machine);
  return point;
}

namespace {

constexpr u64 kOrder = 1;

}  // namespace

ShardRule::ShardRule(SweepGoal goal, const DesignPoints& points, Shard shard)
    : points_(points),
      by_family_(goal == SweepGoal::Best),
      shard_(std::move(shard)),
      order_(by_family_ ? points.families() : points.grid(), kOrder) {}

bool ShardRule::has(u64 point) const {
  if (shard_.count == 1 && !shard_.only) return true;
  if (shard_.only) return std::ranges::binary_search(*shard_.only, unit(point));
  return in_turn(point) == shard_.index;
}

}  // namespace heliolite
