#pragma once
// Reads our own YAML for workloads and networks (docs/formats_workload.md).
#include <optional>

#include "engine/base/yaml_node.h"
#include "workloads/network.h"

namespace heliolite {

// What a network computes: its outputs, or the gradients of its weights.
enum class Pass : u8 { Forward, WeightUpdate };

// Options that replace what the file says: "resnet18@batch=16,pass=weight_update".
struct NetworkOptions {
  std::optional<u64> batch;
  std::optional<Pass> pass;
};

inline constexpr u64 kMaxBatch = 1'000'000;
inline constexpr u64 kMaxLayerCount = 1'000'000;
inline constexpr u64 kMaxNetworkMacs = 1'000'000'000'000'000'000;  // totals of cycles stay within 64 bits

// The pass called "forward" or "weight_update"; none for other names.
std::optional<Pass> find_pass(std::string_view name);

// Reads a network (key `layers` or `layers_from`) or a single workload, which becomes a network of one layer. Without a
// key `name` it is called `fallback_name`. All errors of the file are returned at once.
Result<Network> network_from_yaml(const YamlNode& root, const std::string& fallback_name,
                                  const NetworkOptions& options = {});

}  // namespace heliolite
