// Reads machines as Timeloop v0.3 writes them: a tree of subtrees and local components.
#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "arch/check.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/component.h"

namespace heliolite {

// Reads machines in Timeloop's flat format: storage and arithmetic by name (component.h).

namespace {

// Opens a component whose map holds its attributes and its name. `name`: what it may leave out; "" if it may not.
AttributeReader open_component(const YamlNode& node, std::string name, const TimeloopAttributes& variables,
                               Diagnostics& errors) {
  if (const auto given = node.find("name"); given && given->is_scalar() && !given->text().empty()) {
    name = given->text();
  } else if (name.empty()) {
    name = "storage";
    errors.push_back(node.error("missing key 'name'"));
  }
  return AttributeReader(node, std::move(name), read_attributes(node, {"name"}, errors), {}, variables, errors);
}

// `component`: a level, or the compute units.
void set_instances(AttributeReader& reader, std::optional<u64> implied, auto& component) {
  const std::optional<Instances> found = read_instances(reader, implied);
  if (!found) return;
  component.instances = found->instances;
  component.mesh_x = found->mesh_x;
}

void read_compute(const YamlNode& node, const TimeloopAttributes& variables, TimeloopMachine& machine,
                  Diagnostics& errors) {
  if (!node.is_map()) {
    errors.push_back(node.error("must be a map {name, instances, meshX, word_bits}"));
    return;
  }
  AttributeReader reader = open_component(node, "MAC", variables, errors);
  TimeloopCompute compute = read_compute_attributes(reader);
  reader.ignore({"class", "subclass"});
  set_instances(reader, std::nullopt, compute.compute);
  reader.list_unread(machine.unread);
  machine.compute = compute;
}

void read_storage(const YamlNode& node, const TimeloopAttributes& variables, TimeloopMachine& machine,
                  Diagnostics& errors) {
  if (!node.is_map()) {
    errors.push_back(node.error("must be a storage {name, instances, entries, ..}"));
    return;
  }
  AttributeReader reader = open_component(node, "", variables, errors);
  const std::string class_name = reader.string({"class"}).value_or("storage");
  reader.ignore({"subclass"});
  TimeloopStorage storage = read_storage_attributes(reader, class_name);
  set_instances(reader, std::nullopt, storage.level);
  reader.list_unread(machine.unread);
  machine.storage.push_back(storage);
}

}  // namespace

TimeloopMachine read_flat_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                  Diagnostics& errors) {
  TimeloopMachine machine;
  MapReader reader(architecture, errors);
  for (const char* key : {"version", "name", "constraints"}) reader.ignore(key);
  const auto arithmetic = reader.required_child("arithmetic");
  const auto storage = reader.required_child("storage");
  reader.finish();
  if (arithmetic) read_compute(*arithmetic, variables, machine, errors);
  if (!storage) return machine;
  if (!storage->is_sequence()) {
    errors.push_back(storage->error("must be a list of storages, innermost first"));
    return machine;
  }
  for (std::size_t i = 0; i < storage->size(); ++i) read_storage(storage->at(i), variables, machine, errors);
  return machine;
}

namespace {

struct RangedName {
  std::string name;
  u64 count = 1;
};

// "PE[0..167]" is 168 times PE.
std::optional<RangedName> ranged_name(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos && !text.empty()) return RangedName{std::string(text), 1};
  const std::size_t dots = text.find("..", open);
  if (open == std::string_view::npos || open == 0 || dots == std::string_view::npos || text.back() != ']')
    return std::nullopt;
  const auto low = parse_number<u64>(text.substr(open + 1, dots - open - 1));
  const auto high = parse_number<u64>(text.substr(dots + 2, text.size() - dots - 3));
  if (!low || !high || *low > *high || *high - *low >= kMaxInstances) return std::nullopt;
  return RangedName{std::string(text.substr(0, open)), *high - *low + 1};
}

std::optional<RangedName> ranged_name(const YamlNode& node, Diagnostics& errors) {
  const std::optional<RangedName> ranged = ranged_name(std::string_view(node.text()));
  if (!ranged)
    errors.push_back(
        node.error(fmt::format("name = {}, must be a name, or one with a range such as PE[0..167]", node.text())));
  return ranged;
}

// The parts of "system.PE[0..3].RF[0..1]": system, PE[0..3], RF[0..1].
std::vector<std::string_view> path_parts(std::string_view path) {
  std::vector<std::string_view> parts;
  std::size_t first = 0;
  bool in_range = false;
  for (std::size_t at = 0; at <= path.size(); ++at) {
    if (at < path.size()) in_range = path[at] == '[' || (in_range && path[at] != ']');
    if (at < path.size() && (path[at] != '.' || in_range)) continue;
    parts.push_back(path.substr(first, at - first));
    first = at + 1;
  }
  return parts;
}

// Sizes that an element of the tree hands down in Accelergy, but not in Timeloop. The names of one size have its
// number.
struct SizeName {
  std::string_view name;
  int size;
  bool of_compute = false;  // compute units have it, too
};
constexpr SizeName kSizes[] = {{"word_bits", 0, true}, {"word_width", 0, true}, {"datawidth", 0, true},
                               {"width", 1},           {"memory_width", 1},     {"data_storage_width", 1},
                               {"depth", 2},           {"memory_depth", 2},     {"data_storage_depth", 2},
                               {"entries", 2},         {"sizeKB", 2},           {"block_size", 3},
                               {"n_words", 3},         {"cluster_size", 4},     {"meshX", 5, true},
                               {"meshY", 6, true},     {"instances", 7, true},  {"read_bandwidth", 8},
                               {"write_bandwidth", 9}};

bool states(const TimeloopAttributes& attributes, int size) {
  return std::ranges::any_of(kSizes, [&](const SizeName& s) { return s.size == size && attributes.contains(s.name); });
}

class TreeReader {
 public:
  TreeReader(const TimeloopAttributes& variables, Diagnostics& errors) : variables_(variables), errors_(errors) {}

  TimeloopMachine read(const YamlNode& architecture) {
    MapReader reader(architecture, errors_);
    if (const std::optional<YamlNode> version = reader.child("version")) is_dump_ = version->text() == "0.4";
    for (const char* key : {"name", "constraints"}) reader.ignore(key);
    if (architecture.has("local") && !architecture.has("subtree")) {
      flattened(*reader.child("local"));
      reader.finish();
    } else {
      std::optional<YamlNode> next = subtree(reader);
      reader.finish();
      while (next) next = node(*next);
    }
    if (!machine_.compute && !is_cut_)
      errors_.push_back(architecture.error("no compute unit (class mac, intmac, fpmac, compute)"));
    return std::move(machine_);
  }

 private:
  std::optional<YamlNode> subtree(MapReader& reader) {
    const std::optional<YamlNode> list = reader.child("subtree");
    if (!list || list->is_null()) return std::nullopt;
    if (list->is_sequence() && list->size() == 1) return list->at(0);
    errors_.push_back(list->error("subtree must be a list of one element: Timeloop machines are chains"));
    is_cut_ = true;
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

  // What Accelergy flattens: one list of components that bear their paths ("system.PE[0..3].RF"). Those of one element
  // stand together, outermost first; the elements may stand in any order, the deeper one is inside.
  void flattened(const YamlNode& list) {
    if (!list.is_sequence()) {
      errors_.push_back(list.error("must be a list of components"));
      return;
    }
    std::vector<std::pair<std::size_t, YamlNode>> by_depth;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::optional<YamlNode> name = list.at(i).find("name");
      by_depth.emplace_back(name ? path_parts(name->text()).size() : 0, list.at(i));
    }
    std::ranges::stable_sort(by_depth, {}, [](const auto& entry) { return entry.first; });
    for (const auto& [_, element] : by_depth) component(element);
  }

  // Timeloop reads attributes of components only: a size is harmless where all components inside state their own, and
  // what Accelergy inherits otherwise (a technology) changes no number here.
  void node_attributes(const YamlNode& attributes) {
    AttributeReader reader(attributes, "the subtree", read_attributes(attributes, {}, errors_), {}, variables_,
                           errors_);
    reader.ignore({"technology", "has_power_gating", "global_cycle_seconds", "cycle_seconds", "cycle_time", "voltage",
                   "latency", "version"});
    if (!machine_.cycle_seconds)
      machine_.cycle_seconds = cycle_seconds_in(read_attributes(attributes, {}, errors_), variables_, errors_);
    for (const SizeName& size : kSizes)
      if (const std::optional<YamlNode> value = reader.node({size.name})) handed_down_.push_back({size, *value});
    if (!is_dump_) reader.list_unread(machine_.unread);  // a dump lists all variables of its file here
  }

  u64 limited(u64 a, u64 b, const YamlNode& place) {
    if (a <= kMaxInstances / std::max<u64>(b, 1)) return a * b;
    errors_.push_back(place.error(fmt::format("more than {} instances", kMaxInstances)));
    return 1;
  }

  // The component's own name, and how many there are.
  std::optional<RangedName> place_in_machine(const YamlNode& name) {
    RangedName found{"", instances_};
    for (const std::string_view part : path_parts(name.text())) {
      const std::optional<RangedName> ranged = ranged_name(part);
      if (!ranged) return ranged_name(name, errors_);
      found = {ranged->name, limited(found.count, ranged->count, name)};
    }
    return found;
  }

  void component(const YamlNode& element) {
    MapReader reader(element, errors_);
    const std::optional<YamlNode> name = reader.required_child("name");
    const std::optional<std::string> class_name = reader.required_string("class");
    for (const char* key : {"subclass", "required_actions", "area_share", "area_scale"}) reader.ignore(key);
    const bool enabled = reader.boolean("enabled").value_or(true);
    const std::optional<YamlNode> attributes = reader.child("attributes");
    reader.finish();
    if (!name || !class_name || !enabled) return;
    const std::optional<RangedName> place = place_in_machine(*name);
    if (!place) return;
    TimeloopAttributes own;
    if (attributes) own = read_attributes(*attributes, {}, errors_);
    const ComponentKind kind = component_kind(*class_name);
    check_handed_down(own, place->name, kind);
    AttributeReader reading(element, place->name, std::move(own), {}, variables_, errors_);
    switch (kind) {
      case ComponentKind::Storage: storage(reading, *class_name, place->count); break;
      case ComponentKind::Compute: compute(reading, place->count); break;
      case ComponentKind::Network: machine_.networks.push_back(read_network_component(reading)); break;
      default: may_pass_over(reading, *class_name, errors_);
    }
  }

  // A size of an element around a component that states none: Accelergy would take it, Timeloop would not.
  void check_handed_down(const TimeloopAttributes& own, const std::string& name, ComponentKind kind) {
    if (kind != ComponentKind::Storage && kind != ComponentKind::Compute) return;
    std::erase_if(handed_down_, [&](const auto& entry) {
      const auto& [size, value] = entry;
      if (states(own, size.size) || (kind == ComponentKind::Compute && !size.of_compute)) return false;
      errors_.push_back(value.error(
          fmt::format("{} = {} of the subtree: Timeloop reads this on components only, and {} has none of its own; "
                      "give it there",
                      size.name, value.text(), name)));
      return true;
    });
  }

  void storage(AttributeReader& reading, const std::string& class_name, u64 implied) {
    TimeloopStorage storage = read_storage_attributes(reading, class_name);
    set_instances(reading, implied, storage.level);
    reading.list_unread(machine_.unread);
    machine_.storage.insert(machine_.storage.begin(), storage);
  }

  void compute(AttributeReader& reading, u64 implied) {
    if (machine_.compute) reading.error(fmt::format("{} is a second compute unit", reading.owner()));
    TimeloopCompute compute = read_compute_attributes(reading);
    set_instances(reading, implied, compute.compute);
    reading.list_unread(machine_.unread);
    machine_.compute = compute;
  }

  const TimeloopAttributes& variables_;
  Diagnostics& errors_;
  TimeloopMachine machine_;
  std::vector<std::pair<SizeName, YamlNode>> handed_down_;  // by the elements around what is being read
  u64 instances_ = 1;                                       // of the element being read
  bool is_cut_ = false;                                     // not all of the tree is read
  bool is_dump_ = false;                                    // of a file of version 0.4
};

}  // namespace

TimeloopMachine read_tree_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                  Diagnostics& errors) {
  return TreeReader(variables, errors).read(architecture);
}

}  // namespace heliolite
