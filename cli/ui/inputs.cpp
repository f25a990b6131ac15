#include "cli/ui/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/ui/read_arguments.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/model/running_units.h"
#include "engine/network/fused_cost.h"
#include "engine/space/constraint_notes.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

bool is_one_of(const std::string& name, const std::vector<std::string>& presets) {
  return std::ranges::find(presets, name) != presets.end();
}

// What is said of a name that the other option knows.
Result<Architecture> load_machine(const std::string& name, const ReadOptions& reading) {
  Result<Architecture> machine = load_architecture(name, reading);
  if (machine || !is_one_of(name, workload_preset_names())) return machine;
  return Diagnostic{"", 0, "--architecture", fmt::format("'{}' is a workload, which goes to -w", name)};
}

Result<Network> load_layers(const std::string& what, const ReadOptions& reading, Wanted wanted) {
  if (is_program(what))
    return Diagnostic{"", 0, "--workload",
                      fmt::format("{} is a C program, which bound and simulate take (heliolite bound -w {} --param "
                                  "N=1000); other commands take layers and networks, and a loop nest that multiplies "
                                  "and adds as an Einsum: -w \"C[i,j] += A[i,k]*B[k,j]; i=64,j=64,k=64\"",
                                  what, what)};
  Result<Network> network = load_network(what, reading, wanted);
  if (network || !is_one_of(what, architecture_preset_names())) return network;
  return Diagnostic{"", 0, "--workload", fmt::format("'{}' is a machine, which goes to -a", what)};
}

}  // namespace

CLI::Option* add_workload_option(CLI::App& command, std::string& workload, const std::string& help) {
  return command.add_option("-w,--workload", workload, help)->type_name("W");
}

Result<Network> load_workload(const std::string& what, const ReadOptions& reading, const Output& output,
                              Wanted wanted) {
  Result<Network> network = load_layers(what, reading, wanted);
  if (network) output.report_notes(network->notes);
  return network;
}

Result<Workload> pick_layer(const Network& network, const std::string& layer) {
  std::vector<std::string> names;
  for (const Layer& l : network.layers) {
    if (l.workload.name == layer || (layer.empty() && network.layers.size() == 1)) return l.workload;
    names.push_back(l.workload.name);
  }
  if (layer.empty()) {
    return Diagnostic{"", 0, "--layer",
                      fmt::format("{} has {} layers, name one of {}", network.name, names.size(), join(names, "or"))};
  }
  return Diagnostic{
      "", 0, "--layer",
      fmt::format("{} has no layer '{}'{}; layers: {}", network.name, layer, did_you_mean(layer, names), join(names))};
}

std::optional<Architecture> load_if_named(const std::string& name, const ReadOptions& reading, const Output& output,
                                          Diagnostics& errors) {
  if (name.empty()) return std::nullopt;
  Result<Architecture> architecture = load_machine(name, reading);
  if (architecture) {
    output.report_notes(architecture->notes);
    return *std::move(architecture);
  }
  errors.insert(errors.end(), architecture.errors().begin(), architecture.errors().end());
  return std::nullopt;
}

Result<Inputs> load_inputs(const std::string& architecture, const std::string& workload, const ReadOptions& reading,
                           MapspaceOptions lifted, Wanted wanted) {
  Result<Architecture> machine = load_machine(architecture, reading);
  Result<Network> network = load_layers(workload, reading, wanted);
  Diagnostics errors;
  const auto collect = [&](const auto& result) {
    if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
  };
  collect(machine);
  collect(network);
  if (!errors.empty()) return errors;
  fit_names(*network, *machine);
  for (std::string& note : constraint_notes(*network, *machine, lifted)) network->notes.push_back(std::move(note));
  return Inputs{std::move(*machine), std::move(*network)};
}

std::vector<std::string> Inputs::notes() const {
  std::vector<std::string> notes = architecture.notes;
  notes.insert(notes.end(), network.notes.begin(), network.notes.end());
  return notes;
}

Result<MappedLayer> load_mapped_layer(const MappedLayerNames& names, const ReadOptions& reading) {
  return load_mapped_layer(names, MappingFile::load(names.mapping, reading), reading);
}

Result<MappedLayer> load_mapped_layer(const MappedLayerNames& names, const Result<MappingFile>& file,
                                      const ReadOptions& reading) {
  Result<Inputs> inputs = load_inputs(names.architecture, names.workload, reading);
  if (!inputs) return inputs.errors();
  Result<Workload> workload = pick_layer(inputs->network, names.layer);
  if (!workload) return workload.errors();
  if (!file) return file.errors();
  const Result<std::size_t> unit = file->unit(*workload, inputs->architecture);
  if (!unit) return unit.errors();
  const Architecture& chain = inputs->architecture.chain(*unit);
  const Result<Mapping> mapping = file->read(*workload, chain);
  if (!mapping) return mapping.errors();
  return MappedLayer{chain, std::move(*workload), *mapping, inputs->notes()};
}

bool names_schedule(const Result<MappingFile>& file) {
  return file && file->document() != nullptr && (is_schedule(*file->document()) || file->is_tree_of_several());
}

Workload ScheduledNetwork::one_pass(int l) const { return pass_workload(graph.link(l), file.passes[l]); }
const Architecture& ScheduledNetwork::chain(int l) const { return running_chain(graph.link(l), architecture); }

Result<ScheduledNetwork> load_scheduled_network(const MappedLayerNames& names, const MappingFile& file,
                                                const ReadOptions& reading) {
  if (!names.layer.empty())
    return Diagnostic{
        "", 0, "--layer",
        fmt::format("'{}': {} is a schedule of all layers, must be left out", names.layer, names.mapping)};
  Result<Inputs> inputs = load_inputs(names.architecture, names.workload, reading, {}, Wanted::Edges);
  if (!inputs) return inputs.errors();
  return scheduled_network(*std::move(inputs), file, names.workload);
}

Result<ScheduledNetwork> scheduled_network(Inputs inputs, const MappingFile& file, const std::string& workload) {
  Result<LinkGraph> graph = graph_of_network(inputs.network);
  if (!graph) {
    Diagnostics errors = graph.errors();
    for (Diagnostic& e : errors) e.file = workload;
    return errors;
  }
  const Result<YamlNode> document = file.document_for(inputs.network, inputs.architecture);
  if (!document) return document.errors();
  take_units(*document, inputs.architecture, *graph);
  Result<ScheduleFile> schedule = read_schedule_file(*document, *graph, inputs.architecture);
  if (!schedule) return schedule.errors();
  std::vector<std::string> notes = inputs.notes();
  return ScheduledNetwork{std::move(inputs.architecture), std::move(inputs.network), *std::move(graph),
                          *std::move(schedule), std::move(notes)};
}

}  // namespace heliolite::cli
