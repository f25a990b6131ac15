#pragma once
// Accelergy's energy and area reference tables (ERT, ART; versions 0.2 to 0.4): pJ per access of a whole block and
// leak in pJ per cycle, um2, of one instance.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// Components go by the last part of their path, without a range: "system.PE[0..15].RF" is "RF". An action given
// with several sets of arguments costs the most of them.
struct EnergyReferenceTable {
  std::map<std::string, std::map<std::string, double>> components;  // component -> action -> pJ
};

struct AreaReferenceTable {
  std::map<std::string, double> components;  // component -> um2
};

// Read a table from `node`: the value of an `ERT` (`ART`) key, or a map that has this key. Errors: summaries (their
// averages are not the table), missing or negative numbers, unknown keys.
Result<EnergyReferenceTable> read_ert(const YamlNode& node);
Result<AreaReferenceTable> read_art(const YamlNode& node);

// The energies of a storage level.
struct TableEnergy {
  AccessEnergy access;
  double leak_pj_per_cycle = 0;
  std::vector<std::string> without_action;  // "read", "fill", "update": which cost the dearest action
};

// The energies of the storage level `name`; nothing if the table does not have it. By Timeloop's rules a read costs the
// action random_read or read; a fill random_fill, random_write, fill or write; an update random_update, random_write,
// update or write; an operation that the table does not have the component's dearest action, shared by the cluster.
std::optional<TableEnergy> storage_energy(const EnergyReferenceTable& table, const std::string& name, u64 cluster_size);

// One operation of the compute unit `name`: mac_random, mult_random, mac, mult or compute, else the dearest action.
struct ComputeEnergy {
  double op_pj = 0;
  bool has_action = true;  // false: the dearest one
};
std::optional<ComputeEnergy> compute_energy(const EnergyReferenceTable& table, const std::string& name);

// Collects what is priced at its component's dearest action, for a note.
class DearestActions {
 public:
  void add(const std::string& component, const TableEnergy& energy);
  void add(const std::string& component, const ComputeEnergy& energy);
  // A sentence for all components that lack the same actions.
  std::vector<std::string> notes() const;

 private:
  std::map<std::string, std::vector<std::string>> components_;  // [what they have no action for]
};

// Set the energies (areas) of every level and compute unit that the table names, and leave the others alone. Error if
// the table names none of them.
Diagnostics apply_ert(const EnergyReferenceTable& table, Architecture& architecture);
Diagnostics apply_art(const AreaReferenceTable& table, Architecture& architecture);

}  // namespace heliolite
