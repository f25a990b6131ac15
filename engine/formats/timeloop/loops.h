#pragma once
// The little languages of Timeloop's mappings and constraints: factors ("C=1 K<=16", [R=3, P=1], "C1 K16"),
// permutations, and words that units take from each other.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// The two little languages of Timeloop's mappings and constraints: factors ("C=1 K<=16", [R=3, P=1], "C1 K16",
// "P=4,2" with a residual) and permutations ("KCP", "NPQ RSC", "K, C", [K, C, P]), innermost first.

// One factor.
struct FactorWord {
  std::string dimension;
  Relation relation = Relation::Equal;
  u64 value = 1;                // 0 with Equal: all of the dimension
  std::optional<u64> residual;  // 2 of "P=4,2"
  YamlNode place;
};

// Reads factors from a string or a list of strings. Complains about what is not a factor, values beyond 2^31 - 1, and a
// dimension given twice with the same relation.
std::vector<FactorWord> read_factors(const YamlNode& node, Diagnostics& errors);

// Reads dimension names, innermost first. In a string without commas every letter is a dimension, unless all its words
// are `known` names. Complains about a dimension given twice.
std::vector<std::string> read_permutation(const YamlNode& node, std::span<const std::string> known,
                                          Diagnostics& errors);

// Reads tensor names from a list or from one string; "*" becomes "all".
std::vector<std::string> read_tensors(const YamlNode& node, Diagnostics& errors);

// What Timeloop's files say of words that units take from each other, in its own spelling: link transfers, which it
// counts unless it is told not to, and the tensors that take none. The other readers and writers of this folder know
// them as the channel between peers (arch/architecture.h).

// The key of a spatial constraint or directive, and the type of a target, that lists the tensors without.
extern const std::string_view kTimeloopNoPeers;

// What is noted of a machine whose units take nothing from each other: no file says so.
extern const std::string_view kTimeloopHasPeers;

// Adds the tensors that such a list names and that are not there yet.
void add_timeloop_no_peers(const YamlNode& list, std::vector<std::string>& tensors, Diagnostics& errors);

// "no_link_transfer: [A, B]".
std::string timeloop_no_peers_text(const std::vector<std::string>& tensors);

}  // namespace heliolite
