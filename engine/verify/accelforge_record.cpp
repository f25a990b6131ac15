// Reads a file of AccelForge's recorded results.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/verify/accelforge_verify.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostFiles = 10'000;  // looked at for one name

// "('V', 'MainMemory', 'read')": the texts between quotes.
std::vector<std::string> quoted_texts(const std::string& key) {
  std::vector<std::string> out;
  for (std::size_t at = key.find('\''); at != std::string::npos; at = key.find('\'', at + 1)) {
    const std::size_t end = key.find('\'', at + 1);
    if (end == std::string::npos) break;
    out.push_back(key.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

std::optional<double> number_of(const json& value) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

std::optional<double> number_at(const json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? std::nullopt : number_of(*it);
}

// Calls `take` with the texts of each key and its number.
template <class Take>
void each_entry(const json& object, const char* key, std::size_t texts, Take take) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_object()) return;
  for (const auto& [name, value] : it->items()) {
    const std::vector<std::string> parts = quoted_texts(name);
    const std::optional<double> number = number_of(value);
    if (parts.size() == texts && number) take(parts, *number);
  }
}

// Nothing where the text is no JSON object.
std::optional<json> object_of(const std::string& text) {
  json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  return document;
}

bool is_case_key(const std::string& key) {
  return std::ranges::count(key, '|') == 3 && (key.ends_with("|fused") || key.ends_with("|unfused"));
}

}  // namespace

double ForgeCase::energy_of(const std::string& component, const std::string& action) const {
  double sum = 0;
  for (const auto& [key, value] : energies)
    if (std::get<1>(key) == component && std::get<2>(key) == action) sum += value;
  return sum;
}

double ForgeCase::actions_of(const std::string& component, const std::string& action) const {
  double sum = 0;
  for (const auto& [key, value] : actions)
    if (std::get<1>(key) == component && std::get<3>(key) == action) sum += value;
  return sum;
}

bool holds_forge_cases(const std::string& path) {
  if (!path.ends_with(".json")) return false;
  const Result<std::string> text = read_text_file(path);
  if (!text) return false;
  const std::optional<json> document = object_of(*text);
  return document && !document->empty() && is_case_key(document->begin().key());
}

Result<std::vector<ForgeCase>> read_forge_cases(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  const std::optional<json> document = object_of(*text);
  if (!document) return Diagnostic{path, 0, "", "is no JSON object of cases"};
  std::vector<ForgeCase> cases;
  Diagnostics errors;
  for (const auto& [key, value] : document->items()) {
    const auto complain = [&, where = shortened(key)](std::string message) {
      errors.push_back({path, 0, where, std::move(message)});
    };
    if (!is_case_key(key)) {
      complain("must be MACHINE|WORKLOAD|NAME=VALUE,..|fused or unfused");
      continue;
    }
    std::vector<std::string> parts{""};
    for (const char c : key) c == '|' ? void(parts.emplace_back()) : parts.back().push_back(c);
    const std::optional<double> energy = value.is_object() ? number_at(value, "energy") : std::nullopt;
    const std::optional<double> latency = value.is_object() ? number_at(value, "latency") : std::nullopt;
    if (!energy || !latency) {
      complain("must have the numbers 'energy' and 'latency'");
      continue;
    }
    ForgeCase one{.id = key,
                  .machine = parts[0],
                  .workload = parts[1],
                  .parameters = parts[2],
                  .fused = parts[3] == "fused",
                  .energy = *energy,
                  .latency = *latency,
                  .energies = {},
                  .latencies = {},
                  .actions = {}};
    each_entry(value, "energy_per_component", 3, [&](const auto& k, double x) {
      one.energies[{k[0], k[1], k[2]}] += x;
    });
    each_entry(value, "latency_per_component", 2, [&](const auto& k, double x) { one.latencies[{k[0], k[1]}] += x; });
    each_entry(value, "actions", 4, [&](const auto& k, double x) { one.actions[{k[0], k[1], k[2], k[3]}] += x; });
    cases.push_back(std::move(one));
  }
  if (errors.size() > 20) errors.resize(20);
  if (!errors.empty()) return errors;
  if (cases.empty()) return Diagnostic{path, 0, "", "has no cases"};
  return cases;
}

Result<std::string> forge_file(const std::string& cases, bool machine, const std::string& name) {
  const fs::path beside = fs::path(cases).parent_path();
  std::vector<std::string> looked, found;
  for (const fs::path& folder : {beside, beside / "examples"})
    for (const char* sub : machine ? std::initializer_list<const char*>{"machines", "arches"}
                                   : std::initializer_list<const char*>{"workloads"}) {
      const fs::path root = folder / sub;
      std::error_code error;
      if (!fs::is_directory(root, error)) continue;
      looked.push_back(root.string());
      std::size_t files = 0;
      for (fs::recursive_directory_iterator at(root, error), end; !error && at != end && files < kMostFiles;
           at.increment(error), ++files)
        if (at->path().filename().string() == name + ".yaml") found.push_back(at->path().string());
    }
  std::ranges::sort(found);
  if (!found.empty()) return found.front();
  return Diagnostic{cases, 0, "",
                    fmt::format("no file {}.yaml; looked below {}", shortened(name),
                                looked.empty() ? fmt::format("{} for folders {}", beside.string(),
                                                             machine ? "machines and arches" : "workloads")
                                               : join(looked, "and"))};
}

}  // namespace heliolite
