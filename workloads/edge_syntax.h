#pragma once
// Reads what the entries of `edges` state besides their ends: `through`, `combine`, `slice` and
// `ranks`. Ranks stay names until
// all layers and inputs are known.
#include <optional>
#include <string>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/yaml_node.h"
#include "workloads/network.h"

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

}  // namespace heliolite
