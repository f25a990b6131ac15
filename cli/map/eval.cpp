// heliolite eval: the cost of one mapping, or of a network's schedule. heliolite explain: the same by level and tensor.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/map/cost_answer.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/units.h"
#include "engine/base/mapped.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_check.h"
#include "engine/model/running_units.h"
#include "engine/report/model_json.h"
#include "engine/space/mapspace.h"

namespace heliolite::cli {
namespace {

// The machine's constraints that the mapping does not obey: it has a cost, but `map` would not return it.
Diagnostics outside_mapspace(const MappedLayer& layer) {
  const Result<Mapspace> space = resolve(layer.workload, layer.architecture);
  return space ? violations(*space, layer.mapping) : space.errors();
}

Json answer_json(const char* command, const MappedLayer& layer, const Breakdown& breakdown,
                 const Diagnostics& outside) {
  Json answer = answer_head(command);
  answer["question"] = {{"workload", question(layer.workload)}, {"architecture", question(layer.architecture)}};
  answer["notes"] = layer.notes;
  answer["name"] = layer.workload.name;
  const Architecture& chain = layer.architecture;
  answer["unit"] = is_one_of_several_units(chain) ? Json(chain.compute.name) : Json();
  add_cost(answer, breakdown.energy, breakdown.cycles, breakdown.utilization);
  answer["macs"] = layer.workload.macs();
  const auto cycles = static_cast<double>(breakdown.cycles);
  answer["rates"] = rates_json({breakdown.energy.picojoules(), cycles, static_cast<double>(layer.workload.macs())},
                               layer.architecture);
  answer["area_um2"] = area_json(layer.architecture);
  answer["counts"] = name(breakdown.counts);
  answer["factors_divide"] = breakdown.divides;
  answer["mapping"] = to_json(layer.mapping, layer.workload, layer.architecture);
  answer["outside_mapspace"] = mapped(outside, &Diagnostic::to_string);
  answer["breakdown"] = to_json(breakdown, layer.workload);
  return answer;
}

struct EvalArguments {
  MappedLayerNames names;
  std::string svg;
  bool nest = false;
  ReadOptions reading;
  std::string counts{name(Counts::Timeloop)};
  bool counts_given = false;
};

// What `explain` adds: the mapping, storage, time and networks.
std::string level_tables(const MappedLayer& layer, const Breakdown& breakdown, bool nest) {
  const Workload& workload = layer.workload;
  const Architecture& architecture = layer.architecture;
  std::string text = "\nMapping\n";
  text += nest ? nest_drawing(loop_nest(layer.mapping, breakdown, workload, architecture), workload, architecture)
               : nest_text(layer.mapping, workload, architecture);
  return text + traffic_tables(breakdown, workload, architecture);
}

// The machine's constraints that the nests of a schedule do not obey, each with its layer.
Diagnostics outside_mapspace(const ScheduledNetwork& network) {
  Diagnostics outside;
  for (int l = 0; l < static_cast<int>(network.graph.links.size()); ++l) {
    const Workload one_pass = network.one_pass(l);
    const MappedLayer layer{network.chain(l), one_pass, network.file.schedule.mappings[l], {}};
    for (Diagnostic& d : outside_mapspace(layer)) {
      d.message = fmt::format("{}: {}", one_pass.name, d.message);
      outside.push_back(std::move(d));
    }
  }
  return outside;
}

void note_outside(const Diagnostics& outside, const Output& output) {
  for (const Diagnostic& d : outside) output.note("heliolite: note: outside the machine's mapspace: " + d.to_string());
}

// Prices the schedule of a whole network.
int run_schedule(const char* command, bool by_level, const EvalArguments& arguments, const MappingFile& file,
                 const Output& output) {
  const MappedLayerNames& names = arguments.names;
  if (arguments.counts_given)
    return fail({{"", 0, "--counts",
                  fmt::format("'{}': factors of the schedule {} divide, so that there is one way of counting: must be "
                              "left out",
                              arguments.counts, names.mapping)}});
  const Result<ScheduledNetwork> network = load_scheduled_network(names, file, arguments.reading);
  if (!network) return fail(network.errors());
  output.report_notes(network->notes);
  const ScheduleFile& schedule = network->file;
  const Result<ScheduleBreakdown> cost =
      schedule_breakdown(schedule.schedule, network->graph, network->architecture, schedule.rules);
  if (!cost) return fail(schedule.placed(cost.errors(), network->graph));
  const Diagnostics outside = at_their_levels(outside_mapspace(*network), names.architecture);
  note_outside(outside, output);
  std::string text = schedule_text(*network, *cost);
  if (by_level) text += explained_schedule_text(*network, *cost, arguments.nest);
  output.table(text);
  const bool drawn = arguments.svg.empty() || output.write("--svg", schedule_svg(*network, *cost));
  return output.json(schedule_json(command, *network, *cost, outside)) && drawn ? kSuccess : kBadInput;
}

int run(const char* command, bool by_level, const EvalArguments& arguments, const Output& output) {
  const MappedLayerNames& names = arguments.names;
  const Result<MappingFile> file = MappingFile::load(names.mapping, arguments.reading);
  if (names_schedule(file)) return run_schedule(command, by_level, arguments, *file, output);
  const Result<MappedLayer> layer = load_mapped_layer(names, file, arguments.reading);
  if (!layer) return fail(layer.errors());
  output.report_notes(layer->notes);
  const Diagnostics outside = at_their_levels(outside_mapspace(*layer), names.architecture);
  note_outside(outside, output);
  const CostModel model(layer->workload, layer->architecture);
  const Result<Counts> counts = counts_named(arguments.counts, model, layer->mapping);
  if (!counts) return fail(counts.errors());
  const Breakdown breakdown = model.explain(layer->mapping, *counts);
  if (const Diagnostics errors = uncountable_cycles(breakdown, layer->architecture); !errors.empty())
    return fail(at_their_levels(errors, names.architecture));
  std::string text = summary_text(breakdown, layer->workload, layer->architecture);
  if (by_level) text += level_tables(*layer, breakdown, arguments.nest);
  output.table(text);
  const auto svg = [&] {
    return nest_svg(loop_nest(layer->mapping, breakdown, layer->workload, layer->architecture), layer->workload,
                    layer->architecture);
  };
  const bool drawn = arguments.svg.empty() || output.write("--svg", svg());
  return output.json(answer_json(command, *layer, breakdown, outside)) && drawn ? kSuccess : kBadInput;
}

void add_command(CommandLine& line, const char* name, const char* what, bool by_level) {
  auto arguments = std::make_shared<EvalArguments>();
  MappedLayerNames* names = &arguments->names;
  const Command command(line, name, what);
  command.value("-a,--architecture", names->architecture, "A", "Machine: preset or file")->required();
  add_workload_option(*command, names->workload, "Workload: preset, file or text like gemm:512x512x512")->required();
  command
      .value("-m,--mapping", names->mapping, "FILE",
             "Mapping: our YAML, an answer of map --json, Timeloop's YAML or its printed nest (map.txt); or the "
             "schedule of a whole network, fused or not")
      ->required();
  command.value("-l,--layer", names->layer, "LAYER", "Layer, when the workload has several");
  command
      .value("--counts", arguments->counts, "NAME",
             "Where factors do not divide: timeloop, its averages, or true, every word that moves")
      ->transform(one_of({std::string(heliolite::name(Counts::Timeloop)), std::string(heliolite::name(Counts::True))}))
      ->capture_default_str();
  if (by_level) {
    command->add_flag("--nest", arguments->nest, "Draw the loop nest in text, with how full each level is");
    command.target("--svg", arguments->svg,
                   "Draw the loop nest: levels, what they keep, loops, units in use; - = stdout");
  }
  add_read_options(*command, arguments->reading);
  const auto run_on = [arguments, command, name, by_level](const Output& o) {
    arguments->counts_given = command->count("--counts") > 0;
    return run(name, by_level, *arguments, o);
  };
  command.runs(run_on, std::string("Examples:\n  heliolite ") + name +
                           " -a eyeriss -w gemm:512x512x512 -m mapping.yaml\n"
                           "  heliolite map -a eyeriss -w resnet18 --json best.json\n  heliolite " +
                           name + " -a eyeriss -w resnet18 -m best.json --layer conv1\n  heliolite " + name +
                           " -a machine.yaml -w network.yaml -m schedule.yaml");
}

}  // namespace

void add_eval_command(CommandLine& line) { add_command(line, "eval", "Cost of one mapping", false); }

void add_explain_command(CommandLine& line) {
  add_command(line, "explain", "Cost of one mapping by level and tensor", true);
}

}  // namespace heliolite::cli
