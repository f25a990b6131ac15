#pragma once
// What the entries of `edges` say besides their ends: `through`, `combine` and `slice`. Ranks are still names: whose
// they are is known when all layers and inputs are.
#include <optional>
#include <string>
#include <vector>

#include "engine/base/yaml_node.h"
#include "workloads/network.h"

namespace heliolite {

struct RankName {
  std::string name;
  YamlNode node;
};

struct ThroughText {
  Through through;
  std::vector<RankName> ranks;  // Pool, Resize; empty: lines and columns
};

struct CombineText {
  Combine combine = Combine::Alone;
  std::optional<RankName> along;  // Concat
};

struct SliceText {
  RankName rank;
  Slice slice;
};

// Each complains and returns nothing when the value cannot be understood.
// none, elementwise, softmax, norm, {pool: {k: 3, stride: 2, pad: 1, ranks: [Q, P]}} or {resize: 2}.
std::optional<ThroughText> read_through(const YamlNode& node, Diagnostics& errors);
// add, multiply or {concat: RANK}.
std::optional<CombineText> read_combine(const YamlNode& node, Diagnostics& errors);
// {rank: M, from: 0, words: 768}.
std::optional<SliceText> read_slice(const YamlNode& node, Diagnostics& errors);

}  // namespace heliolite
