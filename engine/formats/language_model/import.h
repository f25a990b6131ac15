#pragma once
// Language models by their config (docs/formats_language_models.md): the file that model hubs ship, or a preset that
// states the same fields, becomes the network of a prompt that is read, of tokens that are made, or of both.
#include <optional>
#include <string>

#include "engine/base/yaml_node.h"
#include "engine/formats/language_model/request.h"
#include "workloads/network.h"

namespace heliolite::language_model {

// The network as a file of ours (docs/formats_workload.md).
std::string network_text(const Config& config, const Request& request, const std::string& name);

// The network of a config. `options` is what stands behind '@', `what` the whole request, for complaints; `batch` is
// that of a network around it. Errors: those of read_config() and read_request(), and sizes that are too large.
Result<Network> import_config(const YamlNode& root, const std::string& fallback_name, const std::string& what,
                              const std::optional<std::string>& options, std::optional<u64> batch);

}  // namespace heliolite::language_model
