#include "cli/show/show_presets.h"

#include <fmt/format.h>

#include <stdexcept>

#include "arch/load.h"
#include "cli/show/show_machine.h"
#include "cli/ui/figures.h"
#include "cli/ui/table.h"
#include "workloads/load.h"

namespace heliolite::cli {
namespace {

// Words of all bounded memories, all instances together.
double words_on_chip(const Architecture& architecture) {
  double words = 0;
  for (const StorageLevel& level : architecture.levels)
    if (!level.is_dram && level.entries)
      words += static_cast<double>(*level.entries) * static_cast<double>(level.instances);
  return words;
}

// A preset is compiled in and read by a test: that it cannot be read is a mistake of ours.
template <class T>
T preset(Result<T> loaded) {
  if (!loaded) throw std::logic_error(loaded.errors().front().to_string());
  return *std::move(loaded);
}

}  // namespace

std::string preset_tables() {
  Table machines({"<machine", "levels", "units", "words", "<"});
  for (const std::string& name : architecture_preset_names()) {
    const Architecture a = preset(load_architecture(name));
    machines.row({name, fmt::format("{}", a.levels.size()), grouped(a.compute.instances), count(words_on_chip(a)),
                  a.description});
  }
  Table workloads({"<workload", "layers", "runs", "MACs", "edges", "<one run, if no inference"});
  for (const std::string& name : workload_preset_names()) {
    const Network n = preset(load_network(name));
    workloads.row({name, fmt::format("{}", n.layers.size()), grouped(n.runs()), count(static_cast<double>(n.macs())),
                   n.edges.empty() ? "" : fmt::format("{}", n.edges.size()),
                   n.one_run.substr(0, n.one_run.find(" ("))});
  }
  return machines.to_string() + "  words: of all memories on the chip\n\n" + workloads.to_string() +
         "  runs: of all layers, repeats included; MACs: of all runs\n\n"
         "  heliolite show NAME shows one of them.\n";
}

void add_preset_lists(Json& answer) {
  answer["machines"] = Json::array();
  for (const std::string& name : architecture_preset_names()) {
    const Architecture a = preset(load_architecture(name));
    Json machine = machine_head_json(a);
    machine["name"] = name;
    machine["levels"] = a.levels.size();
    machine["words_on_chip"] = words_on_chip(a);
    answer["machines"].push_back(machine);
  }
  answer["workloads"] = Json::array();
  for (const std::string& name : workload_preset_names()) {
    const Network n = preset(load_network(name));
    answer["workloads"].push_back({{"name", name},
                                   {"layers", n.layers.size()},
                                   {"runs", n.runs()},
                                   {"macs", n.macs()},
                                   {"edges", n.edges.size()},
                                   {"one_run", n.one_run.empty() ? Json() : Json(n.one_run)}});
  }
}

}  // namespace heliolite::cli
