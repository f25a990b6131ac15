// Measures on C programs.
#include "cli/bound/experiment_measures.h"
#include "engine/program/bound/program_answer.h"

namespace heliolite::cli {
namespace {

Result<double> program_words_of(const ExperimentRow& row) {
  const Result<ProgramAnswer> answer = bound_program({row.program, row.parameters, {row.at}, false, {}, false});
  if (!answer) return answer.errors();
  return static_cast<double>(answer->words.front());
}

}  // namespace

std::vector<Measure> program_measures() {
  return {{.name = "program", .takes_capacity = true, .keys = {"param"}, .take = program_words_of, .of_program = true}};
}

}  // namespace heliolite::cli
