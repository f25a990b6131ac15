#pragma once
// Which of our file formats a document has, by its keys; no format of other tools.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/yaml_node.h"
#include "workloads/families.h"

namespace heliolite {

// "machine", "workload", ..; empty: none of ours.
inline std::string own_format(const YamlNode& root) {
  const auto is_level = [](const YamlNode& list) { return list.is_sequence() && list.at(0).has("level"); };
  if (is_level(root) || (root.find("mapping") && is_level(*root.find("mapping")))) return "mapping";
  if (root.has("schedule") && root.has("mappings")) return "schedule";
  if (root.find("architecture"))
    return root.find("architecture")->has("levels") || root.find("architecture")->has("base") ? "machine" : "";
  for (const char* key : {"sweep", "bench", "tiling"})
    if (root.has(key)) return key;
  if (root.has("ablation") || root.has("co_search")) return "bench";
  if (root.has("rows")) return "experiment";
  if (root.has("mac_um2")) return "chip";
  std::vector<std::string> shapes = family_names();
  shapes.insert(shapes.end(), {"layers", "layers_from", "einsum", "dimensions"});
  const bool workload = std::ranges::any_of(shapes, [&](const std::string& key) { return root.has(key); });
  return workload ? "workload" : "";
}

}  // namespace heliolite
