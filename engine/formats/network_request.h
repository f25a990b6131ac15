#pragma once
// What a network is asked for by: its name, one of its layers, and options behind '@'. Which options those are depends
// on what the name is of; `operators` is said of any network.
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "workloads/operator_layers.h"
#include "workloads/workload_yaml.h"

namespace heliolite {

// "resnet18/conv2_x@batch=16,pass=weight_update"
struct NetworkRequest {
  std::string name;
  std::optional<std::string> layer;
  std::optional<std::string> options;  // what stands behind '@'
};

// Takes the text apart: a '/' is before a layer where the name before it is a preset's.
NetworkRequest parse_network_request(const std::string& what);

// The options behind the name, for files and presets of ours. Complaints: file = the request.
Result<NetworkOptions> parse_network_options(const NetworkRequest& request);

// "operators=unit,exponential=8" among what stands behind '@', which is said of any network.
struct OperatorRequest {
  std::string what;  // the rest of the request
  bool layers = false;
  OperatorPrices prices{};
};

// Takes `operators` and the prices out of what stands behind '@'. Complaints: file = the request.
Result<OperatorRequest> parse_operators(const std::string& what);

}  // namespace heliolite
