// heliolite bound: what no mapping can beat.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/bound_experiment.h"
#include "cli/bound_orojenesis.h"
#include "cli/command.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

struct BoundArguments {
  std::string kind = "orojenesis";
  std::string experiment;
  OrojenesisArguments orojenesis;
};

int run(const BoundArguments& arguments, const Output& output) {
  if (!arguments.experiment.empty()) return run_experiment(arguments.experiment, output);
  if (arguments.orojenesis.workload.empty()) return fail("-w, --workload is required, or --experiment");
  if (arguments.kind == "orojenesis") return run_orojenesis(arguments.orojenesis, output);
  const std::vector<std::string> kinds{"orojenesis"};
  return fail(fmt::format("--kind: unknown name '{}'{}; known: {}", arguments.kind, did_you_mean(arguments.kind, kinds),
                          join(kinds)));
}

}  // namespace

void add_bound_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<BoundArguments>();
  CLI::App* command = app.add_subcommand("bound", "What no mapping can beat, by size of the buffer");
  command->add_option("-w,--workload", arguments->orojenesis.workload, "Workload: preset, file or text")
      ->type_name("W");
  command->add_option("-a,--architecture", arguments->orojenesis.architecture, "Machine: its levels against the bound")
      ->type_name("A");
  command->add_option("-l,--layer", arguments->orojenesis.layer, "Only this layer")->type_name("NAME");
  command->add_option("-k,--kind", arguments->kind, "Which bound: orojenesis")
      ->type_name("NAME")
      ->capture_default_str();
  add_orojenesis_options(*command, arguments->orojenesis);
  command->add_option("--experiment", arguments->experiment, "Published numbers against ours, see configs/orojenesis")
      ->type_name("FILE");
  add_output_options(*command, output);
  command->footer(
      "Examples:\n"
      "  heliolite bound -w gemm:1024x1024x1024\n"
      "  heliolite bound -w resnet18 --layer conv2_x -a eyeriss --map --svg curve.svg\n"
      "  heliolite bound -w gpt3_6.7b_block@batch=16 --fuse --buffer 50000000,320000000\n"
      "  heliolite bound --experiment configs/orojenesis/fig18.yaml");
  command->callback([&action, arguments] { action = [arguments](const Output& o) { return run(*arguments, o); }; });
}

}  // namespace heliolite::cli
