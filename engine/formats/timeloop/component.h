#pragma once
// The components of a Timeloop machine, which its three formats share: what their attributes mean, and how a chain of
// them becomes an Architecture.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "arch/cost_resolver.h"
#include "arch/reference_tables.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/timeloop/attributes.h"
#include "engine/formats/timeloop/constraints.h"

namespace heliolite {

// A storage component of a Timeloop file.
struct TimeloopStorage {
  StorageLevel level;                  // energies are not set yet
  std::optional<double> user_pj;       // vector_access_energy
  bool holds_nothing = false;          // 0 words: every tensor passes by
  bool free_of_charge = false;         // a fan-out without a memory: no access costs anything
  std::optional<double> energy_scale;  // Accelergy's, when not 1
  std::string power_gated_at;          // the storage that it is switched off with; empty: itself
  std::vector<YamlNode> networks;      // names of components: network_read, ..
  YamlNode place;
};

// A network component, which costs something only where a storage names it.
struct TimeloopNetwork {
  std::string name;
  std::string price;  // an attribute that gives it an energy or a latency, with its value; empty: none does
};

// The compute component of a Timeloop file.
struct TimeloopCompute {
  Compute compute;                     // its energy is not set yet
  std::optional<double> user_pj;       // of one operation, as the file states it
  std::optional<double> energy_scale;  // Accelergy's, when not 1
  YamlNode place;
};

// A chain of storages, innermost first, over one array of compute units.
struct TimeloopMachine {
  std::vector<TimeloopStorage> storage;
  std::optional<TimeloopCompute> compute;
  std::vector<TimeloopNetwork> networks;
  std::vector<std::string> without_fanout;  // nodes of v0.4 that make no copies
  UnreadAttributes unread;                  // of all components and of what is around them
  std::optional<double> cycle_seconds;      // global_cycle_seconds of the outermost container that has it
};

// What a component of this class is. The class may be any name that contains one of Timeloop's (smartbuffer_SRAM).
enum class ComponentKind : u8 { Storage, Compute, Network, Nothing, Unknown };
ComponentKind component_kind(std::string_view class_name);

// Whether Timeloop passes over a component that is neither storage nor compute unit, so that no number depends on it: a
// network (see check_networks), wires, adders and the like. Complains about a class that is unknown but has a capacity:
// that is a memory, which Timeloop would drop.
bool may_pass_over(const AttributeReader& component, std::string_view class_name, Diagnostics& errors);

// A component of a network's class.
TimeloopNetwork read_network_component(AttributeReader& reader);

// Accelergy's clock period, of attributes or variables that state it; nothing after complaining.
std::optional<double> cycle_seconds_in(const TimeloopAttributes& attributes, const TimeloopAttributes& variables,
                                       Diagnostics& errors);

// Read capacity, width, bandwidths and energies, but neither instances nor mesh. What is unread is left to the caller.
TimeloopStorage read_storage_attributes(AttributeReader& reader, std::string_view class_name);
TimeloopCompute read_compute_attributes(AttributeReader& reader);

// Reads the energies of the network below a level.
NetworkEnergy read_network_energy(AttributeReader& reader);

// Reads instances, meshX and meshY, of which two give the third; instances alone are all along X. `implied`: the number
// of instances when the file gives none. Returns nothing after complaining.
struct Instances {
  u64 instances = 1;
  u64 mesh_x = 1;  // instances along X
};
std::optional<Instances> read_instances(AttributeReader& reader, std::optional<u64> implied);

// Where the energies of a machine come from, and what was taken where nothing states them.
struct TimeloopCosts {
  std::vector<CostSources> levels;  // innermost first
  CostSources compute;
  std::vector<std::string> notes;
};

// Turns the chain into levels and compute units of `architecture`: fan-outs follow from the meshes (docs/cost_model.md,
// rule 1), energies from vector_access_energy, else the ERT, else the built-in table (rule 22), which a note says.
// Complains about meshes that do not divide.
TimeloopCosts finish_machine(const TimeloopMachine& machine, const EnergyReferenceTable& ert,
                             Architecture& architecture, Diagnostics& errors);

// Networks that storages name cost what their component or the ERT says. Complains where that is anything: only the
// energies of the storage's own network are modelled. A note names those that cost nothing.
void check_networks(const TimeloopMachine& machine, const EnergyReferenceTable& ert, std::vector<std::string>& notes,
                    Diagnostics& errors);

// The three ways Timeloop files describe a machine; all give the same chain of components.

// The flat format: `arithmetic` and `storage`, the latter innermost first.
TimeloopMachine read_flat_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                  Diagnostics& errors);

// v0.2 and v0.3: nested `subtree`s with `local` components; names with ranges ("PE[0..167]") count instances.
TimeloopMachine read_tree_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                  Diagnostics& errors);

// v0.4: `nodes`, outermost first, told apart by tags. Where two fan-outs follow each other without a memory between
// them, the outer one ends at a level that keeps nothing, has no loops and costs nothing ("inter_PE_spatial").
TimeloopMachine read_nodes_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                   const KeepTargets& keeps, Diagnostics& errors);

}  // namespace heliolite
