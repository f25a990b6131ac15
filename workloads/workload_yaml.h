#pragma once
// Reads our own YAML for workloads and networks (docs/formats_workload.md).
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
inline constexpr std::size_t kMaxNetworkLayers = 100'000;
inline constexpr u64 kMaxTokens = 1'000'000'000;
inline constexpr u64 kMaxLayerCount = 1'000'000;
inline constexpr u64 kMaxNetworkMacs = 1'000'000'000'000'000'000;  // totals of cycles stay within 64 bits

// The pass called "forward" or "weight_update"; none for other names.
std::optional<Pass> find_pass(std::string_view name);

// The network that `what`, the value of a key `network`, names; the options replace what it says itself.
using NetworkLoader = std::function<Result<Network>(const YamlNode& what, const NetworkOptions& options)>;

// Reads a network (key `layers`, `layers_from` or `network`) or a single workload, which becomes a network of one
// layer. Without a key `name` it is called `fallback_name`. All errors of the file are returned at once. Without `load`
// there are no networks inside it.
Result<Network> network_from_yaml(const YamlNode& root, const std::string& fallback_name,
                                  const NetworkOptions& options = {}, const NetworkLoader& load = {});

// Text of the preset "resnet18" (file presets/resnet18.yaml); none: there is no such preset.
std::optional<std::string_view> workload_preset(std::string_view name);
std::vector<std::string> workload_preset_names();  // sorted

}  // namespace heliolite
