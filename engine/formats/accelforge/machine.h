#pragma once
// AccelForge's architectures as machines (docs/formats_accelforge.md): its nodes, outermost first, become levels, and
// its sizes and prices, which are of bits, those of words.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/accelforge/expression.h"
#include "engine/inputs/read_options.h"

namespace heliolite::accelforge {

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

}  // namespace heliolite::accelforge
