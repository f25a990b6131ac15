#pragma once
// The tree of an AccelForge architecture: its compute units, and which nodes are on the way to each. A !Fork is on the
// way to the units in it alone; nodes of lists and of !Hierarchical ones stand outside of those behind them.
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite::accelforge {

inline constexpr std::size_t kMaxNodesOfWay = 100;

// The compute units in the file's order. Errors: branches nested deeper than 16, or with power gating.
std::vector<YamlNode> find_units(const YamlNode& nodes, Diagnostics& errors);

// Adds the nodes on the way to a compute unit, which is the last. False: it is not among them, or there are too many.
bool nodes_to(const YamlNode& nodes, const YamlNode& unit, std::vector<YamlNode>& out);

// Whether the node itself, at its place in the file, is in the list.
bool has_node(const std::vector<YamlNode>& list, const YamlNode& node);

std::string name_of_node(const YamlNode& node);

// What is said of nodes that no way to these units has.
std::vector<std::string> nodes_left_out(const YamlNode& nodes, const std::vector<YamlNode>& units);

}  // namespace heliolite::accelforge
