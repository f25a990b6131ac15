#pragma once
// Machines as Timeloop's and Accelergy's files: what `timeloop_architecture.h` reads, and Timeloop itself.
#include <string>

#include "arch/architecture.h"
#include "arch/timeloop_form.h"
#include "engine/base/result.h"

namespace heliolite {

// The files of one machine; each is a whole YAML document.
struct TimeloopMachineFiles {
  std::string architecture;  // `architecture`, `variables`
  std::string constraints;   // "" when there are none
  std::string ert, art;      // energies and areas as numbers
  std::string components;    // v0.4: Accelergy classes that have these energies, for the front end; "" in v0.3
  Architecture machine;      // what they are read as
  Diagnostics notes;         // what the files do not say (timeloop_form.h, and names that only a workload can resolve)
};

// Read together, the files give the machine of timeloop_form(): same costs, and but for the notes the same mapspaces.
// Constraints that depend on the workload (classes of dimensions, lists of what is allowed, levels without loops) are
// errors where the version has no words for them; engine/space/named_constraints.h replaces them.
Result<TimeloopMachineFiles> write_timeloop_architecture(const Architecture& architecture, TimeloopVersion version);

// The constraints alone, of a machine in the version's form.
Result<std::string> write_timeloop_constraints(const Architecture& machine, TimeloopVersion version,
                                               Diagnostics& notes);

}  // namespace heliolite
