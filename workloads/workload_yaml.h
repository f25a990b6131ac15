#pragma once
// Our own YAML for workloads and networks (docs/formats_workload.md), read and written.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "workloads/network.h"
#include "workloads/workload.h"

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

// Written for programs that do not know presets and texts.

// A YAML document that read_workload() reads back to an equal workload.
std::string write_workload(const Workload& workload);

// "p+2*r": the sum that indexes a rank.
std::string rank_text(const Rank& rank, const Workload& workload);

// The shortest text of a layer's shape in a network's file,
// "conv: {n: 1, k: 64, ..}", "gemm: 512x512x64", or "einsum: .., sizes: {..}, roles: {..}": keys of a layer that read
// back to the same Einsum with the same roles.
std::string shape_text(const Workload& workload);

// A YAML document that network_from_yaml() reads back to an equal network: a line for each layer, shapes by their names
// where they have one, then inputs and edges. `comments` stand behind layers, by their names.
std::string write_network(const Network& network, const std::map<std::string, std::string>& comments = {});

// In what two workloads or networks differ. Dimensions and tensors are matched by name; their order counts, names of
// workloads do not.
FieldDifferences differences(const Workload& a, const Workload& b);

// Layers are matched by name. Two networks of one layer each are compared as workloads.
FieldDifferences differences(const Network& a, const Network& b);

}  // namespace heliolite
