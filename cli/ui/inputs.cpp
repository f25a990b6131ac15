#include "cli/ui/inputs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "arch/load.h"
#include "engine/base/text.h"
#include "engine/model/mapping_file.h"
#include "engine/space/fit_names.h"
#include "workloads/load.h"

namespace heliolite::cli {

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

std::optional<Architecture> load_if_named(const std::string& name, Diagnostics& errors) {
  if (name.empty()) return std::nullopt;
  Result<Architecture> architecture = load_architecture(name);
  if (architecture) return *std::move(architecture);
  errors.insert(errors.end(), architecture.errors().begin(), architecture.errors().end());
  return std::nullopt;
}

Result<Inputs> load_inputs(const std::string& architecture, const std::string& workload, const ReadArguments& reading) {
  const Result<ReadOptions> options = reading.options();
  if (!options) return options.errors();
  Result<Architecture> machine = load_architecture(architecture, *options);
  Result<Network> network = load_network(workload, *options);
  Diagnostics errors;
  const auto collect = [&](const auto& result) {
    if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
  };
  collect(machine);
  collect(network);
  if (errors.empty()) errors = reading.rename(*network);
  if (!errors.empty()) return errors;
  fit_names(*network, *machine);
  return Inputs{std::move(*machine), std::move(*network)};
}

std::vector<std::string> Inputs::notes() const {
  std::vector<std::string> notes = architecture.notes;
  notes.insert(notes.end(), network.notes.begin(), network.notes.end());
  return notes;
}

Result<MappedLayer> load_mapped_layer(const MappedLayerNames& names, const ReadArguments& reading) {
  Result<Inputs> inputs = load_inputs(names.architecture, names.workload, reading);
  if (!inputs) return inputs.errors();
  Result<Workload> workload = pick_layer(inputs->network, names.layer);
  if (!workload) return workload.errors();
  const Result<ReadOptions> options = reading.options();
  const Result<Mapping> mapping =
      load_mapping(names.mapping, *workload, inputs->architecture, options ? *options : ReadOptions{});
  if (!mapping) return mapping.errors();
  std::vector<std::string> notes = inputs->notes();
  return MappedLayer{std::move(inputs->architecture), std::move(*workload), *mapping, std::move(notes)};
}

}  // namespace heliolite::cli
