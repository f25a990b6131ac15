// Writes what a machine says about loops and tensors as constraints of Timeloop files (architecture_writer.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/constraints_yaml.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/architecture_writer.h"
#include "engine/formats/timeloop/constraints.h"
#include "engine/formats/timeloop/peers.h"

namespace heliolite {
namespace {

using Names = std::vector<std::string>;

bool same_names(Names a, Names b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

Names factor_words(const std::vector<FactorConstraint>& factors) {
  Names words;
  for (const FactorConstraint& f : factors) words.push_back(factor_text(f));
  return words;
}

class ConstraintsWriter {
 public:
  ConstraintsWriter(const Architecture& machine, TimeloopVersion version, Diagnostics& notes)
      : machine_(machine), tree_(version == TimeloopVersion::V03), notes_(notes) {}

  Result<std::string> run() {
    if (machine_.constraints_for_channels_only)
      notes_.push_back({"", 0, "",
                        "constraints_for = channels: the files constrain every workload; write those of one "
                        "workload by giving it"});
    for (std::size_t i = machine_.levels.size(); i-- > 0;) level(static_cast<int>(i));
    if (machine_.min_parallelism > 0)
      add(innermost().name, "utilization", {fmt::format("min: {}", machine_.min_parallelism)});
    if (!errors_.empty()) return errors_;
    if (targets_.empty()) return std::string();
    return fmt::format("{}:\n  version: {}\n  targets:\n{}", tree_ ? "architecture_constraints" : "constraints",
                       tree_ ? "0.3" : "0.4", targets_);
  }

 private:
  void complain(const StorageLevel& level, std::string message) {
    errors_.push_back({"", 0, fmt::format("level '{}'", level.name), std::move(message)});
  }

  const StorageLevel& innermost() const {
    int index = 0;
    while (!tree_ && is_bare_fanout(machine_, index)) ++index;
    return machine_.levels[index];
  }

  void level(int index) {
    const StorageLevel& level = machine_.levels[index];
    const bool bare = !tree_ && is_bare_fanout(machine_, index);
    if (!bare) keep(level);
    if (!bare) temporal(level);
    spatial(level);
  }

  void add(const std::string& target, std::string_view type, const Names& parts) {
    targets_ += fmt::format("  - {{target: {}, type: {}, {}}}\n", yaml_scalar(target), type, fmt::join(parts, ", "));
  }

  // Timeloop splits factors and permutations of v0.3 files itself, the front end of v0.4 wants lists.
  std::string list(const Names& words) const {
    Names quoted;
    for (const std::string& word : words) quoted.push_back(yaml_scalar(word));
    return fmt::format("[{}]", fmt::join(quoted, ", "));
  }
  std::string factors(const Names& words) const {
    return tree_ ? fmt::format("\"{}\"", fmt::join(words, " ")) : list(words);
  }
  std::string permutation(const Names& names) const {
    const bool letters = std::ranges::all_of(names, [](const std::string& name) { return name.size() == 1; });
    return tree_ && letters ? fmt::format("\"{}\"", fmt::join(names, "")) : list(names);
  }

  void keep(const StorageLevel& level) {
    if (level.keep.keep.empty() && level.keep.bypass.empty()) return;
    add(level.name, tree_ ? "bypass" : "dataspace",
        {"keep: " + list(tensors(level.keep.keep)), "bypass: " + list(tensors(level.keep.bypass))});
  }

  static Names tensors(Names selectors) {
    std::ranges::replace(selectors, std::string("all"), std::string("*"));
    return selectors;
  }

  void temporal(const StorageLevel& level) {
    const LoopConstraints& rules = level.constraints.temporal;
    Names parts;
    const bool listed_only = !level.loops_allowed || rules.allowed;
    const Names allowed = level.loops_allowed ? rules.allowed.value_or(Names{}) : Names{};
    if (listed_only && (tree_ || !same_names(allowed, above_one(rules.factors)))) {
      complain(level,
               "which dimensions may have loops here can be said only of a workload's own dimensions: give the "
               "workload");
      return;
    }
    if (listed_only) parts.push_back("factors_only: " + factors(factor_words(rules.factors)));
    else if (!rules.factors.empty()) parts.push_back("factors: " + factors(factor_words(rules.factors)));
    if (!rules.order.empty()) parts.push_back("permutation: " + permutation(rules.order));
    if (!parts.empty()) add(level.name, "temporal", parts);
  }

  void spatial(const StorageLevel& level) {
    const SpatialConstraints& rules = level.constraints.spatial;
    Names parts;
    if (!rules.factors.empty()) parts.push_back("factors: " + factors(factor_words(rules.factors)));
    if (!rules.order.empty()) parts.push_back("permutation: " + permutation(rules.order));
    if (rules.split && !rules.allowed_x && !rules.allowed_y) {
      parts.push_back(fmt::format("split: {}", *rules.split));
    } else if (rules.split || rules.allowed_x || rules.allowed_y) {
      const Names x = rules.allowed_x.value_or(Names{}), y = rules.allowed_y.value_or(Names{});
      Names both = x;
      both.insert(both.end(), y.begin(), y.end());
      const bool no_order = rules.order.empty() && x.empty() && !rules.allowed_y;
      // The front end of v0.4 puts dimensions of one iteration before a permutation that does not name them.
      if (rules.split || !tree_ || (both != rules.order && !no_order)) {
        complain(level,
                 "which dimensions may go to X and to Y can be said only of a workload's own dimensions: give "
                 "the workload");
        return;
      }
      parts.push_back(fmt::format("split: {}", x.size()));
    }
    if (!rules.no_peers.empty()) parts.push_back(timeloop_no_peers_text(tensors(rules.no_peers)));
    if (!parts.empty()) add(level.fanout_name.empty() ? level.name : level.fanout_name, "spatial", parts);
  }

  const Architecture& machine_;
  const bool tree_;
  Diagnostics& notes_;
  Diagnostics errors_;
  std::string targets_;
};

}  // namespace

Result<std::string> write_timeloop_constraints(const Architecture& machine, TimeloopVersion version,
                                               Diagnostics& notes) {
  return ConstraintsWriter(machine, version, notes).run();
}

}  // namespace heliolite
