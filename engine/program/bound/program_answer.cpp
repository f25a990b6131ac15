#include "engine/program/bound/program_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/program/affine_program.h"
#include "engine/program/bound/part_bound.h"
#include "engine/program/bound/program_bound.h"

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

}  // namespace

namespace {

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

}  // namespace heliolite
