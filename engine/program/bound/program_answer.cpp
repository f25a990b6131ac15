#include "engine/program/bound/program_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/program/affine_program.h"
#include "engine/program/bound/part_bound.h"

namespace heliolite {
namespace {

Result<ProgramRules> rules_without(const ProgramQuestion& question) {
  const std::vector<std::string> known(std::begin(kProgramRules), std::end(kProgramRules));
  ProgramRules rules;
  bool* const switches[] = {&rules.partition, &rules.wavefront, &rules.joined, &rules.circuits};
  for (const std::string& name : question.without) {
    const auto at = std::ranges::find(known, name);
    if (at == known.end())
      return Diagnostic{"", 0, "--without",
                        fmt::format("unknown rule '{}'{}; known: {}", name, did_you_mean(name, known), join(known))};
    *switches[at - known.begin()] = false;
  }
  return rules;
}

// Where formulas alone are asked for: parts are chosen at this value.
constexpr i64 kUsualParameter = 1000;

// A value for each parameter of the program, and for nothing else. For formulas they need not be given.
Result<ParameterValues> values_of(const AffineProgram& program, const ProgramQuestion& question) {
  ParameterValues values;
  Diagnostics errors;
  const auto complain = [&](const std::string& why) { errors.push_back({"", 0, "--param", why}); };
  for (const auto& [name, value] : question.parameters) {
    if (program.parameter(name) < 0)
      complain(fmt::format("{} has no parameter '{}'; it has: {}", question.file, name, join(program.parameters)));
    if (value < 1 || value > kMostParameter)
      complain(fmt::format("{} = {}: must be 1 to {}", name, value, kMostParameter));
    if (!values.emplace(name, value).second) complain(fmt::format("{} is given twice", name));
  }
  for (const std::string& name : program.parameters)
    if (!values.contains(name) && question.symbolic) values.emplace(name, kUsualParameter);
    else if (!values.contains(name))
      complain(fmt::format("{} needs a value for {}, e.g. {}=1000", question.file, name, name));
  if (!errors.empty()) return errors;
  return values;
}

ProgramSummand summand_of(const ProgramPlan& plan, const PartBound& bound, const std::vector<u64>& capacities) {
  const AffineProgram& program = *plan.program;
  ProgramSummand summand;
  summand.method = kProgramRules[bound.method == PartMethod::partition ? 0 : 1];
  for (const int s : bound.part.statements) {
    summand.statements.push_back(program.statements[s].name);
    summand.lines.push_back(program.statements[s].line);
  }
  const ProgramStatement& first = program.statements[bound.part.statements.front()];
  summand.outer.assign(first.loops.begin(), first.loops.begin() + bound.outer);
  for (const WalkFamily& family : bound.part.families) summand.walks.push_back(family.text);
  summand.instances = bound.instances;
  summand.ends = bound.ends;
  if (bound.shape) {
    const BudgetGrowth growth = bound.growths.back();
    summand.exponent = growth.exponent;
    // T / U(S + T) for T = S / (exponent - 1).
    const double more = growth.exponent - 1;
    if (more > 0)
      summand.constant = std::exp(-growth.scale + growth.exponent * std::log(more / growth.exponent) - std::log(more));
  }
  for (const u64 capacity : capacities)
    summand.words.push_back(
        static_cast<u64>(std::min(part_words(plan, bound, static_cast<double>(capacity)), 0x1.fffffep63)));
  return summand;
}

// isl's steps for what is left to do when somebody has asked for the end: a moment.
constexpr u64 kStepsAfterStop = 500'000;

constexpr const char* kStopped = "stopped";

// The best schedule known for each capacity, or why there is none.
void add_tilings(const ProgramPlan& plan, const ProgramQuestion& question, ProgramAnswer& answer) {
  const Result<TiledProgram> tiled = tile_program(plan);
  if (!tiled) {
    answer.no_tiling = to_string(tiled.errors());
    return;
  }
  for (const TiledStatement& s : tiled->statements)
    if (s.boxed) answer.boxed.push_back(s.name);
  for (const u64 capacity : question.capacities) {
    if (question.stop != nullptr && question.stop->requested()) {
      answer.tiled.clear();
      answer.no_tiling = kStopped;
      return;
    }
    const auto loads = tiled_loads(*tiled, static_cast<double>(capacity));
    answer.tiled.push_back(loads ? std::optional(static_cast<u64>(std::llround(*loads))) : std::nullopt);
  }
}

}  // namespace

Result<ProgramAnswer> bound_program(const ProgramQuestion& question) {
  Result<AffineProgram> read = load_program(question.file);
  if (!read) return read.errors();
  const auto program = std::make_shared<const AffineProgram>(std::move(*read));
  const Result<ParameterValues> values = values_of(*program, question);
  if (!values) return values.errors();
  const Result<ProgramRules> rules = rules_without(question);
  if (!rules) return rules.errors();
  IslStop stopping(program->context, question.stop);
  const auto stopped = [&] {
    if (question.stop == nullptr || !question.stop->requested()) return false;
    stopping.resume();  // what is left is to put together what was found
    return true;
  };
  const Result<ProgramPlan> plan = plan_bound(program, *values, *rules);
  if (!plan) return plan.errors();
  ProgramAnswer answer;
  answer.file = question.file;
  answer.notes = program->notes;
  for (const std::string& name : program->parameters) answer.parameters.emplace_back(name, values->at(name));
  // Numbers are of values that somebody asked for.
  if (question.parameters.size() == program->parameters.size()) answer.capacities = question.capacities;
  answer.given_up = plan->given_up.names();
  if (plan->inputs) answer.inputs = static_cast<u64>(*plan->inputs);
  const bool at_plan = stopped();
  {
    const IslSteps steps(program->context, at_plan ? kStepsAfterStop : kMaxIslSteps);
    for (const u64 capacity : answer.capacities)
      answer.words.push_back(program_words(*plan, static_cast<double>(capacity)));
    for (const PartBound& bound : plan->parts) answer.summands.push_back(summand_of(*plan, bound, answer.capacities));
    PartNumbers numbers(*program, *values);
    answer.operations = 0;
    for (const ProgramStatement& s : program->statements) {
      const std::optional<double> instances = numbers.points(s.domain);
      if (!instances) answer.operations.reset();
      if (answer.operations) *answer.operations += static_cast<double>(s.operations) * *instances;
    }
  }
  if (question.tilings && !answer.capacities.empty() && !stopped()) add_tilings(*plan, question, answer);
  if (question.symbolic && !stopped()) {
    const Result<ProgramFormula> formula = program_formula(*plan);
    if (formula) answer.formula = *formula;
    else answer.no_formula = to_string(formula.errors());
  }
  if (stopped()) {
    if (answer.given_up.empty() || answer.given_up.back() != kStopped) answer.given_up.emplace_back(kStopped);
    if (question.tilings && answer.tiled.empty() && answer.no_tiling.empty()) answer.no_tiling = kStopped;
    if (question.symbolic && !answer.formula && answer.no_formula.empty()) answer.no_formula = kStopped;
  }
  return answer;
}

// Loads that a schedule of an affine program reaches: its statements one after the other, each in tiles. What lower
// bounds of programs are held against.

namespace {

// Why a statement cannot be tiled, in words.
using Reason = std::optional<std::string>;

// Whether the targets of a relation { S[i] -> S[source] } lie at or behind their sources along every loop.
bool forwards(const isl::map& operand) {
  const isl::set steps = operand.reverse().deltas();
  for (unsigned k = 0; k < steps.tuple_dim(); ++k)
    if (!isl::manage(isl_set_upper_bound_si(steps.copy(), isl_dim_set, k, -1)).is_empty()) return false;
  return true;
}

// Values come from statements before this one, from inputs, or forwards from itself.
Reason order_trouble(const ProgramPlan& plan, std::size_t s) {
  Reason trouble;
  for (const isl::union_map& operand : plan.operands.source[s]) {
    operand.foreach_map([&](const isl::map& map) {
      const std::string from = map.range_tuple_id().name();
      for (std::size_t other = s + 1; other < plan.program->statements.size(); ++other)
        if (plan.program->statements[other].name == from) trouble = "needs values of " + from + ", which follows it";
      if (plan.program->statements[s].name == from && !forwards(map)) trouble = "needs its own values backwards";
    });
  }
  return trouble;
}

bool accumulates(const ProgramStatement& statement, const ArrayAccess& read) {
  return read.array == statement.write.array && read.element.is_equal(statement.write.element);
}

// A word of memory must stand for one value while the statement runs, or for the partial sums of one chain: what is
// read there comes from one place, and what is written there is written once or begins once.
bool values_are_words(const ProgramPlan& plan, std::size_t s) {
  const ProgramStatement& statement = plan.program->statements[s];
  const isl::set domain = statement.domain.intersect_params(plan.program->assumed);
  bool sums = false;
  for (std::size_t r = 0; r < statement.reads.size(); ++r) {
    const isl::union_map& operand = plan.operands.source[s][r];
    const isl::map word = statement.reads[r].element.intersect_domain(domain);
    if (!accumulates(statement, statement.reads[r])) {
      if (!word.reverse().to_union_map().apply_range(operand).is_single_valued()) return false;
      continue;
    }
    sums = true;
    isl::union_set begins = isl::union_set::empty(plan.program->context.get());
    operand.foreach_map([&](const isl::map& map) {
      if (map.range_tuple_id().name() != statement.name) begins = begins.unite(map.domain().to_union_set());
    });
    if (!word.to_union_map().intersect_domain(begins).is_injective()) return false;
  }
  return sums || statement.write.element.intersect_domain(domain).is_injective();
}

// The ranks of an access: its subscripts without their constants, which move the array and no more.
std::optional<std::vector<Rank>> ranks_of(const ArrayAccess& access, int loops) {
  std::vector<Rank> ranks;
  for (int r = 0; r < static_cast<int>(access.subscripts.size()); ++r) {
    const isl::aff subscript = access.subscripts.at(r);
    for (int k = 0; k < isl_aff_dim(subscript.get(), isl_dim_div); ++k)
      if (!isl::manage(isl_aff_get_coefficient_val(subscript.get(), isl_dim_div, k)).is_zero()) return std::nullopt;
    Rank rank;
    for (int k = 0; k < loops; ++k) {
      const isl::val factor = isl::manage(isl_aff_get_coefficient_val(subscript.get(), isl_dim_in, k));
      if (!factor.is_int() || factor.is_neg()) return std::nullopt;
      if (!factor.is_zero()) rank.terms.push_back({k, static_cast<u64>(factor.num_si())});
    }
    if (rank.terms.size() > kMaxTerms) return std::nullopt;
    if (!rank.terms.empty()) ranks.push_back(std::move(rank));
  }
  return ranks;
}

Reason add_tensor(TiledStatement& tiled, const ArrayAccess& access, Role role, int loops) {
  auto ranks = ranks_of(access, loops);
  if (!ranks || ranks->size() > kMaxRanks) return "has a subscript that is no sum of loops with positive coefficients";
  Tensor tensor;
  tensor.name = fmt::format("t{}", tiled.workload.tensors.size());
  tensor.ranks = *std::move(ranks);
  tensor.role = role;
  tiled.workload.tensors.push_back(std::move(tensor));
  return std::nullopt;
}

Reason fill(TiledStatement& tiled, const ProgramStatement& statement, PartNumbers& numbers) {
  const std::vector<double> extents = numbers.extents(statement.domain);
  double box = 1;
  for (const double extent : extents) box *= extent;
  tiled.boxed = std::abs(box - numbers.points(statement.domain).value_or(0)) > 0.5;
  if (extents.size() > kMaxDimensions || statement.reads.size() >= kMaxTensors || box > static_cast<double>(kMaxMacs))
    return "is too large";
  for (std::size_t k = 0; k < extents.size(); ++k)
    tiled.workload.dimensions.push_back({statement.loops[k], static_cast<u64>(extents[k])});
  for (const ArrayAccess& read : statement.reads) {
    if (accumulates(statement, read)) tiled.accumulates = true;
    else if (const Reason trouble = add_tensor(tiled, read, Role::Input, statement.depth())) return trouble;
  }
  return add_tensor(tiled, statement.write, Role::Output, statement.depth());
}

}  // namespace

Result<TiledProgram> tile_program(const ProgramPlan& plan) {
  const AffineProgram& program = *plan.program;
  return guarded(program.context, program.file, "tiling", [&]() -> Result<TiledProgram> {
    TiledProgram tiled;
    PartNumbers numbers(program, plan.values);
    for (std::size_t s = 0; s < program.statements.size(); ++s) {
      const ProgramStatement& statement = program.statements[s];
      TiledStatement one{statement.name, statement.line, {}, false, false};
      Reason trouble = order_trouble(plan, s);
      if (!trouble && !values_are_words(plan, s))
        trouble = "has several values in one word of memory, one after the other";
      if (!trouble) trouble = fill(one, statement, numbers);
      if (trouble) return Diagnostic{program.file, statement.line, statement.name, *trouble};
      one.workload.name = statement.name;
      tiled.statements.push_back(std::move(one));
    }
    return tiled;
  });
}

std::optional<double> tiled_loads(const TiledProgram& program, double capacity) {
  double words = 0;
  for (const TiledStatement& s : program.statements) {
    const auto tiling = best_parts(s.workload, capacity, {false, s.accumulates});
    if (!tiling) return std::nullopt;
    words += tiling->words();
  }
  return words;
}

}  // namespace heliolite
