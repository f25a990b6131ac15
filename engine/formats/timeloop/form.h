#pragma once
// A machine as a version of Timeloop's files can say it: every fan-out has an owner of its own, what the files have no
// words for is named, and for one workload the constraints name its tensors and dimensions.
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "workloads/workload.h"

namespace heliolite {

// Which of Timeloop's formats is written.
enum class TimeloopVersion : u8 {
  V03,  // a tree of subtrees and components, read by Timeloop itself
  V04,  // a list of nodes, read by Timeloop's Python front end
};

inline std::string_view name(TimeloopVersion version) { return version == TimeloopVersion::V03 ? "0.3" : "0.4"; }

// The variable that is 0 in a written machine whose clock is there for Accelergy only.
inline constexpr std::string_view kClockIsKnown = "clock_is_known";

// The version in whose words a mapping is written for a machine as it was read: 0.4 if it is of nodes, else 0.3.
TimeloopVersion version_of(const Architecture& architecture);

struct TimeloopForm {
  Architecture machine;  // costs what the original does, counted as Timeloop counts
  Diagnostics notes;     // what of the mapspace or of the texts the files do not say, what Timeloop counts otherwise
};

// Leaves out what a machine may count and Timeloop does not: leakage of idle instances, reads of outputs that go
// outwards, ramps, cycles without rounding.
void count_as_timeloop(Architecture& machine);

// In v0.4 every level with a fan-out has a `fanout_name`, the container's, which is no level's; in v0.3 none has one.
// Roles become the names that tensors have in Timeloop's own layers, unless a workload's follow (`has_workload`).
// Errors, each naming the level: what would change a cost.
Result<TimeloopForm> timeloop_form(const Architecture& architecture, TimeloopVersion version,
                                   bool has_workload = false);

// Whether a level is nothing but a second fan-out below a storage, which v0.4 files write as a container and their
// readers turn into this level again ("inter_PE_spatial"). `index` of a machine in the form of v0.4.
bool is_bare_fanout(const Architecture& architecture, int index);

// Whether the network of the level to the one below costs anything.
bool has_energy(const NetworkEnergy& network);

// The machine in Timeloop's form (engine/formats/timeloop/form.h) with constraints for this workload. What a level
// keeps is named tensor by tensor; dimensions that may have no loop get the factor 1; what two axes may take becomes a
// permutation with a split where they take different dimensions. Notes say where the mapspace becomes larger, or
// smaller by the order of the loops along an axis. Errors: those of timeloop_form(), and of resolve() (mapspace.h) for
// a machine that does not suit the workload.
Result<TimeloopForm> timeloop_form(const Architecture& architecture, const Workload& workload, TimeloopVersion version);

// Whether the constraints name classes of dimensions, dimensions of tensors or largest factors, which mean nothing
// without a workload.
bool names_classes(const Architecture& architecture);

}  // namespace heliolite
