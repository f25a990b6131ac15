#pragma once
// The parts of a network's YAML (workload_yaml.h): its layers, and the edges between them, as they are written and with
// ends that must fit in size.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/yaml_node.h"
#include "engine/inputs/read_options.h"
#include "workloads/families.h"
#include "workloads/network.h"
#include "workloads/workload_yaml.h"

namespace heliolite {

// The fields of the edges and inputs of a network (docs/formats_workload.md), map by map.

const FieldTable& edge_fields();   // an entry of `edges`
const FieldTable& input_fields();  // an entry of `inputs` that is no name
const FieldTable& through_fields();
const FieldTable& pool_fields();
const FieldTable& resize_fields();
const FieldTable& concat_fields();
const FieldTable& slice_fields();

// A rank as it was written.
struct RankName {
  std::string name;
  YamlNode node;  // where it was written, for complaints
};

struct ThroughText {
  Through through;
  std::vector<RankName> ranks;  // that Pool and Resize work on; empty: lines and columns
};

struct CombineText {
  Combine combine = Combine::Alone;
  std::optional<RankName> along;  // of Concat
};

struct SliceText {
  RankName rank;
  Slice slice;
};

// Ranks that correspond, as they were written.
struct RankPairText {
  std::vector<RankName> maker, reader;  // the outermost first
};
struct RanksText {
  YamlNode node;  // all of them
  std::vector<RankPairText> pairs;
};

// Each of these functions complains and returns nothing if it cannot understand the value.
// none, elementwise, softmax, norm, {pool: {k: 3, stride: 2, pad: 1, ranks: [Q, P]}} or {resize: 2}.
std::optional<ThroughText> read_through(const YamlNode& node, Diagnostics& errors);
// add, multiply or {concat: RANK}.
std::optional<CombineText> read_combine(const YamlNode& node, Diagnostics& errors);
// {rank: M, from: 0, words: 768}.
std::optional<SliceText> read_slice(const YamlNode& node, Diagnostics& errors);
// {M: [H, K], N: M}, {[H, M]: K, N: N} or {}.
std::optional<RanksText> read_rank_pairs(const YamlNode& node, Diagnostics& errors);

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
