// A machine as tables and as JSON: every number that its file, or the tables it names, come to.
#include "cli/show/show_parts.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <stdexcept>

#include "arch/compute_units.h"
#include "cli/ui/figures.h"
#include "cli/ui/table.h"
#include "cli/ui/word_units.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/keep.h"
#include "workloads/workload_yaml.h"

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

namespace {

// Name, description, units and area: what stands above the tables of a machine.
std::string heading_text(const Architecture& a) {
  std::string text = a.name + (a.description.empty() ? "" : ": " + a.description) + "\n\n";
  text += fmt::format("  {:<12} {} {} units\n", "compute", grouped(a.compute.instances), a.compute.name);
  if (a.cycle_ns) text += fmt::format("  {:<12} {:.4g} ns\n", "cycle", *a.cycle_ns);
  return text + fmt::format("  {:<12} {}\n\n", "area", area_text(a));
}

// "weights, outputs; inputs open": what a level keeps, by role, and what the mapper decides.
std::string keeps_text(const StorageLevel& level, bool outermost) {
  constexpr std::array<std::pair<const char*, Role>, 3> kRoles{
      {{"inputs", Role::Input}, {"weights", Role::Weight}, {"outputs", Role::Output}}};
  Workload roles;
  for (const auto& [name, role] : kRoles) roles.tensors.push_back({name, {}, role, {}});
  std::vector<std::string> kept, open;
  for (std::size_t v = 0; v < kRoles.size(); ++v) {
    const KeepChoice choice = outermost ? KeepChoice::Keep : keep_choice(level.keep, roles, static_cast<int>(v));
    if (choice != KeepChoice::Bypass) (choice == KeepChoice::Open ? open : kept).push_back(kRoles[v].first);
  }
  if (open.empty()) return kept.size() == kRoles.size() ? "all" : kept.empty() ? "nothing" : join(kept);
  return (kept.empty() ? "" : join(kept) + "; ") + (open.size() == kRoles.size() ? "all" : join(open)) + " open";
}

std::string rate_text(const Bandwidth& rate) {
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<double>& words, const char* what) {
    if (words) parts.push_back(fmt::format("{:.4g}{}", *words, what));
  };
  add(rate.shared, "");
  add(rate.read, " read");
  add(rate.write, " write");
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The levels that are a unit's own, and the unit.
void add_chain(Table& table, const Architecture& machine, const Architecture& chain) {
  const bool further = &machine != &chain;
  for (std::size_t i = further ? own_levels(machine, chain) : chain.levels.size(); i-- > 0;) {
    const StorageLevel& level = chain.levels[i];
    const std::string size =
        level.entries ? bytes_text(*level.entries, static_cast<double>(level.word_bits) / 8) : "no limit";
    table.row({level.name, level.is_interconnect ? "" : size, fmt::format("{}", level.word_bits),
               grouped(level.instances),
               level.fanout() > 1 ? fmt::format("{} x {}", level.fanout_x, level.fanout_y) : "",
               fmt::format("{:.4g}", level.energy.read_pj),
               fmt::format("{:.4g}", std::max(level.energy.fill_pj, level.energy.update_pj)),
               rate_text(level.bandwidth), keeps_text(level, i + 1 == chain.levels.size())});
  }
  table.row({chain.compute.name, "", fmt::format("{}", chain.compute.word_bits), grouped(chain.compute.instances), "",
             "", fmt::format("{:.4g}", chain.compute.op_pj), "",
             further ? fmt::format("fed by {}; runs {}", chain.levels[own_levels(machine, chain)].name,
                                   join(operation_names(chain.compute.runs)))
                     : ""});
}

}  // namespace

Json machine_head_json(const Architecture& a) {
  Json units = Json::array();
  for (std::size_t unit = 0; unit < a.chains(); ++unit) {
    const Compute& c = a.chain(unit).compute;
    units.push_back({{"name", c.name}, {"instances", c.instances}, {"runs", operation_names(c.runs)}});
  }
  return {{"name", a.name},
          {"description", a.description},
          {"units", a.compute.instances},
          {"compute_units", std::move(units)},
          {"technology_nm", a.technology_nm ? Json(*a.technology_nm) : Json()},
          {"cycle_ns", a.cycle_ns ? Json(*a.cycle_ns) : Json()},
          {"area_um2", area_json(a)},
          {"without_area", parts_without_area(a)}};
}

std::string machine_summary(const Architecture& a) {
  Table table({"<level", "size", "word [bits]", "instances", "fan-out below", "read [pJ]", "write [pJ]", "words/cycle",
               "<keeps"});
  for (std::size_t unit = 0; unit < a.chains(); ++unit) add_chain(table, a, a.chain(unit));
  return heading_text(a) + table.to_string() +
         "\n  Energies: of one access to a block of words, of one operation. --resolved: every number and where it is "
         "from.\n";
}

std::string machine_text(const ArchitectureSource& machine) {
  std::string text = heading_text(machine.architecture);
  Table table({"<level", "<number", "value", "", "<from"});
  std::string last;
  for (const ResolvedNumber& n : resolved_numbers(machine)) {
    if (n.of != last) table.rule();
    table.row({n.of == last ? "" : n.of, n.key, n.text, n.also, n.from});
    last = n.of;
  }
  return text + table.to_string();
}

void add_machine(Json& answer, const ArchitectureSource& machine) {
  answer["machine"] = machine_head_json(machine.architecture);
  answer["machine"]["hash"] = question(machine.architecture)["hash"];
  answer["numbers"] = Json::array();
  for (const ResolvedNumber& n : resolved_numbers(machine))
    answer["numbers"].push_back(
        {{"of", n.of.empty() ? Json() : Json(n.of)}, {"key", n.key}, {"value", n.value}, {"from", n.from}});
}

}  // namespace heliolite::cli
