#include "cli/convert/recognise.h"

#include <algorithm>
#include <array>

#include "arch/architecture_yaml.h"
#include "engine/base/file_bytes.h"
#include "engine/base/file_claims.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/language_model/config.h"
#include "engine/formats/timeloop/machine.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/formats/timeloop/problem.h"
#include "engine/inputs/input_file.h"
#include "engine/inputs/template_render.h"
#include "engine/network/schedule_yaml.h"
#include "engine/verify/accelforge_verify.h"
#include "workloads/families.h"

namespace heliolite::cli {
namespace {

struct PartNames {
  Part part;
  std::string_view name, commands;
};

constexpr std::array kPartNames{
    PartNames{Part::Machine, "machine", "map, eval, space, .. -a"},
    PartNames{Part::TimeloopMachine, "Timeloop machine", "map, eval, space, .. -a"},
    PartNames{Part::Tables, "Accelergy tables (ERT, ART)", "-a MACHINE,FILE"},
    PartNames{Part::Constraints, "Timeloop constraints", "-a MACHINE,FILE"},
    PartNames{Part::Workload, "workload", "map, eval, bound, .. -w"},
    PartNames{Part::Problem, "Timeloop problem", "map, eval, bound, .. -w"},
    PartNames{Part::Model, "ONNX model", "map, eval, bound, .. -w; convert"},
    PartNames{Part::LanguageModel, "config of a language model", "map, eval, bound, .. -w; convert"},
    PartNames{Part::Mapping, "mapping", "eval, explain -m"},
    PartNames{Part::TimeloopMapping, "Timeloop mapping", "eval, explain -m"},
    PartNames{Part::Schedule, "schedule of a network", "eval, explain -m"},
    PartNames{Part::Sweep, "sweep", "sweep"},
    PartNames{Part::Bench, "bench suite", "bench"},
    PartNames{Part::Experiment, "published numbers of bounds", "bound --experiment"},
    PartNames{Part::Tiling, "tiling for caches", "simulate, emit --tiling"},
    PartNames{Part::Chip, "chip to divide", "bound --chip"},
    PartNames{Part::Learned, "mappings to learn from", "map --from"},
    PartNames{Part::Records, "records", "verify"},
    PartNames{Part::Program, "C loop nest", "bound -w, simulate -w"},
    PartNames{Part::Database, "database of a sweep", "report, merge, sweep --export"},
    PartNames{Part::Summary, "summary of energies or areas", ""},
    PartNames{Part::Classes, "Accelergy component classes", ""},
    PartNames{Part::Search, "settings of Timeloop's mapper", ""},
    PartNames{Part::Sparse, "sparse optimizations", ""},
    PartNames{Part::Libconfig, "libconfig file of Timeloop", ""},
    PartNames{Part::AccelForgeMachine, "AccelForge machine", "map, eval, space, .. -a"},
    PartNames{Part::AccelForgeWorkload, "AccelForge workload", "map, eval, bound, .. -w"},
    PartNames{Part::AccelForgeMapping, "AccelForge mapping", "eval, explain -m"},
    PartNames{Part::AccelForgeSchedule, "AccelForge mapping of several Einsums", "eval, explain -m"},
    PartNames{Part::Template, "template of Timeloop's front end", ""},
};

const PartNames& row_of(Part part) { return *std::ranges::find(kPartNames, part, &PartNames::part); }

// Top-level keys that say by themselves what they hold.
struct KeyPart {
  std::string_view key;
  Part part;
};

constexpr std::array kKeyParts{
    KeyPart{"ERT", Part::Tables},
    KeyPart{"ART", Part::Tables},
    KeyPart{"ERT_summary", Part::Summary},
    KeyPart{"ART_summary", Part::Summary},
    KeyPart{"table_summary", Part::Summary},
    KeyPart{"compound_components", Part::Classes},
    KeyPart{"components", Part::Classes},
    KeyPart{"classes", Part::Classes},
    KeyPart{"mapper", Part::Search},
    KeyPart{"mapspace", Part::Search},
    KeyPart{"variables", Part::Search},
    KeyPart{"globals", Part::Search},
    KeyPart{"sparse_optimizations", Part::Sparse},
};

bool ends_with_one(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

bool is_own_workload(const YamlNode& root) {
  if (root.has("layers") || root.has("layers_from") || root.has("network") || root.has("einsum") ||
      root.has("dimensions"))
    return true;
  const std::vector<std::string> keys = root.keys();
  return std::ranges::any_of(keys, [](const std::string& key) { return find_family(key) != nullptr; });
}

// A list of directives with targets, or of levels.
std::optional<Part> list_part(const YamlNode& list) {
  if (!list.is_sequence() || list.size() == 0) return std::nullopt;
  if (list.at(0).has("target")) return Part::TimeloopMapping;
  return list.at(0).has("level") ? std::optional(Part::Mapping) : std::nullopt;
}

// Answers of `map --json` and `eval --json` hold mappings.
bool is_answer(const YamlNode& root) { return root.has("program") && root.has("command"); }

// A mapping's file may say of which machine it is: `architecture: eyeriss`.
bool names_its_machine(const YamlNode& root) {
  const std::optional<YamlNode> machine = root.find("architecture");
  return machine && machine->is_scalar() && root.has("mapping");
}

Part accelforge(std::string_view part) {
  return part == "machine"    ? Part::AccelForgeMachine
         : part == "workload" ? Part::AccelForgeWorkload
                              : Part::AccelForgeMapping;
}

bool looks_like_records(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.starts_with('{') &&
         (line.find("\"expect\"") != std::string_view::npos || line.find("\"optimum\"") != std::string_view::npos);
}

}  // namespace

std::string_view what_it_is(Part part) { return row_of(part).name; }
std::string_view taken_by(Part part) { return row_of(part).commands; }

bool Recognised::has(Part part) const { return std::ranges::find(parts, part) != parts.end(); }

std::vector<Part> parts_of(const YamlNode& root) {
  std::vector<Part> parts;
  const auto add = [&](Part part) {
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  };
  if (const auto part = list_part(root)) add(*part);
  if (!root.is_map()) return parts;
  if (const std::string_view part = accelforge_part(root); !part.empty())
    return {part == "mapping" && accelforge::count_einsums(root) > 1 ? Part::AccelForgeSchedule : accelforge(part)};
  if (is_schedule(root)) return {Part::Schedule};
  if (language_model::is_config(root)) return {Part::LanguageModel};
  if (is_answer(root)) {
    if (root.has("layers") || root.has("mapping")) add(Part::Mapping);
    return parts;
  }
  if (root.has("sweep")) return {Part::Sweep};
  for (const char* key : {"bench", "ablation", "co_search"})
    if (root.has(key)) return {Part::Bench};
  if (root.has("rows")) return {Part::Experiment};
  if (root.has("tiling")) return {Part::Tiling};
  if (root.has("tasks")) return {Part::Learned};
  if (root.has("mac_um2") && root.has("word_um2")) return {Part::Chip};
  if (is_architecture_yaml(root)) add(Part::Machine);
  else if (is_timeloop_architecture(root) || (root.has("architecture") && !names_its_machine(root)) || root.has("arch"))
    add(Part::TimeloopMachine);
  if (is_timeloop_problem(root)) add(Part::Problem);
  if (const auto mapping = root.find("mapping"))
    if (const auto part = list_part(*mapping)) add(*part);
  // Timeloop's front end takes any such key: extra_mapping_constraints.
  const auto constrains = [](const std::string& key) { return key.find("constraints") != std::string::npos; };
  if (parts.empty() && std::ranges::any_of(root.keys(), constrains)) add(Part::Constraints);
  for (const KeyPart& key : kKeyParts)
    if (root.has(key.key)) add(key.part);
  if (parts.empty() && is_own_workload(root)) add(Part::Workload);
  return parts;
}

Recognised recognise(const std::string& path, const ReadOptions& reading) {
  if (is_sqlite_file(path)) return {{Part::Database}, {}};
  if (ends_with_one(path, {".onnx"})) return {{Part::Model}, {}};
  const bool yaml = ends_with_one(path, {".yaml", ".yml", ".json"});
  if (!yaml && !ends_with_one(path, {".jsonl", ".c", ".cfg", ".txt"})) return {};
  const Result<std::string> text = read_text_file(path);
  if (!text) return {{}, yaml ? text.errors() : Diagnostics{}};
  if (ends_with_one(path, {".jsonl"}))
    return looks_like_records(*text) ? Recognised{{Part::Records}, {}} : Recognised{};
  if (ends_with_one(path, {".c"}))
    return text->find("#pragma scop") != std::string::npos ? Recognised{{Part::Program}, {}} : Recognised{};
  if (is_timeloop_nest(*text)) return {{Part::TimeloopMapping}, {}};
  if (ends_with_one(path, {".txt"})) return {};
  if (is_libconfig(*text)) return {{Part::Libconfig}, {}};
  if (!yaml) return {};
  if (holds_forge_cases(path)) return {{Part::Records}, {}};
  const Result<YamlNode> document = load_input(path, reading);
  if (document) return {parts_of(*document), {}};
  if (const std::string_view part = accelforge_part(std::string_view(*text)); is_template(*text) && !part.empty())
    return {{accelforge(part)}, {}};
  if (is_front_end_text(*text)) return {{Part::Template}, document.errors()};
  return {{}, document.errors()};
}

}  // namespace heliolite::cli
