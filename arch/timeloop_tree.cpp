#include <fmt/format.h>

#include <algorithm>

#include "arch/limits.h"
#include "arch/timeloop_formats.h"
#include "engine/base/parse_number.h"

namespace heliolite {
namespace {

struct RangedName {
  std::string name;
  u64 count = 1;
};

// "PE[0..167]" is 168 times PE.
std::optional<RangedName> ranged_name(const YamlNode& node, Diagnostics& errors) {
  const std::string& text = node.text();
  const std::size_t open = text.find('[');
  if (open == std::string::npos && !text.empty()) return RangedName{text, 1};
  const std::size_t dots = text.find("..", open);
  if (open != std::string::npos && open > 0 && dots != std::string::npos && text.back() == ']') {
    const auto low = parse_number<u64>(std::string_view(text).substr(open + 1, dots - open - 1));
    const auto high = parse_number<u64>(std::string_view(text).substr(dots + 2, text.size() - dots - 3));
    if (low && high && *low <= *high && *high - *low < kMaxInstances)
      return RangedName{text.substr(0, open), *high - *low + 1};
  }
  errors.push_back(node.error(fmt::format("name = {}, must be a name, or one with a range such as PE[0..167]", text)));
  return std::nullopt;
}

class TreeReader {
 public:
  TreeReader(const TimeloopAttributes& variables, Diagnostics& errors) : variables_(variables), errors_(errors) {}

  TimeloopMachine read(const YamlNode& architecture) {
    MapReader reader(architecture, errors_);
    reader.ignore("version");
    reader.ignore("name");
    std::optional<YamlNode> next = subtree(reader);
    reader.finish();
    while (next) next = node(*next);
    if (!machine_.compute) errors_.push_back(architecture.error("no compute unit (class mac, intmac, fpmac, compute)"));
    return std::move(machine_);
  }

 private:
  std::optional<YamlNode> subtree(MapReader& reader) {
    const std::optional<YamlNode> list = reader.child("subtree");
    if (!list || list->is_null()) return std::nullopt;
    if (list->is_sequence() && list->size() == 1) return list->at(0);
    errors_.push_back(list->error("subtree must be a list of one element: Timeloop machines are chains"));
    return std::nullopt;
  }

  // One element of the chain; the next one below it.
  std::optional<YamlNode> node(const YamlNode& element) {
    MapReader reader(element, errors_);
    if (const auto name = reader.required_child("name"))
      if (const auto ranged = ranged_name(*name, errors_)) instances_ = limited(instances_, ranged->count, *name);
    if (const auto attributes = reader.child("attributes")) node_attributes(*attributes);
    const std::optional<YamlNode> local = reader.child("local");
    const std::optional<YamlNode> next = subtree(reader);
    reader.finish();
    if (machine_.compute) errors_.push_back(element.error("lies below the compute unit"));
    if (local && !local->is_null()) {
      if (!local->is_sequence()) errors_.push_back(local->error("must be a list of components"));
      for (std::size_t i = 0; local->is_sequence() && i < local->size(); ++i) component(local->at(i));
    }
    return next;
  }

  // Timeloop reads attributes of components only; what Accelergy inherits (a technology) does no harm.
  void node_attributes(const YamlNode& attributes) {
    AttributeReader reader(attributes, "the subtree", read_attributes(attributes, {}, errors_), {}, variables_,
                           errors_);
    reader.ignore({"technology", "has_power_gating", "global_cycle_seconds", "cycle_time", "voltage"});
    reader.refuse({"datawidth", "word_bits", "width", "depth", "block_size", "cluster_size", "entries", "meshX",
                   "meshY", "instances", "read_bandwidth", "write_bandwidth"},
                  "Timeloop reads this on components only, give it there");
    reader.finish();
  }

  u64 limited(u64 a, u64 b, const YamlNode& place) {
    if (a <= kMaxInstances / std::max<u64>(b, 1)) return a * b;
    errors_.push_back(place.error(fmt::format("more than {} instances", kMaxInstances)));
    return 1;
  }

  void component(const YamlNode& element) {
    MapReader reader(element, errors_);
    const std::optional<YamlNode> name = reader.required_child("name");
    const std::optional<std::string> class_name = reader.required_string("class");
    reader.ignore("subclass");
    reader.ignore("required_actions");
    const std::optional<YamlNode> attributes = reader.child("attributes");
    reader.finish();
    if (!name || !class_name) return;
    const std::optional<RangedName> ranged = ranged_name(*name, errors_);
    if (!ranged) return;
    TimeloopAttributes own;
    if (attributes) own = read_attributes(*attributes, {}, errors_);
    AttributeReader reading(element, ranged->name, std::move(own), {}, variables_, errors_);
    const u64 implied = limited(instances_, ranged->count, *name);
    switch (component_kind(*class_name)) {
      case ComponentKind::Storage: storage(reading, *class_name, implied); break;
      case ComponentKind::Compute: compute(reading, implied); break;
      case ComponentKind::Nothing: break;
      default: errors_.push_back(element.error(unsupported_class(*class_name)));
    }
  }

  void storage(AttributeReader& reading, const std::string& class_name, u64 implied) {
    TimeloopStorage storage = read_storage_attributes(reading, class_name);
    if (const auto found = read_instances(reading, implied)) {
      storage.level.instances = found->instances;
      storage.level.mesh_x = found->mesh_x;
    }
    reading.finish();
    machine_.storage.insert(machine_.storage.begin(), storage);
  }

  void compute(AttributeReader& reading, u64 implied) {
    if (machine_.compute) reading.error(fmt::format("{} is a second compute unit", reading.owner()));
    TimeloopCompute compute = read_compute_attributes(reading);
    if (const auto found = read_instances(reading, implied)) {
      compute.compute.instances = found->instances;
      compute.compute.mesh_x = found->mesh_x;
    }
    reading.finish();
    machine_.compute = compute;
  }

  const TimeloopAttributes& variables_;
  Diagnostics& errors_;
  TimeloopMachine machine_;
  u64 instances_ = 1;  // of the element being read
};

}  // namespace

TimeloopMachine read_tree_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                  Diagnostics& errors) {
  return TreeReader(variables, errors).read(architecture);
}

}  // namespace heliolite
