// heliolite space: how many mappings there are, in closed form, by part.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/map/answer_texts.h"
#include "cli/space/space_views.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/formats/load_architecture.h"
#include "engine/model/running_units.h"
#include "engine/space/mapspace.h"
#include "engine/space/mapspace_size.h"

namespace heliolite::cli {
namespace {

struct SpaceArguments {
  std::string architecture, workload, layer;
  MapspaceOptions lifted;
  bool unit_loops = false;
  bool pruned = false;
  TileQuestion tiles;
  SensitivityQuestion sensitivity;
  SampleQuestion sample;
  ReadOptions reading;
};

// "362880", or "8.60e+17" with all digits in the JSON.
std::string text(const BigCount& n) {
  const std::string digits = n.str();
  if (digits.size() <= 9) return digits;
  return fmt::format("{}.{}e+{}", digits[0], digits.substr(1, 2), digits.size() - 1);
}

// Beyond 64 bits the nearest double.
Json json(const BigCount& n) {
  return n <= BigCount(~u64{0}) ? Json(static_cast<u64>(n)) : Json(static_cast<double>(n));
}

std::string parts_text(const Workload& workload, const Architecture& architecture, const MapspaceSize& size) {
  Table splits({"<dimension", "size", "ways to split"});
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    splits.row({workload.dimensions[d].name, fmt::format("{}", workload.dimensions[d].size), text(size.splits[d])});
  Table levels({"<level", "unrollings below", "loop orders", "keep choices"});
  for (std::size_t i = architecture.levels.size(); i-- > 0;)
    levels.row({architecture.levels[i].name, size.unrollings[i] ? text(*size.unrollings[i]) : "not counted",
                text(size.orders[i]), text(size.keeps[i])});
  return splits.to_string() + "\n" + levels.to_string();
}

std::string size_text(const Workload& workload, const Architecture& architecture, const MapspaceSize& size) {
  BigCount orders = 1, keeps = 1;
  for (const BigCount& n : size.orders) orders *= n;
  for (const BigCount& n : size.keeps) keeps *= n;
  std::string out =
      fmt::format("{} on {}: {} mappings, capacities aside\n\n", workload.name, architecture.name, text(size.mappings));
  const auto line = [&](const char* what, const std::string& n, const char* note = "") {
    out += fmt::format("  {:<14} {:>14}{}{}\n", what, n, *note != '\0' ? "  " : "", note);
  };
  line("tilings", text(size.tilings), size.tilings_exact ? "" : "without the joint limit of the fan-outs");
  line("x loop orders", text(orders));
  line("x keep choices", text(keeps));
  if (size.nests) line("loop nests", text(*size.nests), "different ones: a loop of one iteration has no place");
  return out + "\n" + parts_text(workload, architecture, size);
}

Json size_json(const Workload& workload, const Architecture& architecture, const MapspaceSize& size) {
  Json splits = Json::object();
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    splits[workload.dimensions[d].name] = json(size.splits[d]);
  Json unrollings = Json::object(), orders = Json::object(), keeps = Json::object();
  for (std::size_t i = architecture.levels.size(); i-- > 0;) {
    const std::string& level = architecture.levels[i].name;
    unrollings[level] = size.unrollings[i] ? json(*size.unrollings[i]) : Json();
    orders[level] = json(size.orders[i]);
    keeps[level] = json(size.keeps[i]);
  }
  return {{"name", workload.name},
          {"mappings", json(size.mappings)},
          {"mappings_exact", size.mappings.str()},
          {"by_part",
           {{"splits", splits},
            {"tilings", json(size.tilings)},
            {"tilings_exact", size.tilings_exact},
            {"unrollings", unrollings},
            {"orders", orders},
            {"keeps", keeps}}},
          {"nests", size.nests ? json(*size.nests) : Json()}};
}

// What the options ask for together and cannot have.
std::string conflict(const SpaceArguments& arguments) {
  const TileQuestion& tiles = arguments.tiles;
  if (tiles.level.empty() && !tiles.dot.empty()) return "--dot draws the tiles of a level, choose it with --tiles";
  const SampleQuestion& sample = arguments.sample;
  const SensitivityQuestion& sensitivity = arguments.sensitivity;
  if (sensitivity.asked + (sample.mappings > 0) + !tiles.level.empty() + arguments.pruned > 1)
    return "--sensitivity, --sample, --tiles and --pruned are different questions, take one";
  if (!sensitivity.asked && (sample.mappings > 0 ? sensitivity.refined_alone() : sensitivity.refined()))
    return "--samples, --pairs, --from and options of the search say more of --sensitivity, which is not asked";
  if (sample.mappings == 0 && !(sample.csv.empty() && sample.svg.empty()))
    return "--csv and --svg are of a histogram, draw mappings with --sample";
  if (tiles.level.empty() && tiles.all) return "--all lists tiles, choose their level with --tiles";
  return "";
}

int run(const SpaceArguments& arguments, const Output& output) {
  if (const std::string why = conflict(arguments); !why.empty()) return fail(why);
  const Result<Inputs> inputs =
      load_inputs(arguments.architecture, arguments.workload, arguments.reading, arguments.lifted);
  if (!inputs) return fail(inputs.errors());
  output.report_notes(inputs->notes());
  const Architecture* const architecture = &inputs->architecture;
  const Network* const network = &inputs->network;
  std::vector<Workload> workloads;
  if (!arguments.layer.empty()) {
    const Result<Workload> layer = pick_layer(*network, arguments.layer);
    if (!layer) return fail(layer.errors());
    workloads.push_back(*layer);
  } else {
    for (const Layer& layer : network->layers) workloads.push_back(layer.workload);
  }
  std::vector<const Architecture*> chains;  // [workload]
  for (const Workload& workload : workloads) {
    const Result<const Architecture*> chain = chain_that_runs(workload, *architecture);
    if (!chain) return fail(chain.errors());
    chains.push_back(*chain);
  }
  Json answer = answer_head("space");
  answer["question"] = {
      {"architecture", question(*architecture)}, {"workload", network->name},     {"layer", arguments.layer},
      {"free", arguments.lifted.free},           {"open", arguments.lifted.open}, {"unit_loops", arguments.unit_loops}};
  if (!arguments.tiles.level.empty()) {
    if (workloads.size() > 1) return fail("--tiles shows one layer's tiles, choose it with --layer");
    const Result<Mapspace> space = resolve(workloads.front(), *chains.front(), arguments.lifted);
    if (!space) return fail(at_their_levels(space.errors(), arguments.architecture));
    return show_tiles(workloads.front(), *chains.front(), *space, arguments.tiles, answer, output);
  }
  if (arguments.sensitivity.asked) {
    if (workloads.size() > 1) return fail("--sensitivity is of one layer, choose it with --layer");
    return show_sensitivity(workloads.front(), *chains.front(), arguments.lifted, arguments.sensitivity, answer,
                            output);
  }
  if (arguments.pruned) return show_pruned(workloads, chains, arguments.lifted, answer, output);
  if (arguments.sample.mappings > 0) {
    if (workloads.size() > 1) return fail("--sample draws one layer's mappings, choose it with --layer");
    const Result<Mapspace> space = resolve(workloads.front(), *chains.front(), arguments.lifted);
    if (!space) return fail(at_their_levels(space.errors(), arguments.architecture));
    SearchOptions options;
    arguments.sensitivity.search.apply(options);
    options.free = arguments.lifted.free;
    options.open = arguments.lifted.open;
    return show_sample(workloads.front(), *chains.front(), *space, options, arguments.sample, answer, output);
  }
  Table table({"<layer", "tilings", "mappings", "loop nests"});
  if (workloads.size() > 1) answer["layers"] = Json::array();
  std::size_t done = 0;
  for (std::size_t k = 0; k < workloads.size(); ++k) {
    const Workload& workload = workloads[k];
    const Architecture& chain = *chains[k];
    const Result<Mapspace> space = resolve(workload, chain, arguments.lifted);
    if (!space) return fail(at_their_levels(space.errors(), arguments.architecture));
    const auto counted = until_interrupted([space = *space, unit_loops = arguments.unit_loops] {
      return mapspace_size(space, {.unit_loops = unit_loops});
    });
    if (!counted) break;
    const MapspaceSize& size = *counted;
    ++done;
    if (workloads.size() == 1) {
      output.table(size_text(workload, chain, size));
      answer.update(size_json(workload, chain, size));
      break;
    }
    table.row({workload.name, text(size.tilings), text(size.mappings), size.nests ? text(*size.nests) : "not counted"});
    answer["layers"].push_back(size_json(workload, chain, size));
  }
  if (workloads.size() > 1) output.table(table.to_string() + "  --layer NAME shows a layer's parts.\n");
  return write_partial_answer(output, answer, done, workloads.size(), "layers");
}

}  // namespace

void add_space_command(CommandLine& line) {
  auto arguments = std::make_shared<SpaceArguments>();
  const Command command(line, "space", "Size of the mapspace in closed form, by part");
  command.value("-a,--architecture", arguments->architecture, "A", "Machine: preset or file")->required();
  add_workload_option(*command, arguments->workload, "Workload: preset, file or text")->required();
  command.value("-l,--layer", arguments->layer, "LAYER", "Only this layer, in detail");
  command->add_flag("--free", arguments->lifted.free, "Lift the machine's dataflow constraints");
  command->add_flag("--open", arguments->lifted.open, "Lift the machine's keep rules: levels may hold any tensors");
  command->add_flag("--unit-loops", arguments->unit_loops,
                    "Count the orders of dimensions of size 1 too, as published counts do");
  command.value("--tiles", arguments->tiles.level, "LEVEL", "The tiles of this level that fit and cannot grow");
  command->add_flag("--all", arguments->tiles.all, "With --tiles: also those that can grow");
  command.target("--dot", arguments->tiles.dot, "With --tiles: draw them for Graphviz; - = stdout");
  add_sensitivity_options(command, arguments->sensitivity);
  command->add_flag("--pruned", arguments->pruned,
                    "Tiles and unrollings that the rules of Sunstone's thesis leave out, by layer");
  SampleQuestion& sample = arguments->sample;
  command
      .value("--sample", sample.mappings, "N", "Draw N legal mappings of a layer at random: a histogram of their value")
      ->check(whole_number(1, 100'000'000));
  command.target("--csv", sample.csv, "With --sample: write the histogram; - = stdout");
  command.target("--svg", sample.svg, "With --sample: draw the histogram; - = stdout");
  add_read_options(*command, arguments->reading);
  command.runs(
      arguments, run,
      "Counted are mappings with perfect factors; whether their tiles fit is not looked at.\n\nExamples:\n"
      "  heliolite space -a eyeriss -w gemm:512x512x512\n"
      "  heliolite space -a edge_unified -w resnet18 --layer conv2_x --unit-loops\n"
      "  heliolite space -a eyeriss -w resnet18 --layer conv2_x --sample 100000 --svg histogram.svg\n"
      "  heliolite space -a eyeriss -w conv:c=4,p=14,k=4,r=3 --tiles PsumSpad --dot - | dot -Tsvg -o tiles.svg");
}

}  // namespace heliolite::cli
