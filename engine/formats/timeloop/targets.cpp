// What the targets of Timeloop constraints say of the level or fan-out that they name (constraints.h).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/attributes.h"
#include "engine/formats/timeloop/constraints.h"
#include "engine/formats/timeloop/form.h"
#include "engine/formats/timeloop/loops.h"

namespace heliolite {
namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

enum class TargetType : u8 { Temporal, Spatial, Keep, Utilization, Overbooking, NoPeers, Multicast };

std::optional<TargetType> target_type(const YamlNode& node, Diagnostics& errors) {
  const std::string& word = node.text();
  if (word == "temporal") return TargetType::Temporal;
  if (word == "spatial") return TargetType::Spatial;
  if (word == "datatype" || word == "dataspace" || word == "bypass" || word == "bypassing") return TargetType::Keep;
  if (word == "utilization" || word == "parallelism") return TargetType::Utilization;
  if (word == "max_overbooked_proportion") return TargetType::Overbooking;
  if (word == kTimeloopNoPeers) return TargetType::NoPeers;
  if (word == "no_multicast" || word == "no_reduction" || word == "no_multicast_no_reduction")
    return TargetType::Multicast;
  const Names names{"temporal", "spatial", "dataspace", "datatype", "bypass", "utilization"};
  errors.push_back(
      node.error(fmt::format("type = {}, must be {}{}", word, join(names, "or"), did_you_mean(word, names))));
  return std::nullopt;
}

// Reads one list of targets into the levels of a machine.
class TargetReader {
 public:
  TargetReader(const SpatialTargets& spatial, Architecture& architecture, Diagnostics& errors)
      : spatial_(spatial), architecture_(architecture), errors_(errors) {}

  void list(const YamlNode& targets) {
    if (targets.is_null()) return;
    if (!targets.is_sequence()) {
      errors_.push_back(targets.error("must be a list of constraints {target, type, ..}"));
      return;
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const YamlNode entry = targets.at(i);
      if (!entry.is_map()) {
        errors_.push_back(entry.error("must be a constraint {target, type, ..}"));
      } else if (const auto nested = entry.find("constraints")) {
        // Old files: {target: X, constraints: [{type, ..}]}.
        MapReader reader(entry, errors_);
        reader.ignore("constraints");
        reader.ignore("target");
        reader.ignore("name");
        reader.finish();
        for (std::size_t j = 0; nested->is_sequence() && j < nested->size(); ++j) one(entry, nested->at(j));
        if (!nested->is_sequence()) errors_.push_back(nested->error("must be a list of constraints {type, ..}"));
      } else {
        one(entry, entry);
      }
    }
  }

 private:
  void one(const YamlNode& entry, const YamlNode& constraint) {
    const auto target = entry.has("target") ? entry.find("target") : entry.find("name");
    const auto type_node = constraint.find("type");
    if (!target || !target->is_scalar()) errors_.push_back(entry.error("missing key 'target': the name of a level"));
    if (!type_node || !type_node->is_scalar())
      errors_.push_back(constraint.error("missing key 'type': temporal, spatial, dataspace, .."));
    if (!target || !target->is_scalar() || !type_node || !type_node->is_scalar()) return;
    const auto type = target_type(*type_node, errors_);
    if (!type) return;
    if (*type == TargetType::Multicast) {
      errors_.push_back(type_node->error(
          fmt::format("{}: changes how accesses are counted, which is not modelled", type_node->text())));
      return;
    }
    const YamlNode body = constraint.find("attributes").value_or(constraint);
    if (*type == TargetType::Utilization) {
      least_utilization(*target, body);
      return;
    }
    if (*type == TargetType::Overbooking) {
      const auto proportion = body.find("proportion");
      if (proportion && !says_nothing(*proportion))
        errors_.push_back(
            proportion->error("max_overbooked_proportion: tiles larger than the memory are not supported"));
      return;
    }
    if (*type == TargetType::NoPeers) {
      no_peers(*target, body);
      return;
    }
    if (*type == TargetType::Spatial && holds(spatial_.without_fanout, target->text())) {
      without_fanout(body, target->text());
      return;
    }
    const std::optional<std::size_t> index = find(*target, *type);
    if (!index) return;
    StorageLevel& level = architecture_.levels[*index];
    if (*type == TargetType::Spatial && level.fanout_x * level.fanout_y == 1) without_fanout(body, level.name);
    else if (*type == TargetType::Temporal) read_temporal_constraint(body, level.constraints.temporal, errors_);
    else if (*type == TargetType::Spatial) read_spatial_constraint(body, level.constraints.spatial, errors_);
    else read_keep_constraint(body, level.keep, errors_);
  }

  // {target: X, type: .., datatypes: [A]}: what the key of that name says in a spatial constraint.
  void no_peers(const YamlNode& target, const YamlNode& body) {
    const auto tensors = body.find("datatypes");
    if (!tensors) return errors_.push_back(body.error("missing key 'datatypes': the tensors that take no words"));
    const std::optional<std::size_t> index = find(target, TargetType::Spatial);
    if (!index) return;
    add_timeloop_no_peers(*tensors, architecture_.levels[*index].constraints.spatial.no_peers, errors_);
  }

  void without_fanout(const YamlNode& body, const std::string& owner) {
    SpatialConstraints constraints;
    read_spatial_constraint(body, constraints, errors_);
    refuse_unrolling(constraints, owner, body, errors_);
  }

  // {target: X, type: utilization, min: 0.9}: the share of all compute units that work, whatever X is; Timeloop wants
  // it to be the innermost storage. Constraints of the machine and of the search may both say it.
  void least_utilization(const YamlNode& target, const YamlNode& body) {
    const auto least = body.find("min");
    if (!least || says_nothing(*least)) return;
    const std::optional<double> share = least->as_number();
    if (!share || *share < 0 || *share > 1) {
      errors_.push_back(
          least->error(fmt::format("min = {}, must be a share of the compute units, from 0 to 1", least->text())));
      return;
    }
    const std::optional<std::size_t> index = find(target, TargetType::Utilization);
    if (!index) return;
    std::size_t innermost = 0;
    while (is_bare_fanout(architecture_, static_cast<int>(innermost))) ++innermost;
    if (*index > innermost) {
      errors_.push_back(target.error(
          fmt::format("target = {}: a least utilization is of all compute units, and Timeloop takes it at the "
                      "innermost storage alone, {}",
                      target.text(), architecture_.levels[innermost].name)));
      return;
    }
    if (double& known = architecture_.min_parallelism; known == 0 || known == *share) known = *share;
    else errors_.push_back(least->error(fmt::format("min = {}, but an earlier constraint says {}", *share, known)));
  }

  std::optional<std::size_t> find(const YamlNode& target, TargetType type) {
    const auto& levels = architecture_.levels;
    const bool spatial = type == TargetType::Spatial;
    Names names;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::string& name = spatial && spatial_.nodes ? levels[i].fanout_name : levels[i].name;
      if (name == target.text() && !name.empty()) return i;
      if (!name.empty()) names.push_back(name);
    }
    const std::optional<i64> number = target.as_integer();
    if (number && !spatial_.nodes && *number >= 0 && *number < static_cast<i64>(levels.size())) return at(*number);
    errors_.push_back(target.error(fmt::format("target = {}, must be {}{}", target.text(),
                                               names.empty() ? "a level, and there is none" : join(names, "or"),
                                               did_you_mean(target.text(), names))));
    return std::nullopt;
  }

  const SpatialTargets& spatial_;
  Architecture& architecture_;
  Diagnostics& errors_;
};

}  // namespace

void read_constraint_targets(const YamlNode& node, const SpatialTargets& spatial, Architecture& architecture,
                             Diagnostics& errors) {
  TargetReader targets(spatial, architecture, errors);
  if (!node.is_map()) {
    targets.list(node);
    return;
  }
  MapReader reader(node, errors);
  reader.ignore("version");
  for (const char* key : {"targets", "constraints"})
    if (const auto list = reader.child(key)) targets.list(*list);
  reader.finish();
}

KeepTargets keep_targets(const std::vector<YamlNode>& lists) {
  KeepTargets found;
  for (const YamlNode& node : lists) {
    const YamlNode list = node.is_map() ? node.find("targets").value_or(node) : node;
    for (std::size_t i = 0; list.is_sequence() && i < list.size(); ++i) {
      const YamlNode entry = list.at(i);
      const auto target = entry.find("target"), type = entry.find("type");
      Diagnostics ignored;
      if (target && target->is_scalar() && type && type->is_scalar() && target_type(*type, ignored) == TargetType::Keep)
        found.emplace(target->text(), entry);
    }
  }
  return found;
}

}  // namespace heliolite
