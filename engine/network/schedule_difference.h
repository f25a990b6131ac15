#pragma once
// In what two schedules of one network on one machine differ: groups, loops, what stays where, and the nests of links.
#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/network/link_graph.h"
#include "engine/network/schedule_yaml.h"

namespace heliolite {

// By link its group, the loops above it, the sizes of a pass and its mapping (mapping_difference.h); by array where it
// is held. Together they are all of a schedule.
FieldDifferences differences(const ScheduleFile& a, const ScheduleFile& b, const LinkGraph& graph,
                             const Architecture& architecture);

}  // namespace heliolite
