#include "engine/formats/timeloop/directives.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/attributes.h"
#include "engine/model/keep.h"

namespace heliolite {

std::optional<MappingTarget> find_mapping_target(std::string_view target, bool is_spatial,
                                                 const Architecture& architecture) {
  const std::vector<StorageLevel>& levels = architecture.levels;
  const auto owns_fanout = [&](const StorageLevel& level) {
    const std::string& owner = level.fanout_name;
    return !owner.empty() && (target == owner || target == "inter_" + owner + "_spatial");
  };
  const auto fanout = std::ranges::find_if(levels, owns_fanout);
  const auto level = std::ranges::find(levels, target, &StorageLevel::name);
  if (fanout != levels.end() && (is_spatial || level == levels.end()))
    return MappingTarget{static_cast<std::size_t>(fanout - levels.begin()), true};
  if (level != levels.end()) return MappingTarget{static_cast<std::size_t>(level - levels.begin()), false};
  const std::optional<u64> number = parse_number<u64>(target);
  if (number && *number < levels.size()) return MappingTarget{static_cast<std::size_t>(*number), false};
  return std::nullopt;
}

std::string allowed_mapping_targets(std::string_view target, const Architecture& architecture) {
  std::vector<std::string> names;
  for (const StorageLevel& l : architecture.levels)
    if (!l.fanout_name.empty() && l.fanout_name != l.name) names.push_back(l.fanout_name);
  for (const StorageLevel& l : architecture.levels) names.push_back(l.name);
  return join(names, "or") + did_you_mean(target, names);
}

namespace {

enum class DirectiveType : u8 { Temporal, Spatial, Keep };

class DirectivesReader {
 public:
  DirectivesReader(const Workload& workload, const Architecture& architecture, Diagnostics& errors)
      : workload_(workload), architecture_(architecture), errors_(errors), said_(architecture.levels.size()) {
    for (const Dimension& d : workload.dimensions) dimensions_.push_back(d.name);
    for (const Tensor& t : workload.tensors) tensors_.push_back(t.name);
    out_.temporal.resize(architecture.levels.size());
    out_.spatial.resize(architecture.levels.size());
    for (std::size_t i = 0; i < architecture.levels.size(); ++i)
      out_.keep.push_back(default_keep(architecture, static_cast<int>(i), workload));
  }

  TimeloopDirectives run(const YamlNode& list) {
    for (std::size_t i = 0; i < list.size(); ++i) directive(list.at(i));
    return std::move(out_);
  }

 private:
  void directive(const YamlNode& node) {
    MapReader reader(node, errors_);
    if (!reader.valid()) return;
    const std::optional<YamlNode> target = reader.required_child("target");
    const std::optional<YamlNode> type_node = reader.required_child("type");
    const std::optional<DirectiveType> type = type_node ? type_of(*type_node) : std::nullopt;
    if (!target || !type) return;
    const bool is_spatial = *type == DirectiveType::Spatial;
    const std::optional<MappingTarget> place = find_mapping_target(target->text(), is_spatial, architecture_);
    if (!place)
      errors_.push_back(target->error(fmt::format("target = {}, must be {}", target->text(),
                                                  allowed_mapping_targets(target->text(), architecture_))));
    for (const char* key : {"no_multicast_no_reduction", "no_temporal_reuse", "no_reuse", "rmw_on_first_writeback",
                            "rmw_first_update", "passthrough", "no_coalesce"}) {
      const std::optional<YamlNode> value = reader.child(key);
      if (value && !says_nothing(*value))
        errors_.push_back(
            value->error(fmt::format("{}: changes how accesses are counted, which is not modelled", key)));
    }
    const auto no_peers = reader.child(kTimeloopNoPeers);
    if (no_peers && is_spatial && place && !says_nothing(*no_peers))
      for (const std::string& name : read_tensors(*no_peers, errors_))
        out_.no_peers[place->level] =
            static_cast<TensorMask>(out_.no_peers[place->level] | tensors_named(name, *no_peers));
    if (*type == DirectiveType::Keep) {
      const auto keep = reader.child("keep");
      const auto bypass = reader.child("bypass");
      reader.finish();
      if (place && place->is_fanout) expect_nothing_kept(keep, bypass);
      else if (place) set_keep(place->level, keep, bypass);
      return;
    }
    const auto factors = reader.child("factors");
    const auto permutation = reader.child("permutation");
    const auto split = is_spatial ? reader.child("split") : std::nullopt;
    reader.finish();
    if (!place) return;
    if (place->is_fanout && !is_spatial) expect_no_loops(factors, permutation);
    else set_nest(place->level, is_spatial, node, factors, permutation, split);
  }

  std::optional<DirectiveType> type_of(const YamlNode& node) {
    const std::string& word = node.text();
    if (word == "temporal") return DirectiveType::Temporal;
    if (word == "spatial") return DirectiveType::Spatial;
    if (word == "datatype" || word == "dataspace" || word == "bypass" || word == "bypassing")
      return DirectiveType::Keep;
    const std::vector<std::string> names{"temporal", "spatial", "datatype", "dataspace", "bypass"};
    errors_.push_back(
        node.error(fmt::format("type = {}, must be {}{}", word, join(names, "or"), did_you_mean(word, names))));
    return std::nullopt;
  }

  void set_keep(std::size_t level, const std::optional<YamlNode>& keep, const std::optional<YamlNode>& bypass) {
    for (const bool keeps : {true, false}) {
      const std::optional<YamlNode>& node = keeps ? keep : bypass;
      if (!node) continue;
      for (const std::string& name : read_tensors(*node, errors_)) {
        const TensorMask mask = tensors_named(name, *node);
        const TensorMask contrary = keeps ? said_[level].bypass : said_[level].keep;
        if ((mask & contrary) != 0)
          errors_.push_back(
              node->error(fmt::format("{} is both kept and bypassed by {}", name, architecture_.levels[level].name)));
        TensorMask& said = keeps ? said_[level].keep : said_[level].bypass;
        said = static_cast<TensorMask>(said | mask);
        out_.keep[level] = static_cast<TensorMask>(keeps ? out_.keep[level] | mask : out_.keep[level] & ~mask);
      }
    }
  }

  // What Timeloop writes for a fan-out without a memory: {keep: [], bypass: [all tensors]}.
  void expect_nothing_kept(const std::optional<YamlNode>& keep, const std::optional<YamlNode>& bypass) {
    for (const std::optional<YamlNode>& names : {keep, bypass}) {
      if (!names) continue;
      for (const std::string& name : read_tensors(*names, errors_)) tensors_named(name, *names);
    }
    if (keep && keep->size() + keep->text().size() > 0)
      errors_.push_back(keep->error("a fan-out is no memory and keeps nothing; name the level above or below it"));
  }

  // The temporal loops of a fan-out: all of one iteration.
  void expect_no_loops(const std::optional<YamlNode>& factors, const std::optional<YamlNode>& permutation) {
    if (permutation) order_of(*permutation);
    if (!factors) return;
    for (const FactorWord& word : read_factors(*factors, errors_)) {
      dimension(word.dimension, word.place);
      if (word.value != 1)
        errors_.push_back(word.place.error(fmt::format(
            "{}={}: a fan-out has no temporal loops; name the level above or below it", word.dimension, word.value)));
    }
  }

  std::vector<int> order_of(const YamlNode& permutation) {
    std::vector<int> order;
    for (const std::string& name : read_permutation(permutation, dimensions_, errors_))
      if (const auto d = dimension(name, permutation)) order.push_back(*d);
    return order;
  }

  TensorMask tensors_named(const std::string& name, const YamlNode& place) {
    if (name == "all") return static_cast<TensorMask>((1u << tensors_.size()) - 1);
    if (const auto v = workload_.find_tensor(name)) return static_cast<TensorMask>(1u << *v);
    errors_.push_back(place.error(
        fmt::format("unknown tensor '{}', must be {}{}", name, join(tensors_, "or"), did_you_mean(name, tensors_))));
    return 0;
  }

  std::optional<int> dimension(const std::string& name, const YamlNode& place) {
    if (const auto d = workload_.find_dimension(name)) return d;
    errors_.push_back(place.error(fmt::format("unknown dimension '{}', must be {}{}", name, join(dimensions_, "or"),
                                              did_you_mean(name, dimensions_))));
    return std::nullopt;
  }

  void set_nest(std::size_t level, bool is_spatial, const YamlNode& place, const std::optional<YamlNode>& factors,
                const std::optional<YamlNode>& permutation, const std::optional<YamlNode>& split) {
    NestDirective& nest = is_spatial ? out_.spatial[level] : out_.temporal[level];
    if (nest.place) {
      errors_.push_back(
          place.error(fmt::format("{} has two {} directives, the first in line {}", architecture_.levels[level].name,
                                  is_spatial ? "spatial" : "temporal", nest.place->line())));
      return;
    }
    nest.place = place;
    if (factors) {
      for (const FactorWord& word : read_factors(*factors, errors_)) {
        if (word.relation != Relation::Equal)
          errors_.push_back(
              word.place.error(fmt::format("{}: a mapping's factors are exact, not bounds", word.dimension)));
        if (const auto d = dimension(word.dimension, word.place)) nest.factor[*d] = word;
      }
    }
    if (permutation) nest.order = order_of(*permutation);
    if (architecture_.unit_loops_first) put_unit_loops_first(nest);
    // Timeloop puts the dimensions that are not named outside, in the workload's order.
    for (int d = 0; d < static_cast<int>(dimensions_.size()); ++d)
      if (std::ranges::find(nest.order, d) == nest.order.end()) nest.order.push_back(d);
    nest.split = nest.order.size();
    if (!split || split->is_null()) return;
    const std::optional<i64> value = split->as_integer();
    if (!value || *value < 0)
      errors_.push_back(split->error(fmt::format("split = {}, must be an integer of at least 0", split->text())));
    else nest.split = std::min(nest.split, at(*value));
  }

  // The front end of v0.4 puts dimensions that have the factor 1 or the size 1, and are not named, inside the others.
  void put_unit_loops_first(NestDirective& nest) const {
    for (int d = 0; d < static_cast<int>(dimensions_.size()); ++d) {
      const FactorWord& word = nest.factor[d];
      const bool is_unit = (!word.dimension.empty() && word.value == 1) || workload_.dimensions[d].size == 1;
      if (is_unit && std::ranges::find(nest.order, d) == nest.order.end()) nest.order.insert(nest.order.begin(), d);
    }
  }

  // What directives have said of a level's tensors.
  struct Said {
    TensorMask keep = 0;
    TensorMask bypass = 0;
  };

  const Workload& workload_;
  const Architecture& architecture_;
  Diagnostics& errors_;
  std::vector<std::string> dimensions_;
  std::vector<std::string> tensors_;
  std::vector<Said> said_;  // [level]
  TimeloopDirectives out_;
};

}  // namespace

TimeloopDirectives read_timeloop_directives(const YamlNode& list, const Workload& workload,
                                            const Architecture& architecture, Diagnostics& errors) {
  return DirectivesReader(workload, architecture, errors).run(list);
}

}  // namespace heliolite
