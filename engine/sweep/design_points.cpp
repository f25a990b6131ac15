#include "engine/sweep/design_points.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "arch/architecture_spec.h"
#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/split_mix.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr double kUm2PerMm2 = 1e6;

// A name that expressions can hold.
std::string identifier(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(name.begin(), '_');
  return name;
}

// All instances together, in both directions; infinite if a direction has no limit.
double words_per_cycle_of_all(const StorageLevel& level) {
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  const Bandwidth& rate = level.bandwidth;
  const double apart = rate.read.value_or(kUnlimited) + rate.write.value_or(kUnlimited);
  return std::min(apart, rate.shared.value_or(kUnlimited)) * static_cast<double>(level.instances);
}

double leakage(const Architecture& machine) {
  double sum = 0;
  for (const StorageLevel* level : all_levels(machine))
    sum += level->leak_pj_per_cycle * static_cast<double>(level->instances);
  return sum;
}

double bytes(const StorageLevel& level, double words) { return words * static_cast<double>(level.word_bits) / 8; }

}  // namespace

std::vector<std::string> derived_names(const ArchitectureSpec& machine) {
  std::vector<std::string> names{"pes", "area_um2", "area_mm2", "total_bytes", "leak_pj_per_cycle_of_all"};
  const auto add = [&](const std::vector<LevelSpec>& levels) {
    for (const LevelSpec& level : levels)
      for (const char* quantity : {"_words", "_bytes", "_area_um2", "_instances", "_words_per_cycle"})
        names.push_back(identifier(level.name) + quantity);
  };
  add(machine.levels);
  for (const UnitSpec& unit : machine.units) add(unit.levels);
  return names;
}

std::vector<double> derived_values(const Architecture& machine) {
  const double area = machine.area_um2();
  std::vector<double> values{static_cast<double>(machine.compute.instances), area, area / kUm2PerMm2,
                             total_capacity_bytes(machine), leakage(machine)};
  const auto add = [&](const StorageLevel& level) {
    const double words = level.entries ? static_cast<double>(*level.entries) : std::numeric_limits<double>::infinity();
    values.insert(values.end(), {words, bytes(level, words), level.area_um2, static_cast<double>(level.instances),
                                 words_per_cycle_of_all(level)});
  };
  std::ranges::for_each(machine.levels, add);
  for (const Architecture& unit : machine.units)
    std::ranges::for_each(std::span(unit.levels).first(own_levels(machine, unit)), add);
  return values;
}

std::vector<std::string> constraint_names(const SweepSpec& spec) {
  std::vector<std::string> names = names_of(spec.parameters);
  const std::vector<std::string> derived = derived_names(spec.machine);
  names.insert(names.end(), derived.begin(), derived.end());
  return names;
}

double total_capacity_bytes(const Architecture& machine) {
  double sum = 0;
  for (const StorageLevel* level : all_levels(machine))
    if (level->entries)
      sum += bytes(*level, static_cast<double>(*level->entries)) * static_cast<double>(level->instances);
  return sum;
}

struct Expression::State {
  std::string text;
  std::vector<double> values;  // what the parser's variables point to
  std::vector<bool> used;
  mu::Parser parser;
};

namespace {

Diagnostic complaint(const std::string& text, const std::string& message) {
  return {"", 0, "", fmt::format("'{}': {}", text, message)};
}

// muParser assigns with a single '='.
bool assigns(const std::string& text) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    const bool doubled = at + 1 < text.size() && text[at + 1] == '=';
    if (doubled) ++at;
    else if (at == 0 || std::string_view("<>!").find(text[at - 1]) == std::string_view::npos) return true;
  }
  return false;
}

std::string syntax_error(const std::string& text, const mu::Parser::exception_type& e) {
  std::string message = e.GetMsg();
  const std::string position = fmt::format("at position {}", e.GetPos());
  const std::size_t at = message.find(position);  // counted from 0, or behind the end
  if (at != std::string::npos)
    message.replace(at, position.size(),
                    fmt::format("at column {}", std::min<std::size_t>(e.GetPos() + 1, text.size())));
  while (message.ends_with('.') || message.ends_with('\n')) message.pop_back();
  if (!message.empty()) message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  return message;
}

}  // namespace

Expression::Expression(std::unique_ptr<State> state) : state_(std::move(state)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Result<Expression> Expression::parse(const std::string& text, std::span<const std::string> names) {
  if (assigns(text)) return complaint(text, "'=' assigns, a condition compares with '=='");
  auto state = std::make_unique<State>();
  state->text = text;
  state->values.assign(names.size(), 1);
  state->used.assign(names.size(), false);
  try {
    state->parser.SetExpr(text);
    for (const auto& [name, value] : state->parser.GetUsedVar()) {
      const auto known = std::ranges::find(names, name);
      if (known == names.end())
        return complaint(text,
                         fmt::format("unknown name '{}'{}; known: {}", name, did_you_mean(name, names), join(names)));
      state->used[known - names.begin()] = true;
    }
    for (std::size_t k = 0; k < names.size(); ++k)
      if (state->used[k]) state->parser.DefineVar(names[k], &state->values[k]);
    int results = 0;
    state->parser.Eval(results);
    if (results != 1) return complaint(text, "is more than one condition; join them with '&&'");
  } catch (const mu::Parser::exception_type& e) {
    return complaint(text, syntax_error(text, e));
  }
  if (text.find_first_of("<>=!&|") == std::string::npos)
    return complaint(text, "compares nothing; a condition needs <=, >=, <, >, == or !=");
  return Expression(std::move(state));
}

const std::string& Expression::text() const { return state_->text; }
bool Expression::uses(std::size_t name) const { return state_->used[name]; }

bool Expression::holds(std::span<const double> values) const {
  std::ranges::copy(values, state_->values.begin());
  try {
    const double value = state_->parser.Eval();
    return value != 0 && !std::isnan(value);
  } catch (const mu::Parser::exception_type&) {
    return false;
  }
}

bool Expression::reserved(const std::string& name) {
  mu::Parser parser;
  return parser.GetFunDef().contains(name) || parser.GetConst().contains(name);
}

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
