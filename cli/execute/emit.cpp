// heliolite emit: a tiling as a C program.
#include <fmt/format.h>

#include <memory>

#include "cli/execute/executed_nest.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "engine/execution/emit_c.h"
#include "engine/execution/tiled_nest.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

struct EmitArguments {
  NestArguments nest;
  EmitOptions options;
  std::string target;  // -o
};

// The nest of the mapping, or of the tiles.
Result<ExecutedNest> nest_of(const NestArguments& arguments, const Output& output) {
  if (!arguments.mapping.empty()) {
    const Result<MappedLayer> layer = load_mapped_layer(
        {arguments.architecture, arguments.workload, arguments.layer, arguments.mapping}, arguments.reading);
    if (!layer) return layer.errors();
    if (Diagnostics errors = refuse_word_bits(layer->workload, "a C program of one type"); !errors.empty())
      return errors;
    output.report_notes(layer->notes);
    if (!layer->mapping.is_even())
      return Diagnostic{"", 0, "-m", "tiles of tensors with places of their own (--tiles uneven) have no nest in C"};
    return ExecutedNest{mapped_nest(layer->workload, layer->architecture, layer->mapping),
                        "mapping on " + layer->architecture.name,
                        {}};
  }
  const Result<NestQuestion> question = read_question(arguments, false, output);
  if (!question) return question.errors();
  if (Diagnostics errors = refuse_word_bits(question->workload, "a C program of one type"); !errors.empty())
    return errors;
  const bool each = arguments.tile.empty() && (arguments.tiling == "best" || arguments.tiling == "lru");
  if (each && question->caches.size() > 1)
    return Diagnostic{"", 0, "--cache",
                      "tiles of several caches are several programs; --tiling together makes one nest for all"};
  const Result<std::vector<ExecutedNest>> nests = executed_nests(arguments, *question);
  if (!nests) return nests.errors();
  return nests->front();
}

int run(const EmitArguments& arguments, const Output& output) {
  const Result<ExecutedNest> executed = nest_of(arguments.nest, output);
  if (!executed) return fail(executed.errors());
  EmitOptions options = arguments.options;
  options.title = fmt::format("{}; {}", executed->nest.workload.name, executed->text);
  if (const Diagnostics errors = check_emit(executed->nest, options); !errors.empty()) return fail(errors);
  const std::string program = emit_c(executed->nest, options);
  if (arguments.target.empty()) output.table(program);
  else if (!output.write("-o", program)) return kBadInput;
  Json answer = answer_head("emit");
  answer["question"] = question(executed->nest.workload);
  answer["loops"] = executed->text;
  answer["program"] = arguments.target.empty() ? Json() : Json(arguments.target);
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace

void add_emit_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<EmitArguments>();
  CLI::App* command = app.add_subcommand("emit", "A tiling or mapping as a C program that checks itself");
  add_nest_options(*command, arguments->nest);
  EmitOptions& options = arguments->options;
  add_target_option(*command, output, "-o", arguments->target, "Write the program; on stdout unless given");
  command->add_flag("--pack", options.pack, "Copy tiles into buffers of their own and count the words copied");
  command->add_flag("--trace", options.trace, "The program prints what it touches: array, element, r or w");
  command->add_option("--pad", options.pad_bytes, "Bytes that every element takes, in lines of a cache of their own")
      ->type_name("BYTES");
  command->add_flag("--openmp", options.openmp, "Pragmas for loops that run side by side");
  add_output_options(*command, output);
  command->footer(
      "Examples:\n"
      "  heliolite emit -w gemm:124x124x124 --cache 1024 -o gemm.c && cc -O2 -std=c99 gemm.c -o gemm && ./gemm\n"
      "  heliolite emit -w resnet18 --layer conv1 --cache 8192,262144 --tiling together --pack -o conv1.c\n"
      "  heliolite emit -a eyeriss -w gemm:64x64x64 -m best.json --openmp -o gemm.c");
  command->callback([&action, arguments] { action = [arguments](const Output& o) { return run(*arguments, o); }; });
}

}  // namespace heliolite::cli
