#include "engine/formats/timeloop/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/architecture_spec.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/loops.h"

namespace heliolite {
namespace {

// Timeloop's own tables and paths take dots and brackets apart.
bool is_plain_name(const std::string& name) {
  const auto in_name = [](char c) { return is_letter(c) || is_digit(c) || c == '-'; };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, in_name);
}

class FormMaker {
 public:
  FormMaker(const Architecture& architecture, TimeloopVersion version, bool has_workload)
      : version_(version), has_workload_(has_workload) {
    form_.machine = architecture;
  }

  Result<TimeloopForm> run() {
    errors_ = refuse_units(form_.machine, "Timeloop has");
    for (std::size_t i = 0; i < levels().size(); ++i) level(i);
    if (form_.machine.compute.cycles_per_op != 1)
      errors_.push_back({"", 0, "compute",
                         fmt::format("cycles_per_op = {}: Timeloop's units take one cycle for an operation",
                                     form_.machine.compute.cycles_per_op)});
    if (!is_plain_name(form_.machine.compute.name))
      errors_.push_back({"", 0, "compute", bad_name(form_.machine.compute.name)});
    if (!std::exchange(form_.machine.one_axis_per_dimension, true) && has_two_axes())
      note("",
           "one_axis_per_dimension = false: Timeloop unrolls a dimension along X or along Y of a fan-out, not both");
    if (!std::exchange(form_.machine.peer_channel, true) && std::ranges::any_of(levels(), has_fanout))
      note("", std::string(kTimeloopHasPeers));
    note_counting();
    count_as_timeloop(form_.machine);
    const bool front_end = version_ == TimeloopVersion::V04;
    if (std::exchange(form_.machine.unit_loops_first, front_end) != front_end) note_splits();
    if (front_end) {
      name_fanouts();
      // A workload's own dimensions say it otherwise.
      for (std::size_t i = 0; i < levels().size() && !has_workload_; ++i) forbid_loops(i);
    }
    if (!errors_.empty()) return errors_;
    return std::move(form_);
  }

 private:
  void note_counting() {
    const Architecture& m = form_.machine;
    if (m.all_leaks && std::ranges::any_of(levels(), leaks))
      note("", "leakage = all: Timeloop charges the leakage of instances in use");
    if (m.drain_reads) note("", "drain_reads = on: Timeloop counts no reads of outputs that go outwards");
    if (m.ramps) note("", "latency = ramps: Timeloop counts no ramps, its cycles are those of the steady state");
    if (!m.timeloop_cycles && std::ranges::any_of(levels(), has_bandwidth))
      note("", "cycles = exact: Timeloop adds words per cycle up as doubles, which may be a cycle more or less");
  }

  static bool has_fanout(const StorageLevel& level) { return level.fanout_x * level.fanout_y > 1; }
  static bool leaks(const StorageLevel& level) { return level.leak_pj_per_cycle > 0; }
  static bool has_bandwidth(const StorageLevel& level) {
    return level.bandwidth.read || level.bandwidth.write || level.bandwidth.shared;
  }

  std::vector<StorageLevel>& levels() { return form_.machine.levels; }

  void note(std::string field, std::string message) {
    form_.notes.push_back({"", 0, std::move(field), std::move(message)});
  }

  void note_splits() {
    for (const StorageLevel& level : levels())
      if (level.constraints.spatial.split)
        note(fmt::format("level '{}'", level.name),
             "split: Timeloop's front end of v0.4 counts dimensions of one iteration that the permutation does not "
             "name, Timeloop itself does not; name all dimensions, or give the workload");
  }

  static std::string bad_name(const std::string& name) {
    return fmt::format(
        "the name '{}' means another thing in Timeloop's files: must be letters, digits, '_' and '-', a "
        "letter first",
        name);
  }

  bool has_two_axes() {
    return std::ranges::any_of(levels(), [](const StorageLevel& l) { return l.fanout_x > 1 && l.fanout_y > 1; });
  }

  void level(std::size_t i) {
    StorageLevel& level = levels()[i];
    const std::string field = fmt::format("level '{}'", level.name);
    if (!is_plain_name(level.name)) errors_.push_back({"", 0, field, bad_name(level.name)});
    const bool fans_out = level.fanout_x * level.fanout_y > 1;
    if (level.is_interconnect)
      errors_.push_back({"", 0, field,
                         "an interconnect: Timeloop's files have nothing that holds no tensor and takes time; its "
                         "networks have no bandwidth, and no price for partial sums on their way back in"});
    if (version_ == TimeloopVersion::V03) {
      level.fanout_name.clear();
    } else {
      if (i + 1 == levels().size() && level.instances > 1)
        errors_.push_back({"", 0, field,
                           fmt::format("{} instances of the outermost level: v0.4 files have one; write "
                                       "v0.3",
                                       level.instances)});
      if (fans_out && !level.reduces() && has_energy(level.network))
        errors_.push_back({"", 0, field,
                           "does not reduce, and its fan-out has network energies: in v0.4 files outputs cross a "
                           "network of their own there, which costs more; write v0.3"});
    }
    SpatialConstraints& spatial = level.constraints.spatial;
    for (std::vector<std::string>* selectors : {&level.keep.keep, &level.keep.bypass, &spatial.no_peers})
      if (!has_workload_) name_roles(field, *selectors);
    if (fans_out || (spatial.factors.empty() && spatial.order.empty() && !spatial.allowed_x && !spatial.allowed_y &&
                     !spatial.split))
      return;
    spatial = {};
    note(field, "constraints on a fan-out of 1 say nothing and are left out");
  }

  // Roles are written as the data spaces of Timeloop's own layers bear them.
  void name_roles(const std::string& field, std::vector<std::string>& selectors) {
    for (std::string& selector : selectors) {
      const std::string word = lower(selector);
      const auto is = [&](std::string_view role) { return word == role || word == std::string(role) + "s"; };
      const std::string name = is("input")     ? "Inputs"
                               : is("weight")  ? "Weights"
                               : is("output")  ? "Outputs"
                               : word == "all" ? "all"
                                               : selector;
      if (name != selector)
        note(field, fmt::format("'{}' is written as {}: give the workload to have the names of its data spaces",
                                selector, name));
      selector = name;
    }
  }

  // v0.4 says of a level without loops that no dimension may have one.
  void forbid_loops(std::size_t i) {
    StorageLevel& level = levels()[i];
    if (level.loops_allowed || is_bare_fanout(form_.machine, static_cast<int>(i))) return;
    level.loops_allowed = true;
    level.constraints.temporal.allowed.emplace();
  }

  // Containers need names, which neither levels nor the compute unit bear.
  void name_fanouts() {
    std::vector<std::string> taken{form_.machine.compute.name};
    for (const StorageLevel& level : levels()) taken.push_back(level.name);
    const auto is_taken = [&](const std::string& name) { return std::ranges::find(taken, name) != taken.end(); };
    for (StorageLevel& level : levels()) {
      if (level.fanout_x * level.fanout_y == 1) {
        level.fanout_name.clear();
        continue;
      }
      std::string name = level.fanout_name;
      if (name.empty() || is_taken(name) || !is_plain_name(name)) name = "below_" + level.name;
      while (is_taken(name)) name += "_";
      level.fanout_name = name;
      taken.push_back(name);
    }
  }

  TimeloopVersion version_;
  bool has_workload_;
  TimeloopForm form_;
  Diagnostics errors_;
};

}  // namespace

void count_as_timeloop(Architecture& machine) {
  machine.all_leaks = false;
  machine.drain_reads = false;
  machine.ramps = false;
  machine.timeloop_cycles = true;
}

TimeloopVersion version_of(const Architecture& architecture) {
  const auto names_fanout = [](const StorageLevel& level) { return !level.fanout_name.empty(); };
  const bool nodes = architecture.unit_loops_first || std::ranges::any_of(architecture.levels, names_fanout);
  return nodes ? TimeloopVersion::V04 : TimeloopVersion::V03;
}

bool has_energy(const NetworkEnergy& network) {
  return network.hop_pj != 0 || network.router_pj != 0 || network.ingress_pj != 0;
}

Result<TimeloopForm> timeloop_form(const Architecture& architecture, TimeloopVersion version, bool has_workload) {
  return FormMaker(architecture, version, has_workload).run();
}

bool is_bare_fanout(const Architecture& architecture, int index) {
  const StorageLevel& level = architecture.levels[index];
  const bool free = level.energy.read_pj == 0 && level.energy.fill_pj == 0 && level.energy.update_pj == 0 &&
                    level.leak_pj_per_cycle == 0 && level.area_um2 == 0 && level.address_generation_pj == 0;
  const bool bare = level.name == "inter_" + level.fanout_name + "_spatial" && !level.entries && !level.loops_allowed &&
                    !level.is_dram && level.multiple_buffering == 1 && level.word_bits == 16 &&
                    level.block_words == 1 && level.cluster_size == 1 && free && level.keep.keep.empty() &&
                    level.keep.bypass == std::vector<std::string>{"all"} && !level.bandwidth.read &&
                    !level.bandwidth.write && !level.bandwidth.shared;
  if (!bare || level.fanout_x * level.fanout_y == 1 || at(index) + 1 == architecture.levels.size()) return false;
  // Where the storage outside could have the fan-out itself, a reader would give it to that.
  const StorageLevel& outer = architecture.levels[index + 1];
  const bool outer_has_one = outer.fanout_x * outer.fanout_y > 1;
  const bool crosses_network = !outer_has_one && (outer.network.router_pj != 0 || outer.network.ingress_pj != 0);
  const bool answers = !outer.reduces() && has_energy(level.network);
  return outer_has_one || crosses_network || answers;
}

}  // namespace heliolite
