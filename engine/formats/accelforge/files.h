#pragma once
// AccelForge's files (docs/formats_accelforge.md), read and written: architectures as machines, cascades of Einsums as
// networks, LoopTrees as mappings of one layer or as schedules.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/inputs/read_options.h"
#include "engine/model/mapping.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite::accelforge {

// AccelForge's architectures as machines (docs/formats_accelforge.md): its nodes, outermost first, become levels, and
// its sizes and prices, which are of bits, those of words.

// The Einsum that a machine is read for: which components there are, what they keep and how much fits may depend on it.
struct EinsumKind {
  std::map<std::string, WordLength> bits{
      {"input", 8}, {"output", 8}, {"weight", 8}};  // [tensor by its role]: of a value
  bool assumed = true;                              // the sizes are no Einsum's: what depends on them is noted
  // Seconds of a cycle, those of another kind's machine; 0: of this kind's compute unit. A unit that is a whole number
  // of times as fast has as many lanes.
  double cycle_seconds = 0;
  bool every_unit = false;  // the compute units of other Einsums, too, as units of the machine
};

// What component models say, where a file states nothing: J of an action (its name); W of all instances ("leak"); bits
// a second of the outermost memory ("rate"); s of one computation ("seconds").
using ActionPrices = std::map<std::pair<std::string, std::string>, double>;  // [component, "read"]

// A machine as text in our own format, with what of its file is read otherwise than it is written.
struct MachineText {
  std::string text;
  std::vector<std::string> notes;
  double joules_per_pj = 1e-12;  // of the file, in a pJ of the text
  double cycle_seconds = 1e-9;
  u64 compute_units = 1;
  std::map<std::pair<std::string, std::string>, double> action_bits;  // of what values have elsewhere
};

// With `prices` what the file does not state is theirs, or nothing. Errors, each with file, line and field: nodes
// and keys that are not understood or have no counterpart, components without energies.
Result<MachineText> machine_text(const YamlNode& root, const std::string& name, const EinsumKind& kind = {},
                                 const ActionPrices& prices = {});

// Einsums of the sizes of words that a user states (--word-bits), on every unit.
EinsumKind einsum_kind(const WordBits& sizes);

// AccelForge's workloads, cascades of Einsums, as networks: a layer for each Einsum, called like it or like what it
// makes, with its rank variables as dimensions and its tensors by their names (docs/formats_accelforge.md).

// The network. Copies are left out, which moves nothing: who reads a copy reads what was copied. Errors: those of
// read_cascade(), and what no workload of ours can be. With `on_edges` Einsums of one operand, of the same shape, are
// what lies on the way to their readers, and no layers.
Result<Network> read_workload(const YamlNode& root, const std::string& name, bool on_edges = false);

// The options with what stands behind '@', "BATCH_SIZE=1,DECODE=False", as names that templates know. Errors: no
// NAME=VALUE.
Result<ReadOptions> with_parameters(const ReadOptions& options, const std::optional<std::string>& parameters,
                                    const std::string& file);

// AccelForge's mappings, trees of loops and storage nodes (LoopTree), as mappings of one layer or as schedules of
// networks whose layers are fused (docs/formats_accelforge.md).

// Einsums that the tree computes.
std::size_t count_einsums(const YamlNode& root);

// The compute unit that the tree has the Einsum run on; nothing: it names none, or the Einsum is not there.
std::optional<YamlNode> named_unit(const YamlNode& root, const std::string& einsum);

// The mapping of one layer, as text of our own format. Errors, each with file, line and field: nodes that are not
// understood or have no counterpart, names that machine and layer do not have, tiles that do not divide, and loops
// above several Einsums.
Result<std::string> mapping_text(const YamlNode& root, const Workload& workload, const Architecture& machine);

// The schedule of a network, as text of our own format (docs/formats_schedule.md). Errors: as above; layers that the
// tree does not compute; fusing in more than one memory, or inside a fan-out.
Result<std::string> schedule_text(const YamlNode& root, const Network& network, const Architecture& machine);

struct WrittenText {
  std::string text;
  Diagnostics notes;  // what the format does not say
};

// The machine. Errors: what AccelForge's files have no words for, and would change a number.
Result<WrittenText> write_machine(const Architecture& machine);

// What the fan-out below a level is called there; `unit`: on the way to a further compute unit.
std::string fanout_name(const std::string& level, const std::string& unit = "");

// The network, each layer an Einsum. `unstated`: bits of values whose layer states no size. Errors: names of layers
// that differ in other characters than letters and digits only, sizes that nobody states.
Result<WrittenText> write_workload(const Network& network, std::optional<WordLength> unstated);

// The mapping of one layer of the network that write_workload() wrote, on the chain of a compute unit. Errors: factors
// that do not divide.
Result<WrittenText> write_mapping(const Mapping& mapping, const Network& network, std::size_t layer,
                                  const Architecture& machine, std::size_t unit = 0);

}  // namespace heliolite::accelforge
