#pragma once
// Our own YAML for workloads and networks; docs/formats_workload.md describes it.
#include <optional>

#include "engine/base/yaml_node.h"
#include "workloads/network.h"

namespace heliolite {

// What a network computes: its own pass, or the gradient of its weights.
enum class Pass : u8 { Forward, WeightUpdate };

// Replaces what the file says ("resnet18@batch=16,pass=weight_update").
struct NetworkOptions {
  std::optional<u64> batch;
  std::optional<Pass> pass;
};

inline constexpr u64 kMaxBatch = 1'000'000;
inline constexpr u64 kMaxLayerCount = 1'000'000;
inline constexpr u64 kMaxNetworkMacs = 1'000'000'000'000'000'000;  // totals of cycles stay within 64 bits

std::optional<Pass> find_pass(std::string_view name);  // "forward", "weight_update"

// A network (key `layers` or `layers_from`) or a single workload, which becomes a network of one layer. Without a key
// `name` it is called `fallback_name`. Reports all errors of the file.
Result<Network> network_from_yaml(const YamlNode& root, const std::string& fallback_name,
                                  const NetworkOptions& options = {});

}  // namespace heliolite
