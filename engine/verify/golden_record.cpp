// A recorded Timeloop run, or a mapping with its true counts: one JSON object on a line (docs/formats_mapping.md,
// "Golden records").
#include "engine/verify/golden_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/verify/json_record.h"

namespace heliolite {
namespace {

using nlohmann::json;

// Three numbers: of a multicast, or what a busiest instance reads, fills and updates.
bool is_triple(const json& value) {
  return value.is_array() && value.size() == 3 && std::ranges::all_of(value, &json::is_number);
}

bool is_multicast(const json& value) { return value.is_array() && std::ranges::all_of(value, is_triple); }

// What the comparison reads as numbers: every leaf, but for the lists of a network's multicasts and of what a busiest
// instance reads, fills and updates.
class ExpectationCheck {
 public:
  explicit ExpectationCheck(RecordComplaints& complaints) : complaints_(complaints) {}

  void run(const json& expect) {
    for (const char* key : {"energy_pJ", "cycles"})
      if (expect.contains(key)) number(expect[key], std::string("expect.") + key);
      else complaints_.add(std::string("expect.") + key, "is missing, must be a number");
    if (has(expect, "levels")) levels(expect["levels"]);
    if (has(expect, "networks")) networks(expect["networks"]);
    if (expect.contains("mac")) numbers(expect["mac"], "expect.mac");
  }

 private:
  void number(const json& value, const std::string& field) {
    if (!value.is_number()) complaints_.add(field, fmt::format("{} must be a number", shown(value)));
  }

  bool object(const json& value, const std::string& field) {
    if (!value.is_object()) complaints_.add(field, fmt::format("{} must be an object", shown(value)));
    return value.is_object();
  }

  bool has(const json& expect, const char* key) {
    return record_member(expect, key, json::value_t::object, "an object", complaints_) != nullptr;
  }

  void numbers(const json& value, const std::string& field) {
    if (!object(value, field)) return;
    for (const auto& item : value.items())
      if (item.key() != "busiest" || !is_triple(item.value())) number(item.value(), field + "." + item.key());
  }

  // The objects of a level are its tensors.
  void levels(const json& all) {
    for (const auto& level : all.items()) {
      const std::string field = "expect.levels." + level.key();
      if (!object(level.value(), field)) continue;
      for (const auto& item : level.value().items()) {
        const std::string inner = field + "." + item.key();
        const bool tensor = item.value().is_object() && item.key() != "cycles" && item.key() != "leakage_pJ";
        if (tensor) numbers(item.value(), inner);
        else number(item.value(), inner);
      }
    }
  }

  void networks(const json& all) {
    for (const auto& network : all.items()) {
      const std::string field = "expect.networks." + network.key();
      if (!object(network.value(), field)) continue;
      for (const auto& tensor : network.value().items()) {
        const std::string inner = field + "." + tensor.key();
        if (!object(tensor.value(), inner)) continue;
        for (const auto& item : tensor.value().items())
          if (!is_multicast(item.value())) number(item.value(), inner + "." + item.key());
      }
    }
  }

  RecordComplaints& complaints_;
};

// Builds the mapping level by level, innermost first, as the records list them.
class MappingBuilder {
 public:
  MappingBuilder(const GoldenRecord& record, const Workload& workload, const Architecture& architecture)
      : record_(record), workload_(workload), architecture_(architecture), complaints_(record.file, record.line) {}

  Result<Mapping> build() {
    mapping_.level_count = static_cast<u8>(architecture_.levels.size());
    if (record_.mapping.size() != architecture_.levels.size())
      complaints_.add("mapping", fmt::format("has {} levels, {} has {}", record_.mapping.size(), record_.arch,
                                             architecture_.levels.size()));
    for (std::size_t i = 0; i < record_.mapping.size() && complaints_.empty(); ++i)
      read_level(record_.mapping[i], static_cast<int>(i));
    if (!complaints_.empty()) return complaints_.errors();
    return mapping_;
  }

 private:
  void read_level(const json& entry, int i) {
    const std::string field = fmt::format("mapping[{}]", i);
    if (!entry.is_object()) return complaints_.add(field, "must be an object");
    const StorageLevel& level = architecture_.levels[i];
    if (record_string(entry, "level", complaints_) != level.name)
      complaints_.add(field + ".level",
                      fmt::format("must be {}, the level of {} at this place", level.name, record_.arch));
    if (const json* keep = record_member(entry, "keep", json::value_t::array, "a list", complaints_))
      read_keep(*keep, i);
    if (entry.contains("spatial")) {
      if (entry["spatial"].is_object()) read_spatial(entry["spatial"], i);
      else complaints_.add(field + ".spatial", "must be an object");
    }
    const std::string order = record_string(entry, "order", complaints_);
    const json* factors = record_member(entry, "temporal", json::value_t::object, "an object", complaints_);
    if (factors != nullptr) {
      add_loops(order, *factors, entry.value("temporal_residual", json::object()), i,
                [](std::size_t) { return LoopKind::Temporal; });
    }
  }

  void read_keep(const json& keep, int level) {
    for (const json& tensor : keep) {
      const auto v = tensor.is_string() ? workload_.find_tensor(tensor.get_ref<const std::string&>()) : std::nullopt;
      if (!v) complaints_.add("keep", fmt::format("{} is not a tensor of {}", shown(tensor), record_.problem));
      else mapping_.keep[level] = static_cast<TensorMask>(mapping_.keep[level] | 1u << *v);
    }
  }

  void read_spatial(const json& spatial, int level) {
    json factors = json::object();
    for (const char* axis : {"X", "Y"}) {
      if (!spatial.contains(axis)) continue;
      if (!spatial[axis].is_object()) return complaints_.add(std::string("spatial.") + axis, "must be an object");
      factors.update(spatial[axis]);
    }
    const std::string order = record_string(spatial, "order", complaints_);
    const json* split = record_member(spatial, "split", json::value_t::number_unsigned, "a number", complaints_);
    const std::size_t x_loops = split != nullptr ? split->get<std::size_t>() : 0;
    add_loops(order, factors, spatial.value("residual", json::object()), level,
              [&](std::size_t k) { return k < x_loops ? LoopKind::SpatialX : LoopKind::SpatialY; });
  }

  // `order` names one dimension a letter, innermost first.
  void add_loops(const std::string& order, const json& factors, const json& residuals, int level, auto&& kind) {
    if (!factors.is_object() || !residuals.is_object()) return complaints_.add("mapping", "factors must be an object");
    for (const json* set : {&factors, &residuals})
      for (const auto& item : set->items())
        if (item.key().size() != 1 || order.find(item.key()) == std::string::npos)
          complaints_.add("mapping",
                          fmt::format("dimension {} has a factor but is not in the order {}", item.key(), order));
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::string name(1, order[k]);
      const auto dimension = workload_.find_dimension(name);
      if (!dimension) {
        complaints_.add("mapping", fmt::format("{} is not a dimension of {}", name, record_.problem));
        continue;
      }
      const u64 end = factor(factors, name, 1);
      const u64 residual = factor(residuals, name, end);
      if (end > 1 && mapping_.loop_count == kMaxLoops) return complaints_.add("mapping", "has too many loops");
      mapping_.add(kind(k), level, *dimension, end, residual);
    }
  }

  u64 factor(const json& factors, const std::string& name, u64 otherwise) {
    const auto it = factors.find(name);
    if (it == factors.end()) return otherwise;
    if (it->is_number_unsigned() && it->get<u64>() >= 1 && it->get<u64>() <= kMaxDimensionSize) return it->get<u64>();
    complaints_.add(
        "mapping", fmt::format("factor {} of {} must be an integer from 1 to {}", shown(*it), name, kMaxDimensionSize));
    return otherwise;
  }

  const GoldenRecord& record_;
  const Workload& workload_;
  const Architecture& architecture_;
  RecordComplaints complaints_;
  Mapping mapping_;
};

}  // namespace

Result<GoldenRecord> parse_golden_record(std::string_view text, const std::string& file, int line) {
  GoldenRecord record;
  record.file = file;
  record.line = line;
  RecordComplaints complaints(file, line);
  Result<json> parsed = parse_record_line(text, file, line);
  if (!parsed) return parsed.errors();
  json& root = *parsed;
  record.id = record_string(root, "id", complaints);
  record.arch = record_string(root, "arch", complaints);
  record.problem = record_string(root, "problem", complaints);
  record.mode = record_string(root, "mode", complaints);
  if (root.contains("by")) {
    record.counts = Counts::True;
    if (const std::string by = record_string(root, "by", complaints); !by.empty() && by != "walk" && by != "factorised")
      complaints.add("by", fmt::format("'{}' must be walk or factorised", by));
  } else {
    record.peer_channel = record_flag(root, kPeerChannel.field, complaints).value_or(false);
  }
  if (record_member(root, "mapping", json::value_t::array, "a list of levels", complaints) != nullptr) {
    record.mapping = std::move(root["mapping"]);  // moved, not copied: copying recurses
  }
  if (record_member(root, "expect", json::value_t::object, "an object", complaints) != nullptr) {
    record.expect = std::move(root["expect"]);
    ExpectationCheck(complaints).run(record.expect);
  }
  if (!complaints.empty()) return complaints.errors();
  return record;
}

Result<Mapping> golden_mapping(const GoldenRecord& record, const Workload& workload, const Architecture& architecture) {
  return MappingBuilder(record, workload, architecture).build();
}

}  // namespace heliolite
