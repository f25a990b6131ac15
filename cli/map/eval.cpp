// heliolite eval: the cost of one mapping. heliolite explain: the same by level and tensor.
#include <memory>
#include <string>

#include "arch/level_places.h"
#include "cli/map/cost_tables.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "engine/model/cost_model.h"
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
  answer["name"] = layer.workload.name;
  add_cost(answer, breakdown.energy, breakdown.cycles, breakdown.utilization);
  answer["macs"] = layer.workload.macs();
  answer["mapping"] = to_json(layer.mapping, layer.workload, layer.architecture);
  answer["outside_mapspace"] = Json::array();
  for (const Diagnostic& d : outside) answer["outside_mapspace"].push_back(d.to_string());
  answer["breakdown"] = to_json(breakdown, layer.workload);
  return answer;
}

int run(const char* command, bool by_level, const MappedLayerNames& names, const Output& output) {
  const Result<MappedLayer> layer = load_mapped_layer(names);
  if (!layer) return fail(layer.errors());
  const Diagnostics outside = at_their_levels(outside_mapspace(*layer), names.architecture);
  for (const Diagnostic& d : outside) output.note("heliolite: note: outside the machine's mapspace: " + d.to_string());
  const CostModel model(layer->workload, layer->architecture);
  const Breakdown breakdown = model.explain(layer->mapping);
  std::string text = summary_text(breakdown, layer->workload, layer->architecture);
  if (by_level) {
    text += "\nMapping\n" + nest_text(layer->mapping, layer->workload, layer->architecture);
    text += "\nStorage: words of one instance, energy of all\n" + storage_table(breakdown, layer->workload);
    text += "\nTime and room, one instance\n" + time_table(breakdown);
    text += "\nNetworks: words of one sender\n" + network_table(breakdown, layer->workload);
  }
  output.table(text);
  return output.json(answer_json(command, *layer, breakdown, outside)) ? kSuccess : kBadInput;
}

void add_command(CLI::App& app, Output& output, Action& action, const char* name, const char* what, bool by_level) {
  auto names = std::make_shared<MappedLayerNames>();
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("-a,--architecture", names->architecture, "Machine: preset or file")->required()->type_name("A");
  command->add_option("-w,--workload", names->workload, "Workload: preset, file or text like gemm:512x512x512")
      ->required()
      ->type_name("W");
  command->add_option("-m,--mapping", names->mapping, "Mapping: our YAML, an answer of map --json, or Timeloop's")
      ->required()
      ->type_name("FILE");
  command->add_option("-l,--layer", names->layer, "Layer, when the workload has several")->type_name("NAME");
  add_output_options(*command, output);
  command->footer(std::string("Examples:\n  heliolite ") + name +
                  " -a eyeriss -w gemm:512x512x512 -m mapping.yaml\n"
                  "  heliolite map -a eyeriss -w resnet18 --json best.json\n  heliolite " +
                  name + " -a eyeriss -w resnet18 -m best.json --layer conv1");
  command->callback(
      [&action, names, name, by_level] { action = [=](const Output& o) { return run(name, by_level, *names, o); }; });
}

}  // namespace

void add_eval_command(CLI::App& app, Output& output, Action& action) {
  add_command(app, output, action, "eval", "Cost of one mapping", false);
}

void add_explain_command(CLI::App& app, Output& output, Action& action) {
  add_command(app, output, action, "explain", "Cost of one mapping by level and tensor", true);
}

}  // namespace heliolite::cli
