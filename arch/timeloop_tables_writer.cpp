#include "arch/timeloop_tables_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr u64 kMostRegisters = 64;  // words that a register file may have

// What Timeloop asks for, and what it costs. Timeloop takes `write` for fills where there is no `fill`.
using Actions = std::vector<std::pair<std::string_view, double>>;

Actions actions_of(const StorageLevel& level) {
  return {{"read", level.energy.read_pj},
          {"write", level.energy.fill_pj},
          {"update", level.energy.update_pj},
          {"leak", level.leak_pj_per_cycle}};
}

Actions actions_of(const Compute& compute) { return {{"compute", compute.op_pj}, {"leak", 0}}; }

// The tables take the last part of a path for the component's name.
std::string path_of(const std::string& name, u64 instances, TimeloopVersion version) {
  return version == TimeloopVersion::V03 ? fmt::format("\"system.{}\"", name)
                                         : fmt::format("\"system_top_level.{}[1..{}]\"", name, instances);
}

std::string energy_entry(const std::string& path, const Actions& actions) {
  std::string out = fmt::format("  - name: {}\n    actions:\n", path);
  for (const auto& [action, pj] : actions)
    out += fmt::format("    - {{name: {}, arguments: {{}}, energy: {}}}\n", action, yaml_float(pj));
  return out;
}

std::string class_text(const std::string& name, double area_um2, const Actions& actions) {
  std::string out = fmt::format(
      "  - name: {}\n"
      "    attributes: {{technology: -1}}\n"
      "    subcomponents:\n"
      "    - {{name: unit, class: dummy_storage, attributes: {{technology: -1}}, area_scale: {}}}\n"
      "    actions:\n",
      name, yaml_float(area_um2));
  for (const auto& [action, pj] : actions)
    out += fmt::format(
        "    - {{name: {}, subcomponents: [{{name: unit, actions: [{{name: read, energy_scale: {}}}]}}]}}\n", action,
        yaml_float(pj));
  return out;
}

}  // namespace

std::string yaml_float(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find('.') == std::string::npos) text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

std::string write_ert(const Architecture& machine, TimeloopVersion version) {
  std::string out = fmt::format("ERT:\n  version: {}\n  tables:\n", name(version));
  for (std::size_t i = machine.levels.size(); i-- > 0;) {
    const StorageLevel& level = machine.levels[i];
    const bool none = version == TimeloopVersion::V04 && is_bare_fanout(machine, static_cast<int>(i));
    if (!none) out += energy_entry(path_of(level.name, level.instances, version), actions_of(level));
  }
  const Compute& compute = machine.compute;
  return out + energy_entry(path_of(compute.name, compute.instances, version), actions_of(compute));
}

std::string write_art(const Architecture& machine, TimeloopVersion version) {
  std::string out = fmt::format("ART:\n  version: {}\n  tables:\n", name(version));
  const auto entry = [&](const std::string& name, u64 instances, double um2) {
    out += fmt::format("  - {{name: {}, area: {}}}\n", path_of(name, instances, version), yaml_float(um2));
  };
  for (std::size_t i = machine.levels.size(); i-- > 0;) {
    const StorageLevel& level = machine.levels[i];
    if (version == TimeloopVersion::V04 && is_bare_fanout(machine, static_cast<int>(i))) continue;
    entry(level.name, level.instances, level.area_um2);
  }
  entry(machine.compute.name, machine.compute.instances, machine.compute.area_um2);
  return out;
}

std::string write_accelergy_classes(const Architecture& machine) {
  std::string out =
      "# Accelergy's placeholder (technology -1) is 1 pJ an action and 1 um2: the scales are pJ and um2.\n"
      "compound_components:\n  version: 0.4\n  classes:\n";
  for (std::size_t i = machine.levels.size(); i-- > 0;) {
    const StorageLevel& level = machine.levels[i];
    if (is_bare_fanout(machine, static_cast<int>(i))) continue;
    out += class_text(accelergy_class(machine, static_cast<int>(i)), level.area_um2, actions_of(level));
  }
  return out + class_text(std::string(kComputeAccelergyClass), machine.compute.area_um2, actions_of(machine.compute));
}

std::string_view timeloop_class(const Architecture& machine, int level) {
  const StorageLevel& storage = machine.levels[at(level)];
  if (storage.is_dram) return "DRAM";
  if (!storage.entries) return "storage";
  return *storage.entries <= kMostRegisters ? "regfile" : "SRAM";
}

std::string accelergy_class(const Architecture& machine, int level) {
  return fmt::format("{}_of_level_{}", timeloop_class(machine, level), level);
}

}  // namespace heliolite
