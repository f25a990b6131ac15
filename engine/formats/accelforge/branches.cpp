// The tree of an AccelForge architecture: its compute units, and which nodes are on the way to each. A !Fork is on the
// way to the units in it alone; nodes of lists and of !Hierarchical ones stand outside of those behind them.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/formats/accelforge/machine_parts.h"

namespace heliolite::accelforge {
namespace {

bool is_branch(const YamlNode& node) { return node.tag() == "!Fork" || node.tag() == "!Hierarchical"; }

void find_inside(const YamlNode& nodes, int depth, std::vector<YamlNode>& out, Diagnostics& errors) {
  if (depth > 16) return errors.push_back(nodes.error("nested deeper than 16 branches"));
  for (const YamlNode& node : elements(nodes)) {
    if (node.tag() == "!Compute") out.push_back(node);
    if (!is_branch(node)) continue;
    for (const char* key : {"forked_power_gateable", "non_forked_power_gateable"})
      if (const auto gate = node.find(key); gate && lower(gate->text()) != "false" && gate->text() != "0")
        errors.push_back(gate->error("power gating has no counterpart: all units leak"));
    if (const auto inner = node.find("nodes")) find_inside(*inner, depth + 1, out, errors);
  }
}

}  // namespace

std::vector<YamlNode> find_units(const YamlNode& nodes, Diagnostics& errors) {
  std::vector<YamlNode> out;
  find_inside(nodes, 0, out, errors);
  return out;
}

bool nodes_to(const YamlNode& nodes, const YamlNode& unit, std::vector<YamlNode>& out) {
  for (const YamlNode& node : elements(nodes)) {
    if (is_branch(node)) {
      std::vector<YamlNode> inner;
      const auto list = node.find("nodes");
      const bool here = list && nodes_to(*list, unit, inner);
      if (here || node.tag() == "!Hierarchical") out.insert(out.end(), inner.begin(), inner.end());
      if (here) return true;
    } else if (node.tag() != "!Compute") {
      out.push_back(node);
    } else if (node.value() == unit.value()) {
      out.push_back(node);
      return true;
    }
    if (out.size() > kMaxNodesOfWay) return false;
  }
  return false;
}

bool has_node(const std::vector<YamlNode>& list, const YamlNode& node) {
  return std::ranges::any_of(list, [&](const YamlNode& other) { return other.value() == node.value(); });
}

std::string name_of_node(const YamlNode& node) {
  const auto name = node.find("name");
  return name ? shortened(name->text()) : node.tag();
}

std::vector<std::string> nodes_left_out(const YamlNode& nodes, const std::vector<YamlNode>& units) {
  std::vector<std::string> out;
  std::vector<YamlNode> met, all;
  for (const YamlNode& unit : units) nodes_to(nodes, unit, met);
  const auto collect = [&](const auto& self, const YamlNode& list) -> void {
    for (const YamlNode& node : elements(list))
      if (!is_branch(node)) all.push_back(node);
      else if (const auto inner = node.find("nodes")) self(self, *inner);
  };
  collect(collect, nodes);
  for (const YamlNode& node : all)
    if (!has_node(met, node))
      out.push_back(fmt::format("{} is left out: {}", name_of_node(node),
                                node.tag() == "!Compute" ? "it runs no Einsum of two or three tensors"
                                                         : "it leads to no compute unit that runs Einsums"));
  return out;
}

}  // namespace heliolite::accelforge
