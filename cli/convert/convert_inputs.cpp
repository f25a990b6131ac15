#include "cli/convert/convert_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "arch/load.h"
#include "cli/convert/recognise.h"
#include "cli/ui/inputs.h"
#include "engine/base/text.h"
#include "engine/model/mapping_file.h"
#include "engine/space/fit_names.h"
#include "workloads/load.h"

namespace heliolite::cli {
namespace {

bool is_file_name(const std::string& what) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(what, ignored);
}

// What each argument is for.
struct Sorted {
  const ReadOptions& reading;
  std::vector<std::string> machine{}, workload{}, mapping{};
  Diagnostics errors{};

  void add(const std::string& what) {
    const std::vector<std::string> machines = architecture_preset_names();
    if (is_file_name(what)) return add_file(what);
    if (std::ranges::find(machines, what) != machines.end()) machine.push_back(what);
    else workload.push_back(what);  // whose reader names all that could have been meant
  }

 private:
  void add_file(const std::string& path) {
    const Recognised file = recognise(path, reading);
    errors.insert(errors.end(), file.errors.begin(), file.errors.end());
    if (!file.errors.empty()) return;
    if (file.belongs_to_machine()) machine.push_back(path);
    if (file.is_workload()) workload.push_back(path);
    if (file.is_mapping()) mapping.push_back(path);
    if (file.belongs_to_machine() || file.is_workload() || file.is_mapping()) return;
    const bool variables = file.has(Part::Search) || file.has(Part::Classes);
    if (variables) machine.push_back(path);
    else
      errors.push_back({path, 0, "",
                        file.parts.empty() ? std::string("is no machine, workload or mapping")
                                           : fmt::format("is a {}; convert takes machines, workloads and mappings",
                                                         what_it_is(file.parts.front()))});
  }
};

}  // namespace

Result<Convertible> load_convertible(const std::vector<std::string>& given, const std::string& layer,
                                     const ReadOptions& reading) {
  Sorted sorted{reading};
  for (const std::string& what : given) sorted.add(what);
  Diagnostics errors = std::move(sorted.errors);
  const auto collect = [&](const auto& result) {
    if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
  };
  Convertible out;
  if (!sorted.machine.empty()) {
    Result<Architecture> machine = load_architecture(fmt::format("{}", fmt::join(sorted.machine, ",")), reading);
    collect(machine);
    if (machine) out.machine = *std::move(machine);
  }
  if (sorted.workload.size() > 1)
    errors.push_back(
        {"", 0, "", fmt::format("several workloads, {}: convert one after the other", join(sorted.workload))});
  else if (!sorted.workload.empty()) {
    Result<Network> network = load_network(sorted.workload.front(), reading);
    collect(network);
    if (network) out.network = *std::move(network);
  }
  if (!errors.empty()) return errors;
  if (out.machine && out.network) fit_names(*out.network, *out.machine);
  if (!layer.empty()) {
    if (!out.network) return Diagnostic{"", 0, "--layer", "no workload is given"};
    const Result<Workload> one = pick_layer(*out.network, layer);
    if (!one) return one.errors();
    std::erase_if(out.network->layers, [&](const Layer& l) { return l.workload.name != layer; });
    out.network->edges.clear();
  }
  if (sorted.mapping.empty()) return out;
  if (!out.machine || !out.network)
    return Diagnostic{sorted.mapping.front(), 0, "", "a mapping needs its machine and its workload: give them as well"};
  if (sorted.mapping.size() > 1)
    return Diagnostic{"", 0, "",
                      fmt::format("several mappings, {}: convert one after the other", join(sorted.mapping))};
  for (const Layer& l : out.network->layers) {
    const Result<Mapping> mapping = load_mapping(sorted.mapping.front(), l.workload, *out.machine, reading);
    collect(mapping);
    out.mappings.push_back(mapping ? std::optional(*mapping) : std::nullopt);
  }
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace heliolite::cli
