#include "engine/verify/optima_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/model/mapping_yaml.h"
#include "engine/model/timeloop_mapping.h"
#include "engine/verify/json_record.h"

namespace heliolite {
namespace {

using nlohmann::json;

std::string without_suffix(const std::string& name) {
  return name.ends_with(".yaml") ? name.substr(0, name.size() - 5) : name;
}

// A folder or a way up in a name would lead out of machines/ and workloads/.
std::string file_member(const json& root, const char* key, RecordComplaints& complaints) {
  std::string name = record_string(root, key, complaints);
  if (name.find('/') != std::string::npos)
    complaints.add(key, fmt::format("'{}' must be the name of a file, without a folder", name));
  return name;
}

std::optional<double> number_member(const json& root, const char* key, RecordComplaints& complaints) {
  const auto it = root.find(key);
  if (it == root.end() || it->is_null()) return std::nullopt;
  if (it->is_number() && it->get<double>() >= 0 && std::isfinite(it->get<double>())) return it->get<double>();
  complaints.add(key, fmt::format("{} must be a number, 0 or more", shown(*it)));
  return std::nullopt;
}

Objective objective_member(const json& root, RecordComplaints& complaints) {
  const std::string word = record_string(root, "objective", complaints);
  if (const auto objective = parse_objective(lower(word))) return *objective;
  const std::vector<std::string> known = objective_names();
  if (complaints.empty())
    complaints.add("objective",
                   fmt::format("unknown name '{}'{}; known: {}", word, did_you_mean(word, known), join(known)));
  return Objective::Edp;
}

// null or "open": nothing is recorded and the mapper decides.
bool is_open(const json& value) { return value.is_null() || value == json("open"); }

void read_keep(const json& keep, OptimumRecord& record, RecordComplaints& complaints) {
  if (is_open(keep)) return;
  if (keep.is_string()) {
    record.keep_text = keep.get<std::string>();
    return;
  }
  if (!keep.is_object())
    return complaints.add(
        "keep",
        fmt::format("{} must map levels to lists of tensors, or say so in words, or be null or \"open\"", shown(keep)));
  for (const auto& item : keep.items()) {
    const std::string field = "keep." + item.key();
    if (is_open(item.value())) continue;
    std::vector<std::string>& tensors = record.keep[item.key()];
    if (!item.value().is_array()) {
      complaints.add(field, fmt::format("{} must be a list of tensors, null or \"open\"", shown(item.value())));
      continue;
    }
    for (const json& tensor : item.value()) {
      if (tensor.is_string()) tensors.push_back(tensor.get<std::string>());
      else complaints.add(field, fmt::format("{} must be the name of a tensor", shown(tensor)));
    }
  }
}

}  // namespace

std::string OptimumRecord::id() const {
  return fmt::format("{} of {} on {}", name(objective), without_suffix(workload), without_suffix(machine));
}

Result<OptimumRecord> parse_optimum_record(std::string_view text, const std::string& file, int line) {
  const Result<json> root = parse_record_line(text, file, line);
  if (!root) return root.errors();
  RecordComplaints complaints(file, line);
  OptimumRecord record;
  record.file = file;
  record.line = line;
  record.machine = file_member(*root, "machine", complaints);
  record.workload = file_member(*root, "workload", complaints);
  record.objective = objective_member(*root, complaints);
  if (root->contains("keep")) read_keep((*root)["keep"], record, complaints);
  const auto optimum = number_member(*root, "optimum", complaints);
  if (!optimum && (!root->contains("optimum") || (*root)["optimum"].is_null())) complaints.add("optimum", "is missing");
  record.optimum = optimum.value_or(0);
  record.energy_pj = number_member(*root, "energy_pJ", complaints);
  record.cycles = number_member(*root, "cycles", complaints);
  if (root->contains("one_axis_per_dimension")) {
    const json* flag =
        record_member(*root, "one_axis_per_dimension", json::value_t::boolean, "true or false", complaints);
    if (flag != nullptr) record.one_axis_per_dimension = flag->get<bool>();
  }
  if (root->contains("link_transfers"))
    if (const json* flag = record_member(*root, "link_transfers", json::value_t::boolean, "true or false", complaints))
      record.link_transfers = flag->get<bool>();
  for (const auto& [key, into] : {std::pair{"set", &record.set}, std::pair{"mapping_yaml", &record.mapping_yaml}})
    if (root->contains(key) && !(*root)[key].is_null()) *into = record_string(*root, key, complaints);
  if (!complaints.empty()) return complaints.errors();
  return record;
}

Result<std::optional<Mapping>> recorded_mapping(const OptimumRecord& record, const Workload& workload,
                                                const Architecture& architecture) {
  if (record.mapping_yaml.empty()) return std::optional<Mapping>{};
  const auto root = YamlNode::parse(record.mapping_yaml, fmt::format("{}:{}: mapping_yaml", record.file, record.line));
  if (!root) return root.errors();
  const auto list = root->is_map() && root->has("mapping") ? *root->find("mapping") : *root;
  const bool timeloop = list.is_sequence() && list.size() > 0 && list.at(0).has("target");
  const Result<Mapping> mapping =
      timeloop ? read_timeloop_mapping(list, workload, architecture) : read_mapping(list, workload, architecture);
  if (!mapping) return mapping.errors();
  return std::optional<Mapping>{*mapping};
}

}  // namespace heliolite
