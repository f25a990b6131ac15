#pragma once
// The nodes of an AccelForge architecture from the outermost memory to the compute unit that runs an Einsum, with their
// numbers as the file has them: bits, seconds, J, m2.
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/operation.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/accelforge/expression.h"
#include "engine/formats/accelforge/files.h"

namespace heliolite::accelforge {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// One dimension of a fan-out.
struct FanoutAxis {
  std::string name;
  u64 size = 1;
  std::vector<std::string> constraint;  // what may go there: selectors of dimensions; none: all
  bool constrained = false;
};

struct PartAction {
  double energy = 0, throughput = kNoLimit, bits = 1;
  bool has_energy = false;
};

// A node on the way from the outermost memory to the compute unit.
struct MachinePart {
  YamlNode node;
  std::string name, kind;          // "!Memory"
  std::vector<FanoutAxis> fanout;  // above it
  std::map<std::string, PartAction> actions;
  std::optional<std::string> component_class;
  double size = kNoLimit, leak = 0, area = 0, scale = 1;  // of its values' bits
  bool has_leak = false, has_area = false, table = false;
  NameSet keep, may_keep;
  std::string total_latency, direction;
};

struct MachineParts {
  std::vector<MachinePart> parts;  // outermost first; the last is the compute unit
  ExpressionScope scope;           // what names stand for in their expressions
  double technology_nm = 0;        // 0: not stated
  double compute_units = 1;
  double compute_leak_watts = 0;                                      // of all compute units
  std::map<std::pair<std::string, std::string>, double> action_bits;  // as MachineText has them
  std::vector<std::string> notes;
};

// The way to one of several compute units.
struct UnitParts {
  MachineParts way;
  OperationMask runs = kAllOperations;  // products: Einsums of three tensors; others: those of two
};

// Reads the ways to compute units: that of the unit that runs Einsums of the kind, the last in the file, comes first;
// with EinsumKind::every_unit those of all others follow in the file's order. Arguments and errors are those of
// machine_text().
Result<std::vector<UnitParts>> read_unit_parts(const YamlNode& root, const EinsumKind& kind,
                                               const ActionPrices& prices);

// [role of a tensor there, its selector here].
const std::vector<std::pair<std::string, std::string>>& roles();

inline constexpr std::size_t kMaxNodesOfWay = 100;

// The compute units in the file's order. Errors: branches nested deeper than 16, or with power gating.
std::vector<YamlNode> find_units(const YamlNode& nodes, Diagnostics& errors);

// Adds the nodes on the way to a compute unit, which is the last. False: it is not among them, or there are too many.
bool nodes_to(const YamlNode& nodes, const YamlNode& unit, std::vector<YamlNode>& out);

// Whether the node itself, at its place in the file, is in the list.
bool has_node(const std::vector<YamlNode>& list, const YamlNode& node);

std::string name_of_node(const YamlNode& node);

// What is said of nodes that no way to these units has.
std::vector<std::string> nodes_left_out(const YamlNode& nodes, const std::vector<YamlNode>& units);

}  // namespace heliolite::accelforge
