// Writes machines as Timeloop's and Accelergy's files.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/machine.h"

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

namespace {

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

// Tables of every level and the compute unit, of one instance: pJ of an access and of a cycle (leak), um2.
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

// `compound_components` for v0.4. Each class has one part of technology -1, for which Accelergy's own placeholder says
// 1 pJ an action and 1 um2; an action of the class is as many actions of the part as it costs pJ.
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

// The class of a level in v0.3 files: DRAM, storage, regfile or SRAM.
std::string_view timeloop_class(const Architecture& machine, int level) {
  const StorageLevel& storage = machine.levels[level];
  if (storage.is_dram) return "DRAM";
  if (!storage.entries) return "storage";
  return *storage.entries <= kMostRegisters ? "regfile" : "SRAM";
}

}  // namespace

std::string accelergy_class(const Architecture& machine, int level) {
  return fmt::format("{}_of_level_{}", timeloop_class(machine, level), level);
}

namespace {

// A map in one line, of what is not the default.
class AttributeList {
 public:
  template <class T>
  void add(std::string_view key, const T& value) {
    parts_.push_back(fmt::format("{}: {}", key, value));
  }
  template <class T>
  void add(std::string_view key, const std::optional<T>& value) {
    if (value) add(key, *value);
  }
  template <class T>
  void add_unless(const T& usual, std::string_view key, const T& value) {
    if (value != usual) add(key, value);
  }
  std::string map() const { return fmt::format("{{{}}}", fmt::join(parts_, ", ")); }

 private:
  std::vector<std::string> parts_;
};

void add_network(AttributeList& list, const NetworkEnergy& network) {
  list.add("energy_per_hop", network.hop_pj);
  list.add("router_energy", network.router_pj);
  list.add("energy-per-ingress", network.ingress_pj);  // Timeloop knows no other spelling
}

// Timeloop's `entries` have 32 bits; larger memories are written in kilobytes.
void add_capacity(AttributeList& list, const StorageLevel& level) {
  constexpr u64 kMostEntries = 0xffff'ffff, kKilobyteBits = 8192;
  if (!level.entries) return;
  const u128 bits = u128{*level.entries} * level.word_bits.parts();
  if (*level.entries > kMostEntries && bits % kKilobyteBits == 0)
    list.add("sizeKB", static_cast<u64>(bits / kKilobyteBits));
  else list.add("entries", *level.entries);
}

// Whether a level sums partial outputs unless its file says otherwise.
bool usually_reduces(const StorageLevel& level, TimeloopVersion version) {
  return version == TimeloopVersion::V04 || !level.is_dram;
}

AttributeList storage_attributes(const StorageLevel& level, TimeloopVersion version) {
  AttributeList list;
  list.add("datawidth", level.word_bits);
  list.add("width", level.word_bits * (level.block_words * level.cluster_size));
  list.add("block_size", level.block_words);
  list.add("cluster_size", level.cluster_size);
  add_capacity(list, level);
  list.add_unless(1.0, "multiple_buffering", level.multiple_buffering);
  list.add("read_bandwidth", level.bandwidth.read);
  list.add("write_bandwidth", level.bandwidth.write);
  list.add("shared_bandwidth", level.bandwidth.shared);
  list.add_unless(0.0, "addr_gen_energy", level.address_generation_pj);
  list.add_unless(usually_reduces(level, version), "reduction_supported", level.reduces());
  return list;
}

// What Accelergy asks of every v0.4 machine: a clock and a technology. Where the machine states none it gets values
// that no number depends on, and a variable says that the clock is none of its own.
std::string variables(const Architecture& machine, TimeloopVersion version) {
  const bool front_end = version == TimeloopVersion::V04;
  if (!front_end && !machine.cycle_ns) return "";
  std::string out = fmt::format("variables: {{version: 0.4, global_cycle_seconds: {}",
                                yaml_float(machine.cycle_ns.value_or(1) * 1e-9));
  if (front_end) out += fmt::format(", technology: \"{}nm\"", machine.technology_nm.value_or(45));
  if (!machine.cycle_ns) out += fmt::format(", {}: 0", kClockIsKnown);
  out += "}\n";
  if (front_end && (!machine.cycle_ns || !machine.technology_nm))
    out =
        "# Accelergy asks for a clock and a technology; no number here depends on what the machine does not state.\n" +
        out;
  return out;
}

std::string header(const Architecture& machine, TimeloopVersion version) {
  std::string out =
      fmt::format("# Machine '{}' for Timeloop {}, written by Heliolite. pJ are in the ERT, um2 in the ART.\n",
                  machine.name, name(version));
  for (const std::string& line : split(machine.description, '\n')) out += "# " + line + "\n";
  if (machine.technology_nm) out += fmt::format("# The energies are of {} nm.\n", *machine.technology_nm);
  return out + variables(machine, version);
}

// v0.3: every fan-out begins a subtree, whose name counts the copies.
class TreeWriter {
 public:
  explicit TreeWriter(const Architecture& machine) : machine_(machine) {}

  std::string run() {
    const StorageLevel& outermost = machine_.levels.back();
    out_ = header(machine_, TimeloopVersion::V03) + "architecture:\n  version: 0.3\n";
    open("system", outermost.instances);
    for (std::size_t i = machine_.levels.size(); i-- > 0;) {
      const StorageLevel& level = machine_.levels[i];
      AttributeList list = storage_attributes(level, TimeloopVersion::V03);
      list.add("meshX", level.mesh_x);
      if (has_energy(level.network)) add_network(list, level.network);
      component(level.name, timeloop_class(machine_, static_cast<int>(i)), list);
      if (const u64 copies = level.fanout_x * level.fanout_y; copies > 1) open("below_" + level.name, copies);
    }
    AttributeList list;
    list.add("datawidth", machine_.compute.word_bits);
    list.add("meshX", machine_.compute.mesh_x);
    component(machine_.compute.name, "intmac", list);
    return out_;
  }

 private:
  void open(const std::string& name, u64 copies) {
    const std::string range = copies > 1 ? fmt::format("[0..{}]", copies - 1) : "";
    out_ += fmt::format("{0}subtree:\n{0}- name: {1}{2}\n{0}  local:\n", margin_ + "  ", name, range);
    margin_ += "  ";
  }
  void component(const std::string& name, std::string_view class_name, const AttributeList& list) {
    out_ += fmt::format("{0}  - name: {1}\n{0}    class: {2}\n{0}    attributes: {3}\n", margin_, yaml_scalar(name),
                        class_name, list.map());
  }

  const Architecture& machine_;
  std::string out_, margin_;
};

// v0.4: fan-outs are containers, which hand their attributes down.
class NodesWriter {
 public:
  explicit NodesWriter(const Architecture& machine) : machine_(machine) {}

  std::string run() {
    out_ = header(machine_, TimeloopVersion::V04) + "architecture:\n  version: 0.4\n  nodes:\n";
    for (int i = static_cast<int>(machine_.levels.size()) - 1; i >= 0; --i) {
      const StorageLevel& level = machine_.levels[i];
      if (!is_bare_fanout(machine_, i)) storage(level, accelergy_class(machine_, i));
      if (level.fanout_x * level.fanout_y > 1) container(level);
    }
    AttributeList list;
    list.add("datawidth", machine_.compute.word_bits);
    node("Component", machine_.compute.name,
         fmt::format("class: {}, attributes: {}", kComputeAccelergyClass, list.map()));
    return out_;
  }

 private:
  // The words to what lies below a storage cross its container's network, if it has one.
  void storage(const StorageLevel& level, std::string_view class_name) {
    AttributeList list = storage_attributes(level, TimeloopVersion::V04);
    const bool own = level.fanout_x * level.fanout_y == 1;
    network(list, own ? level.network : NetworkEnergy{}, false);
    node("Component", level.name, fmt::format("class: {}, attributes: {}", class_name, list.map()));
  }
  void container(const StorageLevel& level) {
    AttributeList list;
    network(list, level.network, true);
    const std::string attributes = list.map() == "{}" ? "" : ", attributes: " + list.map();
    node("Container", level.fanout_name,
         fmt::format("spatial: {{meshX: {}, meshY: {}}}{}", level.fanout_x, level.fanout_y, attributes));
  }
  // Energies that a container outside has handed down are taken back by 0.
  void network(AttributeList& list, const NetworkEnergy& energy, bool hands_down) {
    if (handed_down_ || has_energy(energy)) add_network(list, energy);
    handed_down_ |= hands_down && has_energy(energy);
  }
  void node(std::string_view tag, const std::string& name, const std::string& rest) {
    out_ += fmt::format("  - !{} {{name: {}, {}}}\n", tag, yaml_scalar(name), rest);
  }

  const Architecture& machine_;
  std::string out_;
  bool handed_down_ = false;
};

// Timeloop reads whole numbers of bits, and refuses others.
Diagnostics parts_of_bits(const Architecture& machine) {
  Diagnostics errors;
  const auto add = [&](const std::string& name, WordLength length) {
    if (!length.is_whole())
      errors.push_back({"", 0, name, fmt::format("word_bits = {}, and Timeloop's words have whole bits", length)});
  };
  for (const StorageLevel& level : machine.levels) add(level.name, level.word_bits);
  add(machine.compute.name, machine.compute.word_bits);
  return errors;
}

}  // namespace

Result<TimeloopMachineFiles> write_timeloop_architecture(const Architecture& architecture, TimeloopVersion version) {
  if (Diagnostics errors = parts_of_bits(architecture); !errors.empty()) return errors;
  Result<TimeloopForm> form = timeloop_form(architecture, version);
  if (!form) return form.errors();
  TimeloopMachineFiles files;
  files.machine = std::move(form->machine);
  const Architecture& machine = files.machine;
  files.notes = std::move(form->notes);
  const Result<std::string> constraints = write_timeloop_constraints(machine, version, files.notes);
  if (!constraints) return constraints.errors();
  files.constraints = *constraints;
  const bool tree = version == TimeloopVersion::V03;
  files.architecture = tree ? TreeWriter(machine).run() : NodesWriter(machine).run();
  files.ert = write_ert(machine, version);
  files.art = write_art(machine, version);
  if (!tree) files.components = write_accelergy_classes(machine);
  return files;
}

}  // namespace heliolite
