#pragma once
// The directives of a Timeloop mapping file, one by one: what each says of the loops and tensors of a level, before the
// loops are put together (mapping.h).
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/timeloop/loops.h"
#include "workloads/workload.h"

namespace heliolite {

// What a directive of a Timeloop mapping, or a heading of a nest that Timeloop prints, is about: a level, or the
// fan-out below one.

struct MappingTarget {
  std::size_t level = 0;
  // Named is what fans out below the level (the container "PE", or "inter_PE_spatial"): it has spatial loops, but no
  // temporal ones, and it holds nothing. Timeloop gives it a level of its own, and a line of each type in its files.
  bool is_fanout = false;
};

// Finds a level by its name or number (innermost = 0), or a fan-out by its owner's name, which goes first when the
// directive is spatial: in v0.4 the owner may bear the name of the component below.
std::optional<MappingTarget> find_mapping_target(std::string_view target, bool is_spatial,
                                                 const Architecture& architecture);

// What may be named: "A, B or C", and a suggestion for a `target` that is not found.
std::string allowed_mapping_targets(std::string_view target, const Architecture& architecture);

// What one temporal or spatial directive says, by dimension.
struct NestDirective {
  std::optional<YamlNode> place;
  std::array<FactorWord, kMaxDimensions> factor{};
  std::vector<int> order;  // innermost first, every dimension
  std::size_t split = 0;   // of a spatial one: the first `split` of the order are X
};

// All directives of a file.
struct TimeloopDirectives {
  std::vector<NestDirective> temporal;  // [level]
  std::vector<NestDirective> spatial;   // [level]: of the fan-out below it
  std::vector<TensorMask> keep;         // [level]: without a directive what the machine does not make it bypass
  std::array<TensorMask, kMaxLevels> no_peers{};  // [level]: tensors that peers do not pass on
};

// Reads a list of directives. What is wrong is added to `errors`: unknown targets, dimensions and tensors (with
// suggestions), directives given twice, what a fan-out cannot have.
TimeloopDirectives read_timeloop_directives(const YamlNode& list, const Workload& workload,
                                            const Architecture& architecture, Diagnostics& errors);

}  // namespace heliolite
