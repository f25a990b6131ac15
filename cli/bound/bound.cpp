// heliolite bound: what no mapping can beat.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/bound/bound_modes.h"
#include "cli/bound/bound_orojenesis.h"
#include "cli/bound/bound_symbolic.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/units.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

struct BoundArguments : BoundQuestion {
  std::string kind;  // empty: all, or orojenesis when one of its own options is given
  std::string experiment;
  OrojenesisArguments orojenesis;
  SymbolicArguments symbolic;
  RegionArguments regions;
  ProgramArguments program;
  // Options that only one side knows.
  std::vector<const CLI::Option*> of_orojenesis, of_symbolic, of_regions, of_program;
  std::vector<const CLI::Option*> of_questions;  // all that do not go with --experiment
};

constexpr const char* kOrojenesis = "orojenesis";

const CLI::Option* given(const std::vector<const CLI::Option*>& options) {
  const auto at = std::ranges::find_if(options, [](const CLI::Option* option) { return option->count() > 0; });
  return at == options.end() ? nullptr : *at;
}

// An option of these questions that was given and is neither called so nor one of `own`.
const CLI::Option* given_besides(const BoundArguments& arguments, const std::vector<std::string>& names,
                                 const std::vector<const CLI::Option*>& own) {
  std::vector<const CLI::Option*> others = arguments.of_questions;
  std::erase_if(others, [&](const CLI::Option* option) {
    return std::ranges::count(names, option->get_name()) + std::ranges::count(own, option) > 0;
  });
  return given(others);
}

int run_questions(const BoundArguments& arguments, const Output& output) {
  std::string kind = arguments.kind;
  if (kind.empty()) kind = given(arguments.of_orojenesis) != nullptr ? kOrojenesis : "all";
  const bool curve = kind == kOrojenesis;
  if (const CLI::Option* other = given(curve ? arguments.of_symbolic : arguments.of_orojenesis))
    return fail(fmt::format("{}: does not go with --kind {}", other->get_name(), kind));
  if (curve) return run_orojenesis(arguments.orojenesis, output);
  SymbolicArguments symbolic = arguments.symbolic;
  symbolic.kind = kind;
  return run_symbolic(symbolic, output);
}

// The tiling program of a layer; of the other options it has the workload's, the capacity and what is written.
int run_region_question(const BoundArguments& arguments, const Output& output) {
  std::vector<std::string> shared = model_option_names();
  shared.insert(shared.end(), {"--workload", "--layer", "--buffer", "--csv", "--svg", "--sparse", "--define",
                               "--rename", "--word-bits"});
  if (const CLI::Option* other = given_besides(arguments, shared, arguments.of_regions))
    return fail(fmt::format("{}: does not go with --regions", other->get_name()));
  const std::vector<u64>& buffers = arguments.buffers;
  if (buffers.size() > 1 || (!buffers.empty() && buffers.front() == 0))
    return fail("--buffer: the picture of --regions has one capacity, at least 1");
  RegionArguments regions = arguments.regions;
  regions.svg = arguments.orojenesis.svg;
  if (!buffers.empty()) regions.capacity = buffers.front();
  return run_regions(regions, output);
}

// A C program; of the other options it has the workload's and the capacities.
int run_program_question(const BoundArguments& arguments, const Output& output) {
  if (const CLI::Option* other =
          given_besides(arguments, {"--workload", "--buffer", "--word-size", "--csv"}, arguments.of_program))
    return fail(fmt::format("{}: does not go with a C program", other->get_name()));
  if (!arguments.word_sizes.empty())
    return fail("--word-size: all words of a C program have one size, as in --word-size 8");
  return run_program(arguments.program, output);
}

int run(BoundArguments arguments, const Output& output) {
  if (!arguments.experiment.empty()) {
    if (const CLI::Option* other = given(arguments.of_questions))
      return fail(fmt::format("{}: does not go with --experiment, whose file says it", other->get_name()));
    return run_experiment(arguments.experiment, output);
  }
  if (arguments.workload.empty()) return fail("-w, --workload is required, or --experiment");
  const Result<WordSizes> sizes = read_word_sizes(arguments.word_sizes);
  if (!sizes) return fail(sizes.errors());
  const Result<std::vector<u64>> buffers = read_buffers(arguments.written, sizes->every.value_or(1));
  if (!buffers) return fail(buffers.errors());
  arguments.buffers = *buffers;
  arguments.word_sizes = sizes->of_tensor;
  arguments.word_bytes = sizes->every;
  for (BoundQuestion* kind : {&arguments.orojenesis.question(), &arguments.symbolic.question(),
                              &arguments.regions.question(), &arguments.program.question()})
    *kind = arguments.question();
  if (is_program(arguments.workload)) return run_program_question(arguments, output);
  if (const CLI::Option* other = given(arguments.of_program))
    return fail(fmt::format("{}: is about C programs, -w FILE.c", other->get_name()));
  if (arguments.regions.given) return run_region_question(arguments, output);
  if (const CLI::Option* axes = given(arguments.of_regions))
    return fail(fmt::format("{}: is about the picture of --regions", axes->get_name()));
  return run_questions(arguments, output);
}

// The options that `add` adds to the command.
template <class Arguments>
std::vector<const CLI::Option*> own_options(const Command& command, void (*add)(const Command&, Arguments&),
                                            Arguments& arguments) {
  const std::size_t before = command->get_options().size();
  add(command, arguments);
  const std::vector<CLI::Option*> all = command->get_options();
  return {all.begin() + before, all.end()};
}

// What every kind understands.
void add_shared_options(const Command& command, BoundArguments& arguments) {
  add_workload_option(*command, arguments.workload, "Workload: preset, file or text");
  command.value("-a,--architecture", arguments.architecture, "A", "Machine: its levels against the bound");
  command.value("-l,--layer", arguments.layer, "LAYER", "Only this layer");
  std::vector<std::string> kinds = symbolic_kinds();
  kinds.emplace_back(kOrojenesis);
  command
      .value("-k,--kind", arguments.kind, "NAME",
             "Which bound: all (the default), orojenesis (the default with its own options), hbl, conv or iolb")
      ->transform(one_of(std::move(kinds)));
  command
      .value("--buffer", arguments.written, "SIZE",
             "Only for these capacities: words (or what the answer counts), or bytes with a unit (64KiB, 50MB; of "
             "1024)")
      ->delimiter(',');
  command
      .value("--word-size", arguments.word_sizes, "[TENSOR=]N",
             "Bytes in a word: of every one (2; for units of --buffer, 1 unless given), or of a tensor (A=2; all "
             "numbers are then bytes)")
      ->delimiter(',');
  add_read_options(*command, arguments.reading);
  command.target("--csv", arguments.csv, "Write the bounds or the curve; - = stdout");
}

}  // namespace

void add_bound_command(CommandLine& line) {
  auto arguments = std::make_shared<BoundArguments>();
  const Command command(line, "bound", "What no mapping can beat, by size of the buffer");
  arguments->of_questions = own_options(command, add_shared_options, *arguments);
  arguments->of_orojenesis = own_options(command, add_orojenesis_options, arguments->orojenesis);
  arguments->of_symbolic = own_options(command, add_symbolic_options, arguments->symbolic);
  arguments->of_regions = own_options(command, add_region_options, arguments->regions);
  arguments->of_program = own_options(command, add_program_options, arguments->program);
  for (const auto* own :
       {&arguments->of_orojenesis, &arguments->of_symbolic, &arguments->of_regions, &arguments->of_program})
    arguments->of_questions.insert(arguments->of_questions.end(), own->begin(), own->end());
  command.value("--experiment", arguments->experiment, "FILE",
                "Published numbers against ours, see configs/orojenesis");
  command.runs([arguments](const Output& o) { return run(*arguments, o); },
               "Examples:\n"
               "  heliolite bound -w gemm:1024x1024x1024\n"
               "  heliolite bound -w resnet18 -a eyeriss\n"
               "  heliolite bound -w resnet18 --layer conv1 --kind iolb --buffer 8192,65536\n"
               "  heliolite bound -w gemm:1024x1024x1024 --kind orojenesis\n"
               "  heliolite bound -w resnet18 --layer conv2_x -a eyeriss --map --svg curve.svg\n"
               "  heliolite bound -w gpt3_6.7b_block@batch=16 --fuse --word-size 2 --buffer 50MiB,320MiB\n"
               "  heliolite bound -w configs/polybench/lu.c --param N=1000 --buffer 1024 --symbolic\n"
               "  heliolite bound -w conv:n=9,k=9,c=9,p=9,r=4,stride=2 --regions\n"
               "  heliolite bound --experiment configs/orojenesis/fig18.yaml");
}

}  // namespace heliolite::cli
