#pragma once
// Machines whose constraints name a dimension as other files do: K and M are both common for output channels.
#include <optional>

#include "arch/architecture.h"
#include "workloads/rename.h"

namespace heliolite {

// The renaming K=M or M=K by which the workload, a convolution, has all dimensions that the machine's constraints name;
// none if it has them, if another renaming could be meant as well, or if names would still be missing.
std::optional<Rename> fitting_rename(const Workload& workload, const Architecture& architecture);

// Carries it out for every layer that needs one, and notes what became of which name. A layer without output channels
// (a depthwise one) beside layers that have them gets the dimension that is missing, of size 1, which costs nothing.
void fit_names(Network& network, const Architecture& architecture);

}  // namespace heliolite
