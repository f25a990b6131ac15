#pragma once
// The directives of a Timeloop mapping file, one by one: what each says of the loops and tensors of a level, before the
// loops are put together (timeloop_mapping.h).
#include <array>
#include <optional>
#include <vector>

#include "arch/architecture.h"
#include "arch/timeloop_loops.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

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
  std::array<TensorMask, kMaxLevels> unlinked{};  // [level]: tensors of no_link_transfer
};

// Reads a list of directives. What is wrong is added to `errors`: unknown targets, dimensions and tensors (with
// suggestions), directives given twice, what a fan-out cannot have.
TimeloopDirectives read_timeloop_directives(const YamlNode& list, const Workload& workload,
                                            const Architecture& architecture, Diagnostics& errors);

}  // namespace heliolite
