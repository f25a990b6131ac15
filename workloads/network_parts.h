#pragma once
// The parts of a network's YAML (workload_yaml.h): its layers, and the edges between them, whose ends must fit in size.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/yaml_node.h"
#include "engine/inputs/read_options.h"
#include "workloads/edge_syntax.h"
#include "workloads/families.h"
#include "workloads/network.h"
#include "workloads/workload_yaml.h"

namespace heliolite {

// Layers.

// Settings that all layers of a network share.
struct LayerContext {
  u64 batch = 1;
  Pass pass = Pass::Forward;
  std::map<std::string, Arguments, std::less<>> defaults;  // [family]: values of its parameters
  std::vector<TensorBits> word_bits;                       // of tensors of layers that do not say
};

// Reads the fields of `map` that describe the shape and the roles (shape_fields()), leaving finish() to the caller.
// Complains and returns nothing when there is no valid workload. What was read otherwise than it is written is added to
// `notes`, each with its place.
std::optional<Workload> read_workload(FieldReader& map, const LayerContext& context, std::vector<std::string>& notes,
                                      Diagnostics& errors);

// Edges.

// An edge as it was written.
struct EdgeText {
  Edge edge;      // both ends and the operator; its ranks are not set, they are the names below
  YamlNode node;  // where it was written, for complaints
  std::vector<RankName> through_ranks{};
  std::optional<CombineText> combine{};
  std::optional<SliceText> slice{};
  std::optional<RanksText> ranks{};
};

// Adds the edges to `network`, with ranks found by their names, and works out the words of the network's inputs.
// Complains about edges whose two ends differ in counts or words.
void add_edges(std::vector<EdgeText> edges, Network& network, Diagnostics& errors);

// The parts of the YAML that are read.
struct EdgeNodes {
  std::optional<YamlNode> edges, inputs;
  std::vector<std::pair<int, YamlNode>> reads;  // a layer's index and its `reads`
};

// Fills in edges and inputs of `network`, whose layers are complete. Complains about unknown layers, tensors and ranks,
// outputs as operands, counts or words that differ, several edges into a tensor that do not say how they are combined,
// cycles, inputs that nobody reads.
void read_edges(const EdgeNodes& nodes, Network& network, Diagnostics& errors);

}  // namespace heliolite
