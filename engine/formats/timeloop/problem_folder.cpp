// Reads networks that are many Timeloop problems, one a layer (problem.h), as most people keep them.
#include "engine/formats/timeloop/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

// Runs of digits compare as numbers: by their length without zeros in front, then digit by digit.
bool comes_before(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [](const std::string& text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t first = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(first, at - first);
    };
    const std::string x = number(a, i), y = number(b, j);
    if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

}  // namespace

Result<std::vector<std::string>> yaml_files_of(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    const bool yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    if (yaml && !name.starts_with('.') && entry->is_regular_file(ignored)) files.push_back(entry->path().string());
  }
  if (error) return Diagnostic{folder, 0, "", "cannot be read: " + error.message()};
  if (files.empty()) return Diagnostic{folder, 0, "", "no file in this folder ends in .yaml or .yml"};
  std::ranges::sort(files, comes_before);
  return files;
}

Result<Network> network_of_problems(const std::vector<YamlNode>& documents, const std::string& name) {
  Network network{name, {}};
  Diagnostics errors;
  std::vector<YamlNode> shared;
  std::map<std::string, int> called;  // how often
  for (const YamlNode& document : documents)
    if (!is_timeloop_problem(document) && document.has("variables")) shared.push_back(document);
  for (const YamlNode& document : documents) {
    if (!is_timeloop_problem(document)) {
      if (!document.has("variables"))
        network.notes.push_back(fmt::format("{}: no problem and no variables: left out", document.file()));
      continue;
    }
    std::vector<std::string> notes;
    Result<Workload> workload = timeloop_problem(document, fs::path(document.file()).stem().string(), shared, &notes);
    if (!workload) {
      errors.insert(errors.end(), workload.errors().begin(), workload.errors().end());
      continue;
    }
    if (const int n = ++called[workload->name]; n > 1) workload->name += fmt::format("_{}", n);
    for (std::string& note : notes) network.notes.push_back(fmt::format("{}: {}", workload->name, note));
    network.layers.push_back({*std::move(workload), 1});
  }
  if (!errors.empty()) return errors;
  return network;
}

}  // namespace heliolite
