#include "engine/formats/load_mapping.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/timeloop/loops.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/inputs/input_file.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"

namespace heliolite {
namespace {

// Timeloop's mappings are lists of directives with a target; ours are lists of levels.
bool is_timeloop(const YamlNode& mapping) {
  return mapping.is_sequence() && mapping.size() > 0 && mapping.at(0).has("target");
}

// The entry of a `map --json` answer that belongs to the workload.
Result<YamlNode> find_entry(const YamlNode& layers, const std::string& workload) {
  if (!layers.is_sequence() || layers.size() == 0) return layers.error("must be a list of layers");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto name = layers.at(i).find("name");
    names.push_back(name ? name->text() : "");
    if (layers.size() == 1 || names.back() == workload) return layers.at(i);
  }
  return layers.error(fmt::format("no layer '{}'{}; layers: {}", workload, did_you_mean(workload, names), join(names)));
}

Result<YamlNode> find_layer(const YamlNode& layers, const std::string& workload) {
  const Result<YamlNode> entry = find_entry(layers, workload);
  if (!entry) return entry;
  const auto mapping = entry->find("mapping");
  if (mapping && mapping->is_sequence()) return *mapping;
  const auto name = entry->find("name");
  return entry->error(fmt::format("layer '{}' has no mapping", name ? name->text() : ""));
}

// The unit that the file names, if it does.
std::optional<YamlNode> named_unit(const YamlNode& root, const std::string& workload) {
  std::optional<YamlNode> unit;
  if (!root.is_map()) return unit;
  if (const auto layers = root.find("layers")) {
    if (const Result<YamlNode> entry = find_entry(*layers, workload)) unit = entry->find("unit");
  } else {
    unit = root.find("unit");
  }
  return unit && !unit->is_null() ? unit : std::nullopt;
}

Result<YamlNode> find_mapping(const YamlNode& root, const std::string& workload) {
  if (root.is_sequence()) return root;
  if (!root.is_map())
    return root.error("is not a mapping: must have the key 'mapping' with a list of levels, outermost first");
  if (root.has("schedule") && root.has("mappings"))
    return root.error(
        "is the schedule of a network, fused or not, which eval, explain and diff take: must be the "
        "mapping of one layer");
  if (const auto layers = root.find("layers")) return find_layer(*layers, workload);
  if (root.has("command") || (root.has("mapping") && is_timeloop(*root.find("mapping"))))
    if (const auto mapping = root.find("mapping")) return *mapping;
  Diagnostics errors;
  FieldReader reader(root, mapping_file_fields(), errors);
  const auto mapping = reader.child("mapping");
  reader.ignore("workload");
  reader.ignore("architecture");
  reader.ignore("unit");
  reader.finish();
  if (!errors.empty()) return errors;
  return *mapping;
}

// The mapping, or why it is none of the machine; `line` is where it begins in `file`.
Result<Mapping> checked(const Result<Mapping>& mapping, const Workload& workload, const Architecture& architecture,
                        const std::string& file, int line) {
  if (!mapping) return mapping;
  Diagnostics illegal = check(*mapping, workload, architecture);
  for (Diagnostic& d : illegal) {
    d.file = file;
    if (d.line == 0) d.line = line;
  }
  if (!illegal.empty()) return illegal;
  return mapping;
}

Result<Mapping> read_document(const YamlNode& root, const Workload& workload, const Architecture& architecture) {
  const Result<YamlNode> node = find_mapping(root, workload.name);
  if (!node) return node.errors();
  return checked(is_timeloop(*node) ? read_timeloop_mapping(*node, workload, architecture)
                                    : read_mapping(*node, workload, architecture),
                 workload, architecture, root.file(), node->line());
}

// A text of ours that a file of AccelForge became. Complaints have no line: nobody has seen the text.
Result<YamlNode> as_ours(const Result<std::string>& text, const std::string& file) {
  if (!text) return text.errors();
  return YamlNode::parse(*text, file);
}

Diagnostics without_lines(Diagnostics errors) {
  for (Diagnostic& error : errors) error.line = 0;
  return errors;
}

}  // namespace

Result<MappingFile> MappingFile::load(const std::string& path, const ReadOptions& options) {
  MappingFile file;
  file.name_ = path;
  Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  if (is_timeloop_nest(*text)) {
    file.nest_ = *std::move(text);
    return file;
  }
  Result<YamlNode> root = refuse_accelforge(load_input(path, options, *text), "mapping");
  if (!root) return root.errors();
  file.root_ = *std::move(root);
  return file;
}

Result<MappingFile> MappingFile::parse(std::string_view text, const std::string& name) {
  MappingFile file;
  file.name_ = name;
  if (is_timeloop_nest(text)) {
    file.nest_ = text;
    return file;
  }
  Result<YamlNode> root = YamlNode::parse(text, name);
  if (!root) return root.errors();
  file.root_ = *std::move(root);
  return file;
}

Result<std::size_t> MappingFile::unit(const Workload& workload, const Architecture& machine) const {
  const bool tree = nest_.empty() && accelforge_part(root_) == "mapping";
  const std::optional<YamlNode> named = !nest_.empty() || (tree && machine.units.empty()) ? std::nullopt
                                        : tree ? accelforge::named_unit(root_, workload.name)
                                               : named_unit(root_, workload.name);
  if (!named) return unit_that_runs(workload, machine);
  Workload on_it = workload;
  if (on_it.unit.empty()) on_it.unit = named->text();
  if (on_it.unit != named->text())
    return named->error(
        fmt::format("the mapping is on {}, but {} is for {}", named->text(), workload.name, workload.unit));
  const Result<std::size_t> unit = unit_that_runs(on_it, machine);
  if (!unit) return named->error(unit.errors().front().message);
  return *unit;
}

bool MappingFile::is_tree_of_several() const {
  return nest_.empty() && accelforge_part(root_) == "mapping" && accelforge::count_einsums(root_) > 1;
}

Result<YamlNode> MappingFile::document_for(const Network& network, const Architecture& architecture) const {
  if (!is_tree_of_several()) return root_;
  return as_ours(accelforge::schedule_text(root_, network, architecture), name_);
}

Result<Mapping> MappingFile::read(const Workload& workload, const Architecture& architecture) const {
  if (nest_.empty() && accelforge_part(root_) == "mapping") {
    const Result<YamlNode> ours = as_ours(accelforge::mapping_text(root_, workload, architecture), name_);
    if (!ours) return ours.errors();
    Result<Mapping> mapping = read_document(*ours, workload, architecture);
    return mapping ? std::move(mapping) : Result<Mapping>(without_lines(mapping.errors()));
  }
  if (const auto named = nest_.empty() ? named_unit(root_, workload.name) : std::nullopt)
    if (named->text() != architecture.compute.name)
      return named->error(fmt::format("the mapping is on {}, must be on {}", named->text(), architecture.compute.name));
  if (nest_.empty()) return read_document(root_, workload, architecture);
  return checked(read_timeloop_nest(nest_, name_, workload, architecture), workload, architecture, name_, 0);
}

Result<UnitMapping> MappingFile::read_on_unit(const Workload& workload, const Architecture& machine) const {
  const Result<std::size_t> on = unit(workload, machine);
  if (!on) return on.errors();
  const Result<Mapping> mapping = read(workload, machine.chain(*on));
  if (!mapping) return mapping.errors();
  return UnitMapping{*mapping, *on};
}

std::optional<DimensionSizes> MappingFile::sizes() const {
  if (!nest_.empty()) return timeloop_nest_sizes(nest_);
  const YamlNode list = root_.find("mapping").value_or(root_);
  if (!is_timeloop(list)) return std::nullopt;
  DimensionSizes sizes;
  Diagnostics errors;
  for (const YamlNode& directive : elements(list)) {
    const std::optional<YamlNode> factors = directive.find("factors");
    if (!factors) continue;
    for (const FactorWord& word : read_factors(*factors, errors)) {
      u64& size = sizes.emplace(word.dimension, 1).first->second;
      if (word.value == 0 || word.residual || size > kMaxDimensionSize / word.value) return std::nullopt;
      size *= word.value;
    }
  }
  if (!errors.empty()) return std::nullopt;
  return sizes;
}

Result<Mapping> load_mapping(const std::string& path, const Workload& workload, const Architecture& architecture,
                             const ReadOptions& options) {
  const Result<MappingFile> file = MappingFile::load(path, options);
  if (!file) return file.errors();
  return file->read(workload, architecture);
}

Result<Mapping> parse_mapping(std::string_view text, const std::string& name, const Workload& workload,
                              const Architecture& architecture) {
  const Result<MappingFile> file = MappingFile::parse(text, name);
  if (!file) return file.errors();
  return file->read(workload, architecture);
}

}  // namespace heliolite
