#include "engine/model/mapping_file.h"

#include <fmt/format.h>

#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/text.h"
#include "engine/inputs/input_file.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_fields.h"
#include "engine/model/mapping_yaml.h"
#include "engine/model/timeloop_mapping.h"

namespace heliolite {
namespace {

// Timeloop's mappings are lists of directives with a target; ours are lists of levels.
bool is_timeloop(const YamlNode& mapping) {
  return mapping.is_sequence() && mapping.size() > 0 && mapping.at(0).has("target");
}

// The entry of a `map --json` answer that belongs to the workload.
Result<YamlNode> find_layer(const YamlNode& layers, const std::string& workload) {
  if (!layers.is_sequence() || layers.size() == 0) return layers.error("must be a list of layers");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto name = layers.at(i).find("name");
    names.push_back(name ? name->text() : "");
    if (layers.size() > 1 && names.back() != workload) continue;
    const auto mapping = layers.at(i).find("mapping");
    if (mapping && mapping->is_sequence()) return *mapping;
    return layers.at(i).error(fmt::format("layer '{}' has no mapping", names.back()));
  }
  return layers.error(fmt::format("no layer '{}'{}; layers: {}", workload, did_you_mean(workload, names), join(names)));
}

Result<YamlNode> find_mapping(const YamlNode& root, const std::string& workload) {
  if (root.is_sequence()) return root;
  if (!root.is_map()) {
    return root.error("is not a mapping: must have the key 'mapping' with a list of levels, outermost first");
  }
  if (const auto layers = root.find("layers")) return find_layer(*layers, workload);
  if (root.has("command") || (root.has("mapping") && is_timeloop(*root.find("mapping")))) {
    if (const auto mapping = root.find("mapping")) return *mapping;
  }
  Diagnostics errors;
  FieldReader reader(root, mapping_file_fields(), errors);
  const auto mapping = reader.child("mapping");
  reader.ignore("workload");
  reader.ignore("architecture");
  reader.finish();
  if (!errors.empty()) return errors;
  return *mapping;
}

Result<Mapping> read_document(const YamlNode& root, const Workload& workload, const Architecture& architecture) {
  const Result<YamlNode> node = find_mapping(root, workload.name);
  if (!node) return node.errors();
  const Result<Mapping> mapping = is_timeloop(*node) ? read_timeloop_mapping(*node, workload, architecture)
                                                     : read_mapping(*node, workload, architecture);
  if (!mapping) return mapping;
  Diagnostics illegal = check(*mapping, workload, architecture);
  for (Diagnostic& d : illegal) {
    d.file = root.file();
    if (d.line == 0) d.line = node->line();
  }
  if (!illegal.empty()) return illegal;
  return mapping;
}

}  // namespace

Result<Mapping> load_mapping(const std::string& path, const Workload& workload, const Architecture& architecture,
                             const ReadOptions& options) {
  const Result<YamlNode> root = load_input(path, options);
  if (!root) return root.errors();
  return read_document(*root, workload, architecture);
}

Result<Mapping> parse_mapping(std::string_view text, const std::string& name, const Workload& workload,
                              const Architecture& architecture) {
  const Result<YamlNode> root = YamlNode::parse(text, name);
  if (!root) return root.errors();
  return read_document(*root, workload, architecture);
}

}  // namespace heliolite
