#pragma once
// Loads what -a, -w, --layer and -m name.
#include <optional>
#include <string>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/mapping.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// The layer called `layer`, or the only one when `layer` is empty. Errors list the layers, with a suggestion.
Result<Workload> pick_layer(const Network& network, const std::string& layer);

// The machine called `name`; none, with its errors added to `errors`, if it cannot be loaded, and none if `name` is
// empty.
std::optional<Architecture> load_if_named(const std::string& name, Diagnostics& errors);

// Architecture, one workload and its mapping; the errors of all three are returned at once.
struct MappedLayer {
  Architecture architecture;
  Workload workload;
  Mapping mapping;
};
struct MappedLayerNames {
  std::string architecture, workload, layer, mapping;  // -a, -w, --layer, -m
};
// Loads what the names stand for.
Result<MappedLayer> load_mapped_layer(const MappedLayerNames& names);

}  // namespace heliolite::cli
