#include "arch/reference_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "arch/check.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/base/types.h"

namespace heliolite {
namespace {

// The component of a dotted path: its last part, without a range.
std::string last_component(std::string_view path) {
  // A dot of a range "[0..15]" does not separate.
  std::size_t begin = 0;
  int brackets = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '[') ++brackets;
    if (path[i] == ']') --brackets;
    if (path[i] == '.' && brackets == 0) begin = i + 1;
  }
  const std::string_view last = path.substr(begin);
  return std::string(trim(last.substr(0, last.find('['))));
}

// The table itself, wherever the caller found it; complains about summaries.
std::optional<YamlNode> table_of(const YamlNode& node, const std::string& key, Diagnostics& errors) {
  const std::string summary = key + "_summary";
  const YamlNode table = node.find(key).value_or(node);
  for (const YamlNode& place : {node, table}) {
    for (const std::string& word : {summary, std::string("table_summary")}) {
      if (const auto found = place.find(word)) {
        errors.push_back(
            found->error(fmt::format("'{}' is a summary for reading; give the {} file itself", word, key)));
        return std::nullopt;
      }
    }
  }
  return table;
}

// One `{name, arguments, energy}`, or `{arguments, energy}` of version 0.2.
void read_action(const YamlNode& node, std::string name, std::map<std::string, double>& actions, Diagnostics& errors) {
  MapReader reader(node, errors);
  if (name.empty()) name = reader.required_string("name").value_or("");
  reader.ignore("arguments");
  const std::optional<double> energy = reader.required_number("energy", 0, kMaxAccessPicojoules);
  reader.finish();
  if (!energy || name.empty()) return;
  const auto [it, is_new] = actions.emplace(name, *energy);
  if (!is_new) it->second = std::max(it->second, *energy);
}

// `actions` of version 0.2: a map from the action to its energy or to a list of them.
void read_action_map(const YamlNode& node, std::map<std::string, double>& actions, Diagnostics& errors) {
  if (!node.is_map()) {
    errors.push_back(node.error("must be a map from actions to energies"));
    return;
  }
  for (const std::string& name : node.keys()) {
    const YamlNode value = *node.find(name);
    if (value.is_sequence()) {
      for (std::size_t i = 0; i < value.size(); ++i) read_action(value.at(i), name, actions, errors);
    } else {
      read_action(value, name, actions, errors);
    }
  }
}

void read_energy_component(const YamlNode& node, EnergyReferenceTable& table, Diagnostics& errors) {
  MapReader reader(node, errors);
  const std::optional<std::string> name = reader.required_string("name");
  const std::optional<YamlNode> actions = reader.required_child("actions");
  reader.ignore("primitive_estimation(s)");
  reader.ignore("primitive_estimations");
  reader.finish();
  if (!name || !actions) return;
  auto& entry = table.components[last_component(*name)];
  if (actions->is_map()) {
    read_action_map(*actions, entry, errors);
  } else if (actions->is_sequence()) {
    for (std::size_t i = 0; i < actions->size(); ++i) read_action(actions->at(i), "", entry, errors);
  } else {
    errors.push_back(actions->error("must be a list of {name, arguments, energy}"));
  }
}

void read_area_component(const YamlNode& node, AreaReferenceTable& table, Diagnostics& errors) {
  MapReader reader(node, errors);
  const std::optional<std::string> name = reader.required_string("name");
  const std::optional<double> area = reader.required_number("area", 0, kMaxAreaUm2);
  reader.ignore("primitive_estimations");
  reader.ignore("primitive_estimation(s)");
  reader.finish();
  if (name && area) table.components[last_component(*name)] = *area;
}

// `tables` is a list of components, or (0.2) a map from their names.
template <class ReadEntry, class ReadNamed>
void read_tables(const YamlNode& node, const std::string& key, Diagnostics& errors, ReadEntry read_entry,
                 ReadNamed read_named) {
  const std::optional<YamlNode> table = table_of(node, key, errors);
  if (!table) return;
  MapReader reader(*table, errors);
  reader.choice("version", {"0.2", "0.3", "0.4"});
  const std::optional<YamlNode> tables = reader.required_child("tables");
  reader.finish();
  if (!tables) return;
  if (tables->is_sequence()) {
    for (std::size_t i = 0; i < tables->size(); ++i) read_entry(tables->at(i));
  } else if (tables->is_map()) {
    for (const std::string& name : tables->keys()) read_named(last_component(name), *tables->find(name));
  } else {
    errors.push_back(tables->error("must be a list of components"));
  }
}

// The first of these actions the component has; else its dearest one over `share`, and `found` is false.
double pick(const std::map<std::string, double>& actions, std::initializer_list<const char*> names, double share,
            bool& found) {
  found = true;
  for (const char* name : names)
    if (const auto it = actions.find(name); it != actions.end()) return it->second;
  found = false;
  double most = 0;
  for (const auto& [_, pj] : actions) most = std::max(most, pj);
  return most / share;
}

template <class Table>
Diagnostics none_named(const Table& table, const Architecture& architecture) {
  const std::vector<std::string> there = keys_of(table.components);
  std::vector<std::string> wanted = names_of(architecture.levels);
  wanted.push_back(architecture.compute.name);
  Diagnostic error;
  error.message = fmt::format("the table names {}, but none of the machine's {}",
                              there.empty() ? std::string("nothing") : join(there), join(wanted));
  return {error};
}

}  // namespace

Result<EnergyReferenceTable> read_ert(const YamlNode& node) {
  Diagnostics errors;
  EnergyReferenceTable table;
  read_tables(
      node, "ERT", errors, [&](const YamlNode& entry) { read_energy_component(entry, table, errors); },
      [&](const std::string& name, const YamlNode& actions) {
        read_action_map(actions, table.components[name], errors);
      });
  if (!errors.empty()) return errors;
  return table;
}

Result<AreaReferenceTable> read_art(const YamlNode& node) {
  Diagnostics errors;
  AreaReferenceTable table;
  read_tables(
      node, "ART", errors, [&](const YamlNode& entry) { read_area_component(entry, table, errors); },
      [&](const std::string& name, const YamlNode& value) {
        const std::optional<double> area =
            value.is_map() && value.has("area") ? value.find("area")->as_number() : value.as_number();
        if (area && *area >= 0 && *area <= kMaxAreaUm2) table.components[name] = *area;
        else errors.push_back(value.error(fmt::format("area must be a number from 0 to {}", kMaxAreaUm2)));
      });
  if (!errors.empty()) return errors;
  return table;
}

std::optional<TableEnergy> storage_energy(const EnergyReferenceTable& table, const std::string& name,
                                          u64 cluster_size) {
  const auto it = table.components.find(name);
  if (it == table.components.end() || it->second.empty()) return std::nullopt;
  const auto& actions = it->second;
  const double share = static_cast<double>(cluster_size);
  TableEnergy energy;
  const auto priced = [&](const char* operation, std::initializer_list<const char*> names) {
    bool found = false;
    const double pj = pick(actions, names, share, found);
    if (!found) energy.without_action.emplace_back(operation);
    return pj;
  };
  energy.access.read_pj = priced("read", {"random_read", "read"});
  energy.access.fill_pj = priced("fill", {"random_fill", "random_write", "fill", "write"});
  energy.access.update_pj = priced("update", {"random_update", "random_write", "update", "write"});
  if (const auto leak = actions.find("leak"); leak != actions.end()) energy.leak_pj_per_cycle = leak->second;
  return energy;
}

std::optional<ComputeEnergy> compute_energy(const EnergyReferenceTable& table, const std::string& name) {
  const auto it = table.components.find(name);
  if (it == table.components.end() || it->second.empty()) return std::nullopt;
  ComputeEnergy energy;
  energy.op_pj = pick(it->second, {"mac_random", "mult_random", "mac", "mult", "compute"}, 1, energy.has_action);
  return energy;
}

void DearestActions::add(const std::string& component, const TableEnergy& energy) {
  if (!energy.without_action.empty()) components_[join(energy.without_action)].push_back(component);
}

void DearestActions::add(const std::string& component, const ComputeEnergy& energy) {
  if (!energy.has_action) components_["an operation"].push_back(component);
}

std::vector<std::string> DearestActions::notes() const {
  return mapped(components_, [](const auto& lacking) {
    return fmt::format("the ERT has no action for {} of {}: the dearest action that it has is taken, as Timeloop does",
                       lacking.first, join(lacking.second));
  });
}

Diagnostics apply_ert(const EnergyReferenceTable& table, Architecture& architecture) {
  bool any = false;
  for (StorageLevel& level : architecture.levels) {
    const std::optional<TableEnergy> energy = storage_energy(table, level.name, level.cluster_size);
    if (!energy) continue;
    level.energy = energy->access;
    level.leak_pj_per_cycle = energy->leak_pj_per_cycle;
    any = true;
  }
  if (const std::optional<ComputeEnergy> energy = compute_energy(table, architecture.compute.name)) {
    architecture.compute.op_pj = energy->op_pj;
    any = true;
  }
  return any ? Diagnostics{} : none_named(table, architecture);
}

Diagnostics apply_art(const AreaReferenceTable& table, Architecture& architecture) {
  bool any = false;
  const auto area = [&](const std::string& name, double& um2) {
    const auto it = table.components.find(name);
    if (it == table.components.end()) return;
    um2 = it->second;
    any = true;
  };
  for (StorageLevel& level : architecture.levels) area(level.name, level.area_um2);
  area(architecture.compute.name, architecture.compute.area_um2);
  return any ? Diagnostics{} : none_named(table, architecture);
}

}  // namespace heliolite
