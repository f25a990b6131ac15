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

struct BoundArguments {
  std::string kind;  // empty: all, or orojenesis when one of its own options is given
  std::string experiment;
  std::vector<std::string> buffers, word_sizes;  // as written
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

int run_questions(const BoundArguments& arguments, const Output& output) {
  std::string kind = arguments.kind;
  if (kind.empty()) kind = given(arguments.of_orojenesis) != nullptr ? kOrojenesis : "all";
  const bool curve = kind == kOrojenesis;
  if (const CLI::Option* other = given(curve ? arguments.of_symbolic : arguments.of_orojenesis))
    return fail(fmt::format("{}: does not go with --kind {}", other->get_name(), kind));
  if (curve) return run_orojenesis(arguments.orojenesis, output);
  SymbolicArguments symbolic = arguments.symbolic;
  const OrojenesisArguments& shared = arguments.orojenesis;
  symbolic.kind = kind;
  symbolic.architecture = shared.architecture;
  symbolic.workload = shared.workload;
  symbolic.layer = shared.layer;
  symbolic.reading = shared.reading;
  symbolic.capacities() = shared.capacities();
  return run_symbolic(symbolic, output);
}

// The tiling program of a layer; of the other options it has the workload's, the capacity and what is written.
int run_region_question(const BoundArguments& arguments, const Output& output) {
  static const std::vector<std::string> kShared{"--workload", "--layer",  "--buffer", "--csv",      "--svg",
                                                "--sparse",   "--define", "--rename", "--word-bits"};
  std::vector<const CLI::Option*> others = arguments.of_questions;
  std::erase_if(others, [&](const CLI::Option* option) {
    return std::ranges::count(kShared, option->get_name()) +
               std::ranges::count(model_option_names(), option->get_name()) +
               std::ranges::count(arguments.of_regions, option) >
           0;
  });
  if (const CLI::Option* other = given(others))
    return fail(fmt::format("{}: does not go with --regions", other->get_name()));
  const std::vector<u64>& buffers = arguments.orojenesis.buffers;
  if (buffers.size() > 1 || (!buffers.empty() && buffers.front() == 0))
    return fail("--buffer: the picture of --regions has one capacity, at least 1");
  RegionArguments regions = arguments.regions;
  regions.workload = arguments.orojenesis.workload;
  regions.layer = arguments.orojenesis.layer;
  regions.reading = arguments.orojenesis.reading;
  regions.svg = arguments.orojenesis.svg;
  if (!buffers.empty()) regions.capacity = buffers.front();
  return run_regions(regions, output);
}

// A C program; of the other options it has the workload's and the capacities.
int run_program_question(const BoundArguments& arguments, const Output& output) {
  static const std::vector<std::string> kShared{"--workload", "--buffer", "--word-size", "--csv"};
  std::vector<const CLI::Option*> others = arguments.of_questions;
  std::erase_if(others, [&](const CLI::Option* option) {
    return std::ranges::count(kShared, option->get_name()) + std::ranges::count(arguments.of_program, option) > 0;
  });
  if (const CLI::Option* other = given(others))
    return fail(fmt::format("{}: does not go with a C program", other->get_name()));
  if (!arguments.orojenesis.word_sizes.empty())
    return fail("--word-size: all words of a C program have one size, as in --word-size 8");
  ProgramArguments program = arguments.program;
  program.file = arguments.orojenesis.workload;
  program.buffers = arguments.orojenesis.buffers;
  program.csv = !arguments.orojenesis.csv.empty();
  program.word_bytes = arguments.orojenesis.word_bytes;
  return run_program(program, output);
}

int run(BoundArguments arguments, const Output& output) {
  if (!arguments.experiment.empty()) {
    if (const CLI::Option* other = given(arguments.of_questions))
      return fail(fmt::format("{}: does not go with --experiment, whose file says it", other->get_name()));
    return run_experiment(arguments.experiment, output);
  }
  if (arguments.orojenesis.workload.empty()) return fail("-w, --workload is required, or --experiment");
  const Result<WordSizes> sizes = read_word_sizes(arguments.word_sizes);
  if (!sizes) return fail(sizes.errors());
  const Result<std::vector<u64>> buffers = read_buffers(arguments.buffers, sizes->every.value_or(1));
  if (!buffers) return fail(buffers.errors());
  arguments.orojenesis.written = arguments.buffers;
  arguments.orojenesis.buffers = *buffers;
  arguments.orojenesis.word_sizes = sizes->of_tensor;
  arguments.orojenesis.word_bytes = sizes->every;
  if (is_program(arguments.orojenesis.workload)) return run_program_question(arguments, output);
  if (const CLI::Option* other = given(arguments.of_program))
    return fail(fmt::format("{}: is about C programs, -w FILE.c", other->get_name()));
  if (arguments.regions.given) return run_region_question(arguments, output);
  if (const CLI::Option* axes = given(arguments.of_regions))
    return fail(fmt::format("{}: is about the picture of --regions", axes->get_name()));
  return run_questions(arguments, output);
}

// The options that `add` adds to the command.
template <class Add>
std::vector<const CLI::Option*> own_options(CLI::App& command, Add&& add) {
  const std::size_t before = command.get_options().size();
  add();
  const std::vector<CLI::Option*> all = command.get_options();
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

// What every kind understands.
void add_shared_options(CLI::App& command, Output& output, BoundArguments& arguments) {
  OrojenesisArguments& shared = arguments.orojenesis;
  add_workload_option(command, shared.workload, "Workload: preset, file or text");
  command.add_option("-a,--architecture", shared.architecture, "Machine: its levels against the bound")->type_name("A");
  command.add_option("-l,--layer", shared.layer, "Only this layer")->type_name("LAYER");
  std::vector<std::string> kinds = symbolic_kinds();
  kinds.emplace_back(kOrojenesis);
  command
      .add_option("-k,--kind", arguments.kind,
                  "Which bound: all (the default), orojenesis (the default with its own options), hbl, conv or iolb")
      ->type_name("NAME")
      ->transform(one_of(std::move(kinds)));
  command
      .add_option("--buffer", arguments.buffers,
                  "Only for these capacities: words (or what the answer counts), or bytes with a unit (64KiB, 50MB; of "
                  "1024)")
      ->type_name("SIZE")
      ->delimiter(',');
  command
      .add_option("--word-size", arguments.word_sizes,
                  "Bytes in a word: of every one (2; for units of --buffer, 1 unless given), or of a tensor (A=2; all "
                  "numbers are then bytes)")
      ->type_name("[TENSOR=]N")
      ->delimiter(',');
  add_read_options(command, shared.reading);
  add_target_option(command, output, "--csv", shared.csv, "Write the bounds or the curve; - = stdout");
}

}  // namespace

void add_bound_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<BoundArguments>();
  CLI::App* command = app.add_subcommand("bound", "What no mapping can beat, by size of the buffer");
  arguments->of_questions = own_options(*command, [&] { add_shared_options(*command, output, *arguments); });
  arguments->of_orojenesis =
      own_options(*command, [&] { add_orojenesis_options(*command, output, arguments->orojenesis); });
  arguments->of_symbolic = own_options(*command, [&] { add_symbolic_options(*command, arguments->symbolic); });
  arguments->of_regions = own_options(*command, [&] { add_region_options(*command, arguments->regions); });
  arguments->of_program = own_options(*command, [&] { add_program_options(*command, arguments->program); });
  for (const auto* own :
       {&arguments->of_orojenesis, &arguments->of_symbolic, &arguments->of_regions, &arguments->of_program})
    arguments->of_questions.insert(arguments->of_questions.end(), own->begin(), own->end());
  command->add_option("--experiment", arguments->experiment, "Published numbers against ours, see configs/orojenesis")
      ->type_name("FILE");
  add_output_options(*command, output);
  command->footer(
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
  command->callback([&action, arguments] { action = [arguments](const Output& o) { return run(*arguments, o); }; });
}

}  // namespace heliolite::cli
