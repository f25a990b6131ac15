#pragma once
// The two little languages of Timeloop's mappings and constraints: factors ("C=1 K<=16", [R=3, P=1], "C1 K16",
// "P=4,2" with a residual) and permutations ("KCP", "NPQ RSC", "K, C", [K, C, P]), innermost first.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

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

}  // namespace heliolite
