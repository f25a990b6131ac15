// A record of a proven optimum: one JSON object on a line (docs/formats_mapping.md, "Records of optima").
#include "engine/base/named.h"
#include "engine/verify/optima_verify.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/model/mapping_yaml.h"
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
  if (root->contains("one_axis_per_dimension"))
    record.one_axis_per_dimension = record_flag(*root, "one_axis_per_dimension", complaints);
  if (root->contains(kPeerChannel.field))
    record.peer_channel = record_flag(*root, kPeerChannel.field, complaints).value_or(false);
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

namespace {

using KeepSets = std::map<int, TensorMask>;  // by level; no entry = open

std::vector<std::string> level_names(const Architecture& architecture) { return names_of(architecture.levels); }

std::vector<std::string> tensor_names(const Workload& workload) { return names_of(workload.tensors); }

TensorMask all_tensors(const Workload& workload) {
  return static_cast<TensorMask>((1u << workload.tensors.size()) - 1);
}

Result<KeepSets> from_lists(const OptimumRecord& record, const Workload& workload, const Architecture& architecture) {
  RecordComplaints complaints(record.file, record.line);
  const std::vector<std::string> levels = level_names(architecture), tensors = tensor_names(workload);
  KeepSets sets;
  for (const auto& [level, kept] : record.keep) {
    const auto i = architecture.find_level(level);
    if (!i) {
      complaints.add("keep", fmt::format("'{}' is not a level of {}{}; levels: {}", level, record.machine,
                                         did_you_mean(level, levels), join(levels)));
      continue;
    }
    sets[*i] = 0;
    for (const std::string& tensor : kept) {
      if (const auto v = workload.find_tensor(tensor)) sets[*i] = static_cast<TensorMask>(sets[*i] | 1u << *v);
      else
        complaints.add("keep." + level, fmt::format("'{}' is not a tensor of {}{}; tensors: {}", tensor,
                                                    record.workload, did_you_mean(tensor, tensors), join(tensors)));
    }
  }
  if (!complaints.empty()) return complaints.errors();
  return sets;
}

// "IO", "all", "none", or a tensor's name.
std::optional<TensorMask> tensors_meant(const std::string& word, const Workload& workload) {
  if (const auto v = workload.find_tensor(word)) return static_cast<TensorMask>(1u << *v);
  if (lower(word) == "all") return all_tensors(workload);
  if (lower(word) == "none") return TensorMask{0};
  unsigned mask = 0;
  for (char letter : word) {
    const std::size_t role = std::string_view("IWO").find(letter);  // in the order of Role
    if (role == std::string_view::npos) return std::nullopt;
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      if (at(workload.tensors[v].role) == role) mask |= 1u << v;
  }
  return static_cast<TensorMask>(mask);
}

// Adds "GLB IO" to the sets; false when it means nothing.
bool read_clause(const std::string& clause, const Workload& workload, const Architecture& architecture,
                 KeepSets& sets) {
  std::istringstream words(clause);
  std::string word;
  words >> word;
  const auto level = architecture.find_level(word);
  if (!level) return false;
  std::optional<TensorMask> kept;
  bool open = false;
  while (words >> word) {
    if (lower(word) == "keep" || lower(word) == "keeps") continue;
    if (lower(word) == "open") {
      open = true;
      continue;
    }
    const auto meant = tensors_meant(word, workload);
    if (!meant) return false;
    kept = static_cast<TensorMask>(kept.value_or(0) | *meant);
  }
  if (open == kept.has_value()) return false;  // neither or both
  if (kept) sets[*level] = *kept;
  return true;
}

std::optional<KeepSets> from_words(const std::string& text, const Workload& workload,
                                   const Architecture& architecture) {
  KeepSets sets;
  const std::string plain = lower(trim(text));
  if (plain == "all levels keep all" || plain == "all") {
    for (std::size_t i = 0; i < architecture.levels.size(); ++i) sets[static_cast<int>(i)] = all_tensors(workload);
    return sets;
  }
  std::istringstream clauses(text);
  std::string clause;
  bool understood = true;
  while (std::getline(clauses, clause, ','))
    understood = read_clause(clause, workload, architecture, sets) && understood;
  if (understood) return sets;
  // "bypass open", "open everywhere", "all levels open": no level is named.
  const std::vector<std::string> levels = level_names(architecture);
  const bool names_levels =
      std::any_of(levels.begin(), levels.end(), [&](const auto& l) { return text.find(l) != std::string::npos; });
  if (plain.find("open") != std::string::npos && !names_levels) return KeepSets{};
  return std::nullopt;
}

Architecture with_keep(const KeepSets& sets, const Workload& workload, const Architecture& architecture) {
  Architecture out = architecture;
  for (const auto& [level, mask] : sets) {
    KeepRule rule;
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      (contains(mask, v) ? rule.keep : rule.bypass).push_back(workload.tensors[v].name);
    out.levels[level].keep = rule;
  }
  return out;
}

}  // namespace

Result<RecordedMachine> with_recorded_keep(const OptimumRecord& record, const Workload& workload,
                                           const Architecture& loaded) {
  Architecture architecture = loaded;
  architecture.peer_channel = record.peer_channel;
  if (record.keep_text.empty()) {
    const auto sets = from_lists(record, workload, architecture);
    if (!sets) return sets.errors();
    return RecordedMachine{with_keep(*sets, workload, architecture), ""};
  }
  if (const auto sets = from_words(record.keep_text, workload, architecture))
    return RecordedMachine{with_keep(*sets, workload, architecture), ""};
  const auto mapping = recorded_mapping(record, workload, architecture);
  if (!mapping) return mapping.errors();
  if (!mapping->has_value())
    return Diagnostic{
        record.file, record.line, "keep",
        fmt::format("'{}' is not understood; write \"LEVEL tensors, ...\" or map levels to lists of tensors",
                    record.keep_text)};
  KeepSets sets;
  for (int i = 0; i < (*mapping)->level_count; ++i) sets[i] = (*mapping)->keep[i];
  return RecordedMachine{with_keep(sets, workload, architecture),
                         fmt::format("keep '{}' is not understood: searched with the keep sets of the recorded mapping",
                                     record.keep_text)};
}

}  // namespace heliolite
