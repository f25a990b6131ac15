#include "cli/ui/inputs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "arch/load.h"
#include "engine/base/text.h"
#include "engine/model/mapping_file.h"
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

Result<MappedLayer> load_mapped_layer(const MappedLayerNames& names) {
  Result<Architecture> architecture = load_architecture(names.architecture);
  const Result<Network> network = load_network(names.workload);
  Diagnostics errors;
  const auto collect = [&](const auto& result) {
    if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
  };
  collect(architecture);
  collect(network);
  if (!errors.empty()) return errors;
  Result<Workload> workload = pick_layer(*network, names.layer);
  if (!workload) return workload.errors();
  const Result<Mapping> mapping = load_mapping(names.mapping, *workload, *architecture);
  if (!mapping) return mapping.errors();
  return MappedLayer{std::move(*architecture), std::move(*workload), *mapping};
}

}  // namespace heliolite::cli
