// Reads machines in Timeloop's flat format: storage and arithmetic by name (timeloop_component.h).
#include <fmt/format.h>

#include <string>
#include <utility>

#include "arch/timeloop_formats.h"

namespace heliolite {
namespace {

// The attributes stand beside the name here. `name`: what a component may leave out; "" if it may not.
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

void read_compute(const YamlNode& node, const TimeloopAttributes& variables, TimeloopMachine& machine,
                  Diagnostics& errors) {
  if (!node.is_map()) {
    errors.push_back(node.error("must be a map {name, instances, meshX, word_bits}"));
    return;
  }
  AttributeReader reader = open_component(node, "MAC", variables, errors);
  TimeloopCompute compute = read_compute_attributes(reader);
  reader.ignore({"class", "subclass"});
  if (const auto found = read_instances(reader, std::nullopt)) {
    compute.compute.instances = found->instances;
    compute.compute.mesh_x = found->mesh_x;
  }
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
  if (const auto found = read_instances(reader, std::nullopt)) {
    storage.level.instances = found->instances;
    storage.level.mesh_x = found->mesh_x;
  }
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

}  // namespace heliolite
