#pragma once
// The branches of a !Parallel in Timeloop v0.4 files: a chain in which each branch's tensors pass by the others.
#include <span>
#include <string>
#include <vector>

#include "arch/timeloop_component.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// The storages of one branch, by their places in the machine, and the tensors that it keeps.
struct TimeloopBranch {
  std::size_t first = 0;
  std::size_t last = 0;  // behind the branch
  std::vector<std::string> kept;
};

// Adds each branch's tensors to what the storages of the others bypass. Complains, at `parallel`, about a tensor that
// two branches keep.
void pass_by_branches(const std::vector<TimeloopBranch>& branches, std::span<TimeloopStorage> storage,
                      const YamlNode& parallel, Diagnostics& errors);

}  // namespace heliolite
