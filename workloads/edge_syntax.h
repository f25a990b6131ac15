#pragma once
// Reads what the entries of `edges` state beside their ends: `through`, `combine` and `slice`. Ranks stay names until
// all layers and inputs are known.
#include <optional>
#include <string>
#include <vector>

#include "engine/base/yaml_node.h"
#include "workloads/network.h"

namespace heliolite {

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

// Each of these functions complains and returns nothing if it cannot understand the value.
// none, elementwise, softmax, norm, {pool: {k: 3, stride: 2, pad: 1, ranks: [Q, P]}} or {resize: 2}.
std::optional<ThroughText> read_through(const YamlNode& node, Diagnostics& errors);
// add, multiply or {concat: RANK}.
std::optional<CombineText> read_combine(const YamlNode& node, Diagnostics& errors);
// {rank: M, from: 0, words: 768}.
std::optional<SliceText> read_slice(const YamlNode& node, Diagnostics& errors);

}  // namespace heliolite
