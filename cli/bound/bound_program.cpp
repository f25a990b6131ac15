// heliolite bound -w KERNEL.c: what no schedule of an affine program can beat. What it means: docs/affine.md.
#include "cli/bound/bound_modes.h"

#include <fmt/format.h>

#include <memory>

#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/program/bound/program_answer.h"

namespace heliolite::cli {
namespace {

// Capacities that are answered for without --buffer, in words.
const std::vector<u64> kProgramCapacities{1024, 4096, 16384, 65536, 262144, 1048576};

constexpr const char* kProgramHoldsUnder =
    "loads alone, one word an element, every instance computed once, in any order that keeps the values";
constexpr const char* kFormulaHoldsUnder = "all parameters at least 8";
constexpr const char* kNoGuarantee = "leading terms only: no guarantee";

std::string statements_text(const ProgramSummand& summand) {
  std::vector<std::string> names;
  for (std::size_t s = 0; s < summand.statements.size(); ++s)
    names.push_back(fmt::format("{} (line {})", summand.statements[s], summand.lines[s]));
  return join(names);
}

std::string because(const ProgramSummand& summand) {
  if (!summand.outer.empty())
    return fmt::format("slices of {}; {} values cross by {}", join(summand.outer), count(summand.instances),
                       join(summand.walks));
  return fmt::format("{:.4g} x {} instances / S^{:.4g}, less {} ends; words by {}", summand.constant,
                     count(summand.instances), summand.exponent - 1, count(summand.ends), join(summand.walks));
}

std::string answer_text(const ProgramAnswer& answer) {
  std::vector<std::string> values;
  for (const auto& [name, value] : answer.parameters) values.push_back(fmt::format("{} = {}", name, value));
  std::string text = fmt::format("{}: words that any schedule loads{}{}; {} inputs, {} operations\n\n", answer.file,
                                 values.empty()         ? ""
                                 : answer.words.empty() ? "; parts chosen and counted at "
                                                        : ", ",
                                 join(values), answer.inputs ? grouped(*answer.inputs) : "uncounted",
                                 answer.operations ? count(*answer.operations) : "uncounted");
  Table table({"capacity", "words at least", "operations a word, at most", "best tiling", "x bound"});
  for (std::size_t c = 0; c < answer.capacities.size(); ++c) {
    const u64 bound = answer.words[c];
    std::vector<std::string> row{
        grouped(answer.capacities[c]), grouped(bound),
        bound == 0 || !answer.operations ? "" : fmt::format("{:.4g}", *answer.operations / static_cast<double>(bound))};
    if (!answer.tiled.empty() && answer.tiled[c]) {
      row.push_back(grouped(*answer.tiled[c]));
      if (bound > 0)
        row.push_back(fmt::format("{:.3f}", static_cast<double>(*answer.tiled[c]) / static_cast<double>(bound)));
    }
    table.row(row);
  }
  if (!answer.words.empty()) text += table.to_string() + "\n";
  if (!answer.summands.empty()) {
    text += "beyond one load of every input, added up:\n\n";
    Table summands({"<statements", "<rule", "words at the first capacity", "<because"});
    for (const ProgramSummand& s : answer.summands)
      summands.row({statements_text(s), s.method, s.words.empty() ? "" : grouped(s.words.front()), because(s)});
    text += summands.to_string();
  }
  if (answer.formula) {
    text += fmt::format("\nfull, for {}:\n  {}\n", kFormulaHoldsUnder, answer.formula->full.text);
    text += fmt::format("asymptotic ({}):\n  {}\n", kNoGuarantee, answer.formula->asymptotic.text);
    text +=
        fmt::format("simplified, with all parameters N ({}):\n  {}\n", kNoGuarantee, answer.formula->simplified.text);
  }
  if (!answer.no_formula.empty()) text += fmt::format("\nno formula: {}\n", answer.no_formula);
  if (!answer.boxed.empty())
    text += fmt::format("\nthe tiling counts the whole box around the instances of {}\n", join(answer.boxed));
  if (!answer.no_tiling.empty()) text += fmt::format("\nno tiling to compare with: {}\n", answer.no_tiling);
  if (!answer.given_up.empty()) text += fmt::format("\ngiven up (the bound is weaker): {}\n", join(answer.given_up));
  return text;
}

Json formula_json(const FormulaText& formula, const char* holds) {
  return {{"text", formula.text}, {"latex", formula.latex}, {"holds_under", holds}};
}

Json answer_json(const ProgramAnswer& answer) {
  Json json = answer_head("bound");
  Json parameters = Json::object();
  for (const auto& [name, value] : answer.parameters) parameters[name] = value;
  json["question"] = {{"program", answer.file}, {"parameters", parameters}};
  json["holds_under"] = kProgramHoldsUnder;
  json["inputs"] = answer.inputs ? Json(*answer.inputs) : Json();
  json["operations"] = answer.operations ? Json(*answer.operations) : Json();
  json["bounds"] = Json::array();
  for (std::size_t c = 0; c < answer.words.size(); ++c)
    json["bounds"].push_back(
        {{"capacity_words", answer.capacities[c]},
         {"words", answer.words[c]},
         {"operations_per_word_at_most", answer.words[c] == 0 || !answer.operations
                                             ? Json()
                                             : Json(*answer.operations / static_cast<double>(answer.words[c]))}});
  json["summands"] = Json::array();
  for (const ProgramSummand& s : answer.summands)
    json["summands"].push_back({{"rule", s.method},
                                {"statements", s.statements},
                                {"lines", s.lines},
                                {"outer_loops", s.outer},
                                {"arrays", s.walks},
                                {"instances", s.instances},
                                {"ends", s.ends},
                                {"exponent", s.exponent},
                                {"constant", s.constant},
                                {"words", s.words}});
  if (answer.no_tiling.empty())
    for (std::size_t c = 0; c < answer.tiled.size(); ++c)
      json["bounds"][c]["best_tiling"] = answer.tiled[c] ? Json(*answer.tiled[c]) : Json();
  else json["no_tiling"] = answer.no_tiling;
  json["tiled_as_boxes"] = answer.boxed;
  json["given_up"] = answer.given_up;
  if (answer.formula)
    json["formulas"] = {{"full", formula_json(answer.formula->full, kFormulaHoldsUnder)},
                        {"asymptotic", formula_json(answer.formula->asymptotic, kNoGuarantee)},
                        {"simplified", formula_json(answer.formula->simplified, kNoGuarantee)}};
  if (!answer.no_formula.empty()) json["no_formula"] = answer.no_formula;
  return json;
}

std::string answer_csv(const ProgramAnswer& answer) {
  std::string text = "program,capacity_words,words_at_least,best_tiling,inputs,operations,given_up\n";
  for (std::size_t c = 0; c < answer.words.size(); ++c) {
    const bool tiled = c < answer.tiled.size() && answer.tiled[c];
    text += fmt::format("{},{},{},{},{},{},{}\n", csv_cell(answer.file), answer.capacities[c], answer.words[c],
                        tiled ? fmt::format("{}", *answer.tiled[c]) : "",
                        answer.inputs ? fmt::format("{}", *answer.inputs) : "",
                        answer.operations ? fmt::format("{:.0f}", *answer.operations) : "",
                        csv_cell(fmt::format("{}", fmt::join(answer.given_up, " "))));
  }
  return text;
}

}  // namespace

void add_program_options(const Command& command, ProgramArguments& arguments) {
  command
      .value("--param", arguments.parameters, "NAME=N", "C programs: a value for each of its parameters, N=1000,M=500")
      ->delimiter(',');
  command->add_flag("--symbolic", arguments.symbolic,
                    "C programs: also formulas for all parameters; without --param, formulas alone");
  add_budget_option(*command, arguments.budget);
  command.value("--without", arguments.without, "RULE", "C programs: leave these rules out, see docs/affine.md")
      ->transform(one_of({std::begin(kProgramRules), std::end(kProgramRules)}))
      ->delimiter(',');
}

int run_program(const ProgramArguments& arguments, const Output& output) {
  ProgramQuestion question;
  question.file = arguments.workload;
  question.capacities = arguments.buffers.empty() ? kProgramCapacities : arguments.buffers;
  question.symbolic = arguments.symbolic;
  question.without = arguments.without;
  Diagnostics errors;
  for (const u64 capacity : question.capacities)
    if (capacity == 0) errors.push_back({"", 0, "--buffer", "0 words, must be at least 1"});
  const auto parameters = read_parameters(arguments.parameters);
  if (parameters) question.parameters = *parameters;
  else errors.insert(errors.end(), parameters.errors().begin(), parameters.errors().end());
  if (!errors.empty()) return fail(errors);
  const auto stop = std::make_shared<ProgramStop>();
  question.stop = stop.get();
  // The task holds its own share of `stop`: it may outlive this function.
  const auto answer = until_stopped([question, stop] { return bound_program(question); }, [stop] { stop->request(); },
                                    arguments.budget);
  const bool interrupted = interrupt_flag();
  if (!answer || (!*answer && stop->requested())) {
    if (interrupted) return kInterrupted;
    return fail(fmt::format("--budget: nothing is known after {:g} s", *arguments.budget));
  }
  if (!*answer) return fail(answer->errors());
  const ProgramAnswer& known = **answer;
  output.report_notes(known.notes);
  if (known.words.empty() && !arguments.csv.empty())
    return fail("--csv: is of numbers, and formulas alone are asked for; give --param a value for each parameter");
  output.table(answer_text(known));
  Json json = answer_json(known);
  json["word_bytes"] = arguments.word_bytes ? Json(*arguments.word_bytes) : Json();
  json["interrupted"] = interrupted;
  json["notes"] = known.notes;
  if (!output.write("--csv", answer_csv(known)) || !output.json(json)) return kBadInput;
  if (stop->requested())
    output.note(fmt::format("heliolite: {}: the bound is what was found until then",
                            interrupted ? "interrupted" : fmt::format("--budget {:g} s are over", *arguments.budget)));
  return interrupted ? kInterrupted : kSuccess;
}

}  // namespace heliolite::cli
