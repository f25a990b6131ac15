#include "engine/program/bound/program_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/program/bound/formula.h"
#include "engine/program/bound/part_numbers.h"
#include "engine/program/bound/program_bound.h"
#include "engine/program/bound/program_tiling.h"
#include "engine/program/program_file.h"

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

// A value for each parameter of the program, and for nothing else.
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
    if (!values.contains(name))
      complain(fmt::format("{} needs a value for {}, e.g. {}=1000", question.file, name, name));
  if (!errors.empty()) return errors;
  return values;
}

ProgramSummand summand_of(const ProgramPlan& plan, const PartBound& bound, const std::vector<u64>& capacities) {
  const AffineProgram& program = *plan.program;
  ProgramSummand summand;
  summand.method = kProgramRules[bound.method == PartMethod::partition ? 0 : 1];
  for (const int s : bound.part.statements) {
    summand.statements.push_back(program.statements[at(s)].name);
    summand.lines.push_back(program.statements[at(s)].line);
  }
  const ProgramStatement& first = program.statements[at(bound.part.statements.front())];
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
    summand.words.push_back(static_cast<u64>(part_words(plan, bound, static_cast<double>(capacity))));
  return summand;
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
  const Result<ProgramPlan> plan = plan_bound(program, *values, *rules);
  if (!plan) return plan.errors();
  ProgramAnswer answer;
  answer.file = question.file;
  for (const std::string& name : program->parameters) answer.parameters.emplace_back(name, values->at(name));
  answer.capacities = question.capacities;
  for (const u64 capacity : question.capacities)
    answer.words.push_back(program_words(*plan, static_cast<double>(capacity)));
  const Result<TiledProgram> tiled = tile_program(*plan);
  if (!tiled) answer.no_tiling = to_string(tiled.errors());
  else
    for (const TiledStatement& s : tiled->statements)
      if (s.boxed) answer.boxed.push_back(s.name);
  for (const u64 capacity : question.capacities) {
    if (!tiled) break;
    const auto loads = tiled_loads(*tiled, static_cast<double>(capacity));
    answer.tiled.push_back(loads ? std::optional(static_cast<u64>(std::llround(*loads))) : std::nullopt);
  }
  answer.inputs = static_cast<u64>(plan->inputs);
  PartNumbers numbers(*program, *values);
  for (const ProgramStatement& s : program->statements)
    answer.operations += static_cast<double>(s.operations) * numbers.points(s.domain);
  for (const PartBound& bound : plan->parts) answer.summands.push_back(summand_of(*plan, bound, question.capacities));
  answer.given_up = plan->given_up.names();
  if (question.symbolic) {
    const Result<ProgramFormula> formula = program_formula(*plan);
    if (formula) answer.formula = *formula;
    else answer.no_formula = to_string(formula.errors());
  }
  return answer;
}

}  // namespace heliolite
